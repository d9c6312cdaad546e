/*
 * test_fair.c - fairness: loops that yield end and have finitely many schedules, and threads that yield without
 * spinning lose no schedule. The count for the spinning flag is that of the PLDI 2008 scheduler.
 */
#include "unit.h"

#include "engine/fair.h"
#include "sim_programs.h"

#include <string.h>

enum { X, Y };
enum { OUT, TOP };

static int r0(const int *r) { return r[0]; }
static int r1_plus_1(const int *r) { return r[1] + 1; }
static int r1_below_3(const int *r) { return r[1] < 3; }

static void spin_flag_has_five_executions(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_spin_flag, 0, 0);
    struct sim_result r, all;
    sim_explore(&p, "dfs", NULL, &r);
    unit_count(p.name, "executions", r.executions, 5);
    unit_count(p.name, "ok", r.ok, 5);
    unit_count(p.name, "repeated", r.repeated, 0);
    unit_count(p.name, "classes", r.classes, 3); /* the flag is read once, twice or three times */
    unit_count(p.name, "held back", r.fairness, 1);
    unit_count(p.name, "fair tails", r.fair_tails, 0);
    assert_true(r.complete);
    sim_enumerate(&p, NULL, &all);
    assert_true(all.schedule_sum == r.schedule_sum);
}

/* When only every second, every third yield counts, there are more rounds. */
static void more_rounds_when_fewer_yields_count(void **state) {
    (void)state;
    static const uint64_t executions[] = {5, 5, 9, 13};
    struct sim_program p = sim_make(sim_spin_flag, 0, 0);
    for (uint32_t every = 0; every < RD_COUNT(executions); every++) {
        struct sim_options o = {.yields = every};
        struct sim_result r;
        sim_explore(&p, "dfs", &o, &r);
        unit_count(p.name, "executions", r.executions, executions[every]);
        assert_true(r.complete);
    }
}

/* A yield that is not repeated loses no order: all interleavings are there. */
static void one_shot_yields_lose_no_schedule(void **state) {
    (void)state;
    static const uint64_t interleavings[] = {2, 6, 20, 70};
    for (int k = 0; k < 4; k++) {
        struct sim_program p = sim_make(sim_yield_once, 0, k);
        struct sim_result r;
        sim_explore(&p, "dfs", NULL, &r);
        unit_count(p.name, "executions", r.executions, interleavings[k]);
        unit_count(p.name, "final states", r.finals, 2);
        unit_count(p.name, "held back", r.fairness, 0);
    }
}

static struct sim_program loop_of_yields(bool writes) {
    struct sim_program p = {.name = writes ? "yields with progress" : "yields without progress"};
    SIM_THREAD(&p, do_label(TOP));
    if (writes)
        SIM_APPEND(&p, do_write(X, 1));
    else
        SIM_APPEND(&p, do_read(X, 0));
    SIM_APPEND(&p, do_yield(), do_set(1, r1_plus_1), do_if(r1_below_3, TOP));
    SIM_THREAD(&p, do_write(Y, 1));
    return p;
}

/* A thread that writes between its yields makes progress, so it is never held back. */
static void yields_with_progress_lose_no_schedule(void **state) {
    (void)state;
    struct sim_program p = loop_of_yields(true);
    struct sim_result r;
    sim_explore(&p, "dfs", NULL, &r);
    unit_count(p.name, "executions", r.executions, 7); /* 6 steps of one thread, 1 of the other */
    unit_count(p.name, "held back", r.fairness, 0);
    p = loop_of_yields(false);
    sim_explore(&p, "dfs", NULL, &r);
    unit_count(p.name, "executions", r.executions, 5); /* after the second yield the other thread must run */
    unit_count(p.name, "held back", r.fairness, 1);
}

/*
 * Two threads spin and one sets the flag: no thread is starved, and there are 672 executions as with the paper's
 * scheduler.
 */
static void two_spinners_end(void **state) {
    (void)state;
    struct sim_program p = {.name = "two spinners"};
    for (int t = 0; t < 2; t++)
        SIM_THREAD(&p, do_label(TOP), do_read(X, 0), do_if(r0, OUT), do_yield(), do_goto(TOP), do_label(OUT));
    SIM_THREAD(&p, do_write(X, 1));
    struct sim_result r, all;
    sim_explore(&p, "dfs", NULL, &r);
    sim_enumerate(&p, NULL, &all);
    unit_count(p.name, "executions", r.executions, 672);
    unit_count(p.name, "ok", r.ok, 672);
    unit_count(p.name, "repeated", r.repeated, 0);
    assert_true(r.complete && r.schedule_sum == all.schedule_sum);
}

/*
 * The flag is read under a mutex. The spinning thread disables the other thread, for which the fairness rule must
 * wait all the same.
 */
static void spinning_with_a_mutex_ends(void **state) {
    (void)state;
    struct sim_program p = {.name = "spin flag under a mutex"};
    enum { M };
    SIM_THREAD(&p, do_lock(M), do_label(TOP), do_read(X, 0), do_if(r0, OUT), do_unlock(M), do_yield(), do_lock(M),
               do_goto(TOP), do_label(OUT), do_unlock(M));
    SIM_THREAD(&p, do_lock(M), do_write(X, 1), do_unlock(M));
    struct sim_result r;
    sim_explore(&p, "dfs", NULL, &r);
    unit_count(p.name, "executions", r.executions, 9);
    unit_count(p.name, "ok", r.ok, 9);
}

static struct sim_program waits_for_news(bool yields) {
    struct sim_program p = {.name = yields ? "yields until there is news" : "spins until there is news"};
    SIM_THREAD(&p, do_label(TOP), do_read(X, 0));
    if (yields)
        SIM_APPEND(&p, do_yield());
    SIM_APPEND(&p, do_if_zero(r0, TOP), do_read(X, 1));
    SIM_THREAD(&p, do_write(X, 0), do_write(X, 1), do_write(X, 0), do_write(X, 2));
    return p;
}

/*
 * A recognised loop waits for a new value before each round, so its yields hold back no thread, and the reduction
 * finds every class. Holding it back would lose orders: it could read again only after the other thread has run.
 */
static void loops_that_are_recognised_are_not_held_back(void **state) {
    (void)state;
    static const char *const strategies[] = {"dpor", "dpor:optimal", "dpor:classic", "bpor", "dfs"};
    struct sim_program with = waits_for_news(true), without = waits_for_news(false);
    struct sim_options o = {.loops = true};
    struct sim_result all, bare, r;
    sim_enumerate(&with, &o, &all);
    sim_enumerate(&without, &o, &bare);
    unit_count(with.name, "final states", all.finals, bare.finals);
    unit_count(with.name, "classes", all.classes, bare.classes);
    for (size_t i = 0; i < RD_COUNT(strategies); i++) {
        sim_explore(&with, strategies[i], &o, &r);
        unit_count(strategies[i], "held back", r.fairness, 0);
        unit_count(strategies[i], "final states", r.finals, all.finals);
        if (i < 2)
            unit_count(strategies[i], "classes", r.classes, all.classes);
    }
}

static _Alignas(16) char region[1 << 19];
static struct rd_fair fair;
static struct rd_arena arena;

static void fresh(void) {
    rd_arena_init(&arena, region, sizeof region);
    rd_fair_init(&fair);
}

static void step(rd_tid tid, unsigned kind, rd_place pc, unsigned before, unsigned after) {
    struct rd_op op = {.kind = (uint8_t)kind, .pc = pc};
    struct rd_bits b = {{before}}, a = {{after}};
    rd_fair_step(&fair, &arena, tid, &op, &b, &a, RD_TID_MAX);
}

/* The subset of the threads in `set` that the fairness rule allows. */
static unsigned allowed(unsigned set) {
    rd_tid list[8];
    uint32_t n = 0;
    for (rd_tid t = 0; t < 8; t++)
        if (set >> t & 1)
            list[n++] = t;
    n = rd_fair_filter(&fair, list, n);
    unsigned left = 0;
    for (uint32_t i = 0; i < n; i++)
        left |= 1u << list[i];
    return left;
}

static void the_second_yield_gives_way(void **state) {
    (void)state;
    fresh();
    step(0, RD_OP_YIELD, 5, 7, 7);
    assert_int_equal(allowed(7), 7);
    step(0, RD_OP_READ, 6, 7, 7);
    step(0, RD_OP_YIELD, 5, 7, 7);
    assert_int_equal(allowed(7), 6); /* thread 0 is behind 1 and 2 */
    assert_int_equal(allowed(1), 1); /* but only while 1 or 2 is enabled */
    step(1, RD_OP_WRITE, 7, 7, 7);
    assert_int_equal(allowed(7), 6);
    assert_int_equal(allowed(3), 3); /* thread 1 had its turn, 2 is blocked: 0 may continue */
    step(2, RD_OP_WRITE, 8, 7, 7);
    assert_int_equal(allowed(7), 7);
}

static void threads_that_ran_or_were_blocked_are_not_waited_for(void **state) {
    (void)state;
    fresh();
    step(0, RD_OP_YIELD, 5, 7, 7);
    step(1, RD_OP_READ, 6, 7, 3); /* thread 2 is disabled by another thread for a moment */
    step(1, RD_OP_READ, 6, 3, 7);
    step(0, RD_OP_YIELD, 5, 7, 7);
    assert_int_equal(allowed(7), 7);
    step(0, RD_OP_MUTEX_LOCK, 7, 7, 3); /* thread 0 itself disables thread 2 */
    step(0, RD_OP_MUTEX_UNLOCK, 7, 3, 7);
    step(0, RD_OP_YIELD, 5, 7, 7);
    assert_int_equal(allowed(5), 4);
}

static void yields_that_count_as_repeated(void **state) {
    (void)state;
    fresh();
    step(0, RD_OP_YIELD, 5, 3, 3);
    step(0, RD_OP_YIELD, 6, 3, 3); /* a yield at another place */
    assert_int_equal(allowed(3), 3);
    step(0, RD_OP_WRITE, 1, 3, 3);
    step(0, RD_OP_YIELD, 6, 3, 3); /* the loop has written */
    assert_int_equal(allowed(3), 3);
    step(0, RD_OP_ATOMIC_RMW, 1, 3, 3);
    step(0, RD_OP_YIELD, 6, 3, 3);
    assert_int_equal(allowed(3), 3);
    /* the compare-and-swap failed: otherwise the loop would not come here again */
    step(0, RD_OP_ATOMIC_CAS, 1, 3, 3);
    step(0, RD_OP_SLEEP, 6, 3, 3); /* a sleep is a yield */
    assert_int_equal(allowed(3), 2);
}

/* After any history the rule allows at least one thread: its relation P has no cycle. */
static void the_filter_never_empties_the_list(void **state) {
    (void)state;
    uint64_t x = 1;
    for (int round = 0; round < 50; round++) {
        fresh();
        for (int i = 0; i < 100; i++) {
            x = rd_mix(x + 1);
            unsigned enabled = (unsigned)(x & 15) | 1u << (x >> 8 & 3), next = (unsigned)(x >> 4 & 15);
            unsigned may = allowed(enabled);
            assert_true(may != 0 && (may & ~enabled) == 0);
            rd_tid tid = (rd_tid)__builtin_ctz(may);
            step(tid, x >> 16 & 1 ? RD_OP_YIELD : RD_OP_READ, 5, enabled, next);
        }
    }
}

int test_fair(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(spin_flag_has_five_executions),
        cmocka_unit_test(more_rounds_when_fewer_yields_count),
        cmocka_unit_test(one_shot_yields_lose_no_schedule),
        cmocka_unit_test(yields_with_progress_lose_no_schedule),
        cmocka_unit_test(two_spinners_end),
        cmocka_unit_test(spinning_with_a_mutex_ends),
        cmocka_unit_test(loops_that_are_recognised_are_not_held_back),
        cmocka_unit_test(the_second_yield_gives_way),
        cmocka_unit_test(threads_that_ran_or_were_blocked_are_not_waited_for),
        cmocka_unit_test(yields_that_count_as_repeated),
        cmocka_unit_test(the_filter_never_empties_the_list),
    };
    return cmocka_run_group_tests_name("fairness", tests, NULL, NULL);
}
