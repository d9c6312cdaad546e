/*
 * test_surw.c - the picker of surw with few candidates and with many, whose highest priority is kept in a heap,
 * against the published algorithm in loops over all threads.
 */
#include "unit.h"

#include "base/rng.h"
#include "pick/pick.h"

#include <stdlib.h>
#include <string.h>

enum { THREADS_MAX = 60, STEPS = 3000, CELLS = 12, SIZE = 4, BASE = 0x1000, SHARE = 200 };

struct naive {
    struct rd_rng rng;
    uint32_t threads, left[THREADS_MAX];
    uint64_t priority[THREADS_MAX];
    bool parked[THREADS_MAX], at[THREADS_MAX], enabled[THREADS_MAX];
    int intended; /* the thread chosen for the next operation on the variable; -1: none */
};

static int highest(struct naive *n) {
    int best = -1;
    for (uint32_t t = 0; t < n->threads; t++) {
        if (!n->enabled[t] || n->parked[t])
            continue;
        if (!n->priority[t])
            n->priority[t] = rd_rng_next(&n->rng) | 1;
        if (best < 0 || n->priority[t] > n->priority[best])
            best = (int)t;
    }
    return best;
}

static void release(struct naive *n) {
    memset(n->parked, 0, sizeof n->parked);
    n->intended = -1;
}

/* Draws among the threads that are not parked, in proportion to their remaining operations on the variable. */
static int intend(struct naive *n, int otherwise) {
    uint32_t sum = 0;
    for (uint32_t t = 0; t < n->threads; t++)
        sum += n->enabled[t] && !n->parked[t] ? n->left[t] : 0;
    if (!sum)
        return otherwise;
    uint32_t at = rd_rng_below(&n->rng, sum);
    for (uint32_t t = 0;; t++) {
        uint32_t mine = n->enabled[t] && !n->parked[t] ? n->left[t] : 0;
        if (at < mine)
            return (int)t;
        at -= mine;
    }
}

static int choose(struct naive *n) {
    for (;;) {
        int best = highest(n);
        if (best < 0) {
            release(n);
            continue;
        }
        if (!n->at[best]) {
            n->priority[best] = 0;
            return best;
        }
        n->left[best] = RD_MAX(n->left[best], 1u);
        if (n->intended < 0)
            n->intended = intend(n, best);
        if (n->intended == best) {
            n->left[best]--;
            release(n);
            return best;
        }
        n->parked[best] = true;
    }
}

struct world {
    struct rd_rng rng;
    struct rd_op op[THREADS_MAX];
    struct rd_cand cand[THREADS_MAX];
};

/* Draws the thread's next operation; one in `CELLS` is on the variable. */
static void go_on(struct world *w, struct naive *n, uint32_t t) {
    uint32_t cell = rd_rng_below(&w->rng, CELLS);
    w->op[t] =
        (struct rd_op){.kind = RD_OP_WRITE, .addr = BASE + cell * SIZE, .place = BASE + cell * SIZE, .size = SIZE};
    n->at[t] = cell == 0;
}

static void run(uint32_t threads, uint64_t seed) {
    static _Alignas(16) unsigned char state[RD_PICKER_STATE];
    struct rd_weight weight[THREADS_MAX];
    struct rd_track track = {.first = BASE, .last = BASE + SIZE - 1};
    struct rd_plan plan = {.picker = RD_PICK_SURW, .seed = seed, .ask_always = 1, .a = threads, .track_count = 1};
    struct world w;
    struct naive n = {.threads = threads, .intended = -1};
    rd_rng_seed(&n.rng, seed);
    rd_rng_seed(&w.rng, seed + 1);
    for (uint32_t t = 0; t < threads; t++) {
        n.left[t] = 1 + rd_rng_below(&w.rng, SHARE);
        weight[t] = (struct rd_weight){.parent = RD_TID_NONE, .steps = n.left[t]};
        n.enabled[t] = true;
        go_on(&w, &n, t);
    }
    rd_pickers[RD_PICK_SURW]->begin(state, &plan);
    bool same = false;
    for (uint32_t step = 0; step < STEPS; step++) {
        struct rd_point point = {.step = step, .cand = w.cand, .weight = weight, .track = &track, .track_count = 1};
        for (uint32_t t = 0; t < threads; t++)
            if (n.enabled[t])
                w.cand[point.count++] = (struct rd_cand){.op = &w.op[t], .tid = (rd_tid)t};
        point.same = same;
        rd_tid expected = (rd_tid)choose(&n);
        uint32_t picked = rd_pickers[RD_PICK_SURW]->pick(state, &point);
        assert_in_range(picked, 0, point.count - 1);
        assert_int_equal(w.cand[picked].tid, expected);
        go_on(&w, &n, expected);
        same = rd_rng_below(&w.rng, 10) != 0;
        uint32_t other = rd_rng_below(&w.rng, threads);
        if (!same && other != expected) /* the thread becomes blocked, or enabled again */
            n.enabled[other] = !n.enabled[other];
    }
}

static void few_and_many_as_published(void **state) {
    (void)state;
    static const uint32_t threads[] = {2, 5, 16, 17, 40, THREADS_MAX};
    for (size_t i = 0; i < RD_COUNT(threads); i++)
        for (uint64_t seed = 1; seed <= 20; seed++)
            run(threads[i], seed);
}

int test_surw(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(few_and_many_as_published)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
