/*
 * test_trail.c - what is known of one execution is kept for the next as far as both are the same (trail.h,
 * rd_order_back): compared with clocks from all pairs of events, and with a trail that knows of no other execution.
 */
#include "unit.h"

#include "base/rng.h"
#include "search/trail.h"
#include "sim_search.h"

#include <string.h>
#include <sys/mman.h>

enum { REGION = 1 << 26, THREADS = 8, EVENTS = 64 };

static struct rd_arena region(void) {
    struct rd_arena a;
    void *m = mmap(NULL, REGION, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    assert_true(m != MAP_FAILED);
    rd_arena_init(&a, m, REGION);
    return a;
}

/* From all pairs: it comes after what it depends on, and after all that comes before. */
static void naive_clock(const struct rd_event *e, uint32_t i, uint32_t (*clocks)[THREADS]) {
    memset(clocks[i], 0, sizeof clocks[i]);
    for (uint32_t k = 0; k < i; k++)
        for (uint32_t t = 0; t < THREADS && rd_event_dependent(&e[k], &e[i]); t++)
            clocks[i][t] = RD_MAX(clocks[i][t], clocks[k][t]);
    clocks[i][e[i].tid]++;
}

/* Of every sort: memory, objects that are written, read or added to, other threads, everything. */
static struct rd_event random_event(struct rd_rng *r) {
    static const uint8_t kinds[] = {RD_OP_READ,       RD_OP_WRITE,        RD_OP_READ,          RD_OP_WRITE,
                                    RD_OP_MUTEX_LOCK, RD_OP_MUTEX_UNLOCK, RD_OP_RWLOCK_RDLOCK, RD_OP_SEM_POST,
                                    RD_OP_SEM_WAIT,   RD_OP_CANCEL,       RD_OP_JOIN,          RD_OP_EXIT};
    struct rd_op op = {.kind = kinds[rd_rng_below(r, RD_COUNT(kinds) - (rd_rng_below(r, 4) != 0))]};
    bool memory = op.kind == RD_OP_READ || op.kind == RD_OP_WRITE, about = op.kind == RD_OP_CANCEL;
    rd_tid tid = (rd_tid)rd_rng_below(r, THREADS - 1);
    about |= op.kind == RD_OP_JOIN;
    if (memory) {
        op.addr = op.place = 0x1000 + rd_rng_below(r, 20);
        op.size = rd_rng_below(r, 8) ? 1 + rd_rng_below(r, 8) : 100;
    } else if (about) {
        op.arg = (tid + 1 + rd_rng_below(r, THREADS - 2)) % (THREADS - 1);
    } else if (op.kind != RD_OP_EXIT) {
        op.addr = op.place = 0x9000 + 64 * rd_rng_below(r, 2);
    }
    return rd_event_of_op(tid, &op, RD_TID_NONE);
}

static void events_can_be_taken_back(void **state) {
    (void)state;
    struct rd_rng r;
    struct rd_arena a = region(), other = region();
    rd_rng_seed(&r, 11);
    for (int round = 0; round < 60; round++) {
        struct rd_event e[EVENTS];
        uint32_t clocks[EVENTS][THREADS], from = 0;
        struct rd_order o, fresh;
        rd_arena_reset(&a);
        rd_order_init(&o, &a);
        rd_order_keep(&o);
        for (int again = 0; again < 12; again++, from = rd_rng_below(&r, EVENTS)) {
            rd_order_back(&o, from);
            rd_arena_reset(&other);
            rd_order_init(&fresh, &other);
            for (uint32_t i = 0; i < EVENTS; i++) {
                if (i >= from) {
                    e[i] = random_event(&r);
                    naive_clock(e, i, clocks);
                    rd_order_event(&o, &e[i]);
                    for (uint32_t t = 0; t < THREADS; t++)
                        assert_int_equal(rd_vclock_get(rd_order_clock(&o, e[i].tid), t), clocks[i][t]);
                }
                rd_order_event(&fresh, &e[i]);
            }
            assert_true(o.hash[0] == fresh.hash[0] && o.hash[1] == fresh.hash[1]);
        }
    }
    munmap(a.base, REGION);
    munmap(other.base, REGION);
}

static void compare_events(const struct rd_trail *t, const struct rd_trail *fresh) {
    static struct rd_event e[SIM_STEPS_MAX];
    static uint32_t clocks[SIM_STEPS_MAX][THREADS];
    assert_int_equal(t->count, fresh->count);
    assert_int_equal(t->all, fresh->all);
    for (uint32_t i = 0; i < t->all; i++) {
        const struct rd_trail_event *x = &t->at[i], *y = &fresh->at[i];
        e[i] = x->e;
        assert_memory_equal(&x->e, &y->e, sizeof x->e);
        assert_true(x->step == y->step && x->index == y->index && x->prev == y->prev && x->way == y->way);
        assert_int_equal(rd_trail_next(t, x->e.tid, x->step), i);
        if (i >= t->count)
            continue;
        naive_clock(e, i, clocks);
        for (uint32_t k = 0; k < RD_MIN(t->stride, (uint32_t)THREADS); k++)
            assert_int_equal(rd_trail_clock(t, i)[k], clocks[i][k]);
    }
}

/* Asks both about every event that is not known from the execution before. */
static void compare_rivals(struct rd_trail *t, struct rd_trail *fresh) {
    for (uint32_t i = 0; i < t->all; i++) {
        bool nearest = i % 2;
        rd_trail_rivals(fresh, i, nearest);
        if (i >= t->kept) {
            rd_trail_rivals(t, i, nearest);
            assert_int_equal(t->rivals.count, fresh->rivals.count);
            for (uint32_t k = 0; k < t->rivals.count; k++)
                assert_int_equal(t->rivals.at[k], fresh->rivals.at[k]);
        }
        if (i >= t->count)
            continue;
        rd_trail_note(fresh, i);
        if (i >= t->kept)
            rd_trail_note(t, i);
    }
}

static void what_executions_have_in_common_is_kept(void **state) {
    (void)state;
    static const char *const strategies[] = {"dfs", "dpor", "random"};
    struct rd_arena a = region(), scratch = region();
    uint64_t kept = 0;
    for (size_t i = 0; i < sim_case_count * RD_COUNT(strategies); i++) {
        const struct sim_case *c = &sim_cases[i / RD_COUNT(strategies)];
        struct sim_program p = sim_make(c->build, c->n, c->k);
        struct sim_search s = sim_search_open(&p, strategies[i % RD_COUNT(strategies)], NULL);
        struct rd_trail t = {.keeps_notes = true};
        rd_arena_reset(&a);
        rd_trail_open(&t, &a);
        for (int n = 0; n < 20 && sim_search_next(&s); n++) {
            rd_arena_reset(&scratch);
            struct rd_trail fresh = {.scratch = scratch};
            rd_trail_build(&t, &s.sim->rec);
            rd_trail_build(&fresh, &s.sim->rec);
            assert_int_equal(fresh.kept, 0);
            kept += t.kept;
            compare_events(&t, &fresh);
            compare_rivals(&t, &fresh);
        }
        sim_search_close(&s);
    }
    assert_true(kept > 1000);
    munmap(a.base, REGION);
    munmap(scratch.base, REGION);
}

int test_trail(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_can_be_taken_back),
        cmocka_unit_test(what_executions_have_in_common_is_kept),
    };
    return cmocka_run_group_tests_name("trails", tests, NULL, NULL);
}
