/*
 * test_hb_graph.c - clocks and racing events (search/por/hb_graph.h), also when they are kept from the execution
 * before, against all pairs of events; and against the clocks of rd_hb_class, which shares no code with them.
 */
#include "unit.h"

#include "base/rng.h"
#include "search/por/reversal.h"
#include "sim_search.h"

#include <string.h>
#include <sys/mman.h>

enum { REGION = 1 << 26, THREADS = 8, EVENTS = 64 };

static struct rd_arena region(void) { return sim_region(REGION); }

/*
 * Computed from all pairs: an event comes after each earlier event that it depends on, and after all events before
 * those.
 */
static void naive_clock(const struct rd_event *e, uint32_t i, uint32_t (*clocks)[THREADS]) {
    memset(clocks[i], 0, sizeof clocks[i]);
    for (uint32_t k = 0; k < i; k++)
        for (uint32_t t = 0; t < THREADS && rd_event_dependent(&e[k], &e[i]); t++)
            clocks[i][t] = RD_MAX(clocks[i][t], clocks[k][t]);
    clocks[i][e[i].tid]++;
}

/* The clock entry for thread `tid` at the event of event i's thread before i. */
static uint32_t known(const struct rd_hb_graph *t, uint32_t i, rd_tid tid) {
    return t->at[i].prev == RD_HB_GRAPH_NONE ? 0 : rd_hb_graph_clock(t, t->at[i].prev)[tid];
}

/* 1 + the last event that happens before event i; 0: none. */
static uint32_t last_before(const struct rd_hb_graph *t, uint32_t i) {
    uint32_t k = i;
    while (k > 0 && !rd_hb_graph_before(t, k - 1, i))
        k--;
    return k;
}

/*
 * Whether another racing event after `rival` hides it from `event`: one that comes after `rival` and can certainly
 * be swapped with `event`, or one of two events that a join waits for.
 */
static bool is_hidden(const struct rd_hb_graph *t, uint32_t rival, uint32_t event) {
    uint32_t count;
    const uint32_t *racing = rd_hb_graph_racing(t, event, &count);
    const struct rd_event *e = &t->at[event].e;
    for (uint32_t i = 0; i < count; i++)
        if (racing[i] > rival && rd_hb_graph_before(t, rival, racing[i]) &&
            (rd_hb_graph_swap(t, racing[i], event) == RD_SWAP_SURE ||
             (e->op == RD_OP_JOIN && (t->at[rival].e.tid == e->target || t->at[racing[i]].e.tid == e->target))))
            return true;
    return false;
}

/*
 * The racing events of event i: all earlier events that it depends on and that do not happen before it through its
 * thread, by thread, the latest first; or the events that hide the others.
 */
static void compare_rivals(const struct rd_hb_graph *t, uint32_t i) {
    uint32_t count, k = 0;
    const uint32_t *racing = rd_hb_graph_racing(t, i, &count);
    for (uint32_t tid = 0; tid < t->threads; tid++)
        for (uint32_t a = RD_MIN(i, t->count); a-- > 0;) {
            const struct rd_hb_graph_event *x = &t->at[a];
            if (x->e.tid != tid || tid == t->at[i].e.tid || x->index <= known(t, i, (rd_tid)tid) ||
                !rd_event_dependent(&x->e, &t->at[i].e))
                continue;
            if (k < count && racing[k] == a) {
                k++;
                continue;
            }
            assert_true(t->nearest && is_hidden(t, a, i));
        }
    assert_int_equal(k, count); /* no other events, and in this order */
}

/* Steps of every kind: memory, objects that are written, read or added to, other threads, the clock, everything. */
static struct rd_step random_step(struct rd_rng *r) {
    static const uint8_t kinds[] = {RD_OP_READ,       RD_OP_WRITE,        RD_OP_READ,          RD_OP_WRITE,
                                    RD_OP_MUTEX_LOCK, RD_OP_MUTEX_UNLOCK, RD_OP_RWLOCK_RDLOCK, RD_OP_SEM_POST,
                                    RD_OP_SEM_WAIT,   RD_OP_CANCEL,       RD_OP_JOIN,          RD_OP_SLEEP,
                                    RD_OP_EXIT};
    struct rd_step s = {.op = kinds[rd_rng_below(r, RD_COUNT(kinds) - (rd_rng_below(r, 4) != 0))],
                        .tid = (rd_tid)rd_rng_below(r, THREADS - 1)};
    if (s.op == RD_OP_READ || s.op == RD_OP_WRITE) {
        s.place = 0x1000 + rd_rng_below(r, 20);
        s.size = rd_rng_below(r, 8) ? 1 + rd_rng_below(r, 8) : 60 * (1 + rd_rng_below(r, 3));
    } else if (s.op == RD_OP_CANCEL || s.op == RD_OP_JOIN) {
        s.value = (s.tid + 1 + rd_rng_below(r, THREADS - 2)) % (THREADS - 1);
    } else if (s.op != RD_OP_EXIT && s.op != RD_OP_SLEEP) {
        s.place = 0x9000 + 64 * rd_rng_below(r, 2);
    }
    s.timed = rd_event_blocks(s.op) && rd_rng_below(r, 3) == 0;
    return s;
}

static void clocks_and_rivals_are_those_of_all_pairs(void **state) {
    (void)state;
    struct rd_rng r;
    struct rd_arena a = region();
    rd_rng_seed(&r, 11);
    for (int round = 0; round < 60; round++) {
        struct rd_step steps[EVENTS];
        struct rd_event e[EVENTS];
        uint32_t clocks[EVENTS][THREADS], from = 0;
        struct rd_outcome out = {.steps = EVENTS, .threads = 0};
        struct rd_record rec = {.out = &out, .steps = steps};
        struct rd_hb_graph t = {.nearest = round % 2};
        rd_arena_reset(&a);
        rd_hb_graph_open(&t, &a);
        for (int again = 0; again < 12; again++, from = rd_rng_below(&r, EVENTS)) {
            for (uint32_t i = from; i < EVENTS; i++)
                steps[i] = random_step(&r);
            rd_hb_graph_build(&t, &rec);
            assert_true(t.kept >= from || again == 0);
            for (uint32_t i = 0; i < EVENTS; i++) {
                e[i] = rd_event_of_step(&steps[i]);
                naive_clock(e, i, clocks);
                for (uint32_t k = 0; k < THREADS; k++)
                    assert_int_equal(rd_hb_graph_clock(&t, i)[k], clocks[i][k]);
                compare_rivals(&t, i);
                assert_int_equal(t.at[i].after, last_before(&t, i));
            }
        }
    }
    munmap(a.base, REGION);
}

static void compare_events(const struct rd_hb_graph *t, const struct rd_hb_graph *fresh) {
    static struct rd_event e[SIM_STEPS_MAX];
    static uint32_t clocks[SIM_STEPS_MAX][THREADS];
    assert_int_equal(t->count, fresh->count);
    assert_int_equal(t->all, fresh->all);
    for (uint32_t i = 0; i < t->all; i++) {
        const struct rd_hb_graph_event *x = &t->at[i], *y = &fresh->at[i];
        e[i] = x->e;
        assert_memory_equal(&x->e, &y->e, sizeof x->e);
        assert_true(x->step == y->step && x->index == y->index && x->prev == y->prev && x->way == y->way);
        assert_int_equal(rd_hb_graph_next(t, x->e.tid, x->step), i);
        if (i >= t->count)
            continue;
        naive_clock(e, i, clocks);
        for (uint32_t k = 0; k < RD_MIN(t->stride, (uint32_t)THREADS); k++)
            assert_int_equal(rd_hb_graph_clock(t, i)[k], clocks[i][k]);
    }
}

static void common_prefixes_are_kept(void **state) {
    (void)state;
    static const char *const strategies[] = {"dfs", "dpor", "random"};
    struct rd_arena a = region(), scratch = region();
    uint64_t kept = 0;
    for (size_t i = 0; i < sim_case_count * RD_COUNT(strategies); i++) {
        const struct sim_case *c = &sim_cases[i / RD_COUNT(strategies)];
        struct sim_program p = sim_make(c->build, c->n, c->k);
        struct sim_search s = sim_search_open(&p, strategies[i % RD_COUNT(strategies)], NULL);
        struct rd_hb_graph t = {.nearest = i % 2};
        rd_arena_reset(&a);
        rd_hb_graph_open(&t, &a);
        for (int n = 0; n < 20 && sim_search_next(&s); n++) {
            rd_arena_reset(&scratch);
            struct rd_hb_graph fresh = {.scratch = scratch};
            rd_hb_graph_build(&t, &s.sim->rec);
            rd_hb_graph_build(&fresh, &s.sim->rec);
            assert_int_equal(fresh.kept, 0);
            kept += t.kept;
            compare_events(&t, &fresh);
            for (uint32_t k = 0; k < t.all; k++)
                compare_rivals(&t, k);
        }
        sim_search_close(&s);
    }
    assert_true(kept > 1000);
    munmap(a.base, REGION);
    munmap(scratch.base, REGION);
}

/*
 * The reversal of a race as a list of events. The events that can come first in it are found by comparing all
 * pairs.
 */
struct naive {
    uint32_t at[EVENTS], count;
};

static struct naive naive_sequence(const struct rd_hb_graph *t, uint32_t first, uint32_t second) {
    struct naive n = {.count = 0};
    for (uint32_t i = first + 1; i < t->count; i++)
        if (i != second && !rd_hb_graph_before(t, first, i))
            n.at[n.count++] = i;
    n.at[n.count++] = second;
    return n;
}

/* The index of the thread's first event; n->count: none. */
static uint32_t naive_first(const struct rd_hb_graph *t, const struct naive *n, uint32_t tid) {
    uint32_t k = 0;
    while (k < n->count && t->at[n->at[k]].e.tid != tid)
        k++;
    return k;
}

static bool naive_depends(const struct rd_hb_graph *t, const struct naive *n, uint32_t count,
                          const struct rd_event *e) {
    for (uint32_t i = 0; i < count; i++)
        if (rd_event_dependent(&t->at[n->at[i]].e, e))
            return true;
    return false;
}

/* Removes events that can come first, in a random order, until the list is empty, and compares each state. */
static void compare_sequence(const struct rd_hb_graph *t, struct rd_arena *a, struct rd_rng *r, uint32_t first,
                             uint32_t second) {
    struct naive n = naive_sequence(t, first, second);
    uint32_t whole = n.count;
    struct rd_reversal s = {.room = 0};
    rd_reversal_make(&s, a, t, first, second, t->count);
    for (uint32_t taken; n.count > 0;) {
        rd_reversal_list(&s, a, t);
        assert_int_equal(s.left, n.count);
        assert_int_equal(s.list.count, n.count);
        assert_memory_equal(s.list.at, n.at, n.count * sizeof *n.at);
        taken = THREADS;
        for (uint32_t k = 0, from = rd_rng_below(r, THREADS); k < THREADS; k++) {
            rd_tid tid = (rd_tid)((from + k) % THREADS);
            uint32_t at = naive_first(t, &n, tid), next = rd_hb_graph_next(t, tid, t->at[first].step);
            assert_int_equal(rd_reversal_has(&s, tid), at < n.count);
            if (at == whole && next != RD_HB_GRAPH_NONE)
                assert_int_equal(rd_reversal_touches(&s, t, next), naive_depends(t, &n, n.count, &t->at[next].e));
            if (at == n.count)
                continue;
            assert_int_equal(rd_reversal_event(&s, t, tid), n.at[at]);
            bool begins = !naive_depends(t, &n, at, &t->at[n.at[at]].e);
            assert_int_equal(rd_reversal_begins(&s, t, tid), begins);
            taken = begins && taken == THREADS ? tid : taken;
        }
        assert_true(taken < THREADS);
        rd_reversal_take(&s, (rd_tid)taken);
        uint32_t at = naive_first(t, &n, taken);
        memmove(&n.at[at], &n.at[at + 1], (--n.count - at) * sizeof *n.at);
    }
    assert_int_equal(s.left, 0);
}

static void other_orders_begin_with_independent_events(void **state) {
    (void)state;
    struct rd_rng r;
    struct rd_arena a = region(), other = region();
    rd_rng_seed(&r, 5);
    for (int round = 0; round < 40; round++) {
        struct rd_step steps[EVENTS];
        struct rd_outcome out = {.steps = 24};
        struct rd_record rec = {.out = &out, .steps = steps};
        struct rd_hb_graph t = {.nearest = round % 2};
        rd_arena_reset(&a);
        rd_hb_graph_open(&t, &a);
        for (uint32_t i = 0; i < out.steps; i++)
            steps[i] = random_step(&r);
        rd_hb_graph_build(&t, &rec);
        for (uint32_t i = 0; i < t.count; i++) {
            uint32_t count;
            const uint32_t *racing = rd_hb_graph_racing(&t, i, &count);
            for (uint32_t k = 0; k < count; k++) {
                rd_arena_reset(&other);
                compare_sequence(&t, &other, &r, racing[k], i);
            }
        }
    }
    munmap(a.base, REGION);
    munmap(other.base, REGION);
}

int test_hb_graph(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(clocks_and_rivals_are_those_of_all_pairs),
        cmocka_unit_test(common_prefixes_are_kept),
        cmocka_unit_test(other_orders_begin_with_independent_events),
    };
    return cmocka_run_group_tests_name("trails", tests, NULL, NULL);
}
