/*
 * test_relation.c - programs that the fuzzer has found: operations that the relation of dependence calls
 * independent commute also where loops wait, signals interrupt waits, and timed waits give up.
 */
#include "unit_sim.h"

#include "trace/event.h"

#include <string.h>

static int tried(const int *reg) { return reg[3]; }
static int never(const int *reg) { return 0 * reg[0]; }

/* The candidates of the step after an execution's first `count` steps, as a set of bits. */
static uint64_t candidates_after(uint32_t count) {
    const struct rd_step *s = &sim->rec.steps[count];
    uint64_t set = 0;
    assert_true(count < sim->rec.out->steps);
    for (uint32_t i = 0; i < s->ncand; i++)
        set |= (uint64_t)1 << sim->rec.cands[s->cand + i];
    return set;
}

/* Runs two executions that differ in the order of their last two threads; the same threads can go on after both. */
#define CHECK_SWAP(a, b, ...)                         \
    do {                                              \
        const rd_tid before[] = {__VA_ARGS__};        \
        rd_tid tids[RD_COUNT(before) + 2];            \
        uint32_t n = RD_COUNT(before) + 2;            \
        memcpy(tids, before, sizeof before);          \
        tids[n - 2] = (a), tids[n - 1] = (b);         \
        sim_run_threads(sim, tids, n);                \
        uint64_t first = candidates_after(n);         \
        tids[n - 2] = (b), tids[n - 1] = (a);         \
        sim_run_threads(sim, tids, n);                \
        assert_int_equal(first, candidates_after(n)); \
    } while (0)

/*
 * Thread 2 holds the mutex, and locks it again until it gives up. That changes nothing for a loop that tries to
 * lock the mutex: it makes no further iteration.
 */
static void an_inner_lock_wakes_no_loop(void **state) {
    (void)state;
    struct sim_program p = {.name = "inner lock"};
    SIM_THREAD(&p, do_label(0), do_trylock(0, 3), do_if_zero(tried, 0), do_unlock(0));
    SIM_THREAD(&p, do_lock(0), do_timedlock(0, 500, 3), do_unlock(0));
    struct sim_options o = {.loops = true, .timeouts = 1};
    sim_load(sim, &p, &o, NULL);
    CHECK_SWAP(1, 2, 2);
    struct sim_result all, r;
    sim_enumerate(&p, &o, &all);
    sim_explore(&p, "dpor", &o, &r);
    assert_int_equal(r.classes, all.classes);
    assert_int_equal(r.finals, all.finals);
}

/* A reader that gives up is no reason for another one to try again: both wait for the writer. */
static void a_reader_wakes_no_loop_of_a_reader(void **state) {
    (void)state;
    struct sim_program p = {.name = "readers"};
    SIM_THREAD(&p, do_label(0), do_tryrdlock(0, 0, 3), do_if_zero(tried, 0), do_rwunlock(0));
    SIM_THREAD(&p, do_wrlock(0, 0), do_rwunlock(0));
    SIM_THREAD(&p, do_timedrdlock(0, 0, 500, 3), do_if_zero(tried, 0), do_rwunlock(0), do_label(0));
    struct sim_options o = {.loops = true, .timeouts = 1};
    sim_load(sim, &p, &o, NULL);
    CHECK_SWAP(1, 3, 2);
    struct sim_result all, r;
    sim_enumerate(&p, &o, &all);
    sim_explore(&p, "dpor", &o, &r);
    assert_int_equal(r.classes, all.classes);
    assert_int_equal(r.finals, all.finals);
}

/*
 * The handler of the signal can run before and after the arrival that releases thread 1. Until then the wait
 * touches the barrier, also as an operation to come.
 */
static void a_signal_interrupts_a_wait_at_a_barrier(void **state) {
    (void)state;
    struct sim_program p = {.name = "barrier and signal"};
    SIM_THREAD(&p, do_barrier(1, 2, 3));
    SIM_THREAD(&p, do_send(0), do_barrier(1, 2, 3));
    struct sim_options o = {.asserts_go_on = true};
    struct sim_result all, r;
    sim_enumerate(&p, &o, &all);
    assert_int_equal(all.classes, 5);
    static const char *const searches[] = {"icb:sleep", "dpor", "dpor:optimal", "icb:cache"};
    for (size_t i = 0; i < RD_COUNT(searches); i++) {
        sim_explore(&p, searches[i], &o, &r);
        assert_int_equal(r.classes, 5);
    }
    sim_load(sim, &p, &o, NULL);
    RUN(1, 2, 1); /* thread 1 waits, and takes the signal */
    struct rd_event leave = rd_event_of_step(&sim->rec.steps[2]);
    assert_int_equal(sim->rec.steps[2].op, RD_OP_BARRIER_LEAVE);
    assert_true(sim->rec.steps[2].flags & RD_STEP_SIGNALLED);
    struct rd_op op = {.kind = RD_OP_BARRIER_ARRIVE, .place = sim->rec.steps[2].place};
    struct rd_event arrive = rd_event_of_pending(2, &op);
    assert_true(rd_event_dependent(&leave, &arrive));
}

/* Where a thread can only go on by a time-out, a switch is free: `bpor` considers it as the beginning of a turn. */
static void bpor_switches_where_a_thread_gives_up(void **state) {
    (void)state;
    struct sim_program p = {.name = "timed locks"};
    SIM_THREAD(&p, do_timedlock(0, 1, 3), do_timedlock(0, 1500, 3), do_unlock(0));
    SIM_THREAD(&p, do_timedlock(0, 500, 3));
    struct sim_options o = {.asserts_go_on = true, .timeouts = 2};
    struct sim_result r;
    sim_explore(&p, "icb:c=0", &o, &r);
    assert_int_equal(r.finals, 3);
    sim_explore(&p, "bpor:c=0", &o, &r);
    assert_int_equal(r.finals, 3);
    assert_int_equal(r.executions, 3);
}

/* An assert that fails ends the process: an access after it, which is no point, does not happen. */
static void nothing_follows_a_failed_assert(void **state) {
    (void)state;
    struct sim_program p = {.name = "assert before use after free"};
    SIM_THREAD(&p, do_write(1, 1), do_assert(never), do_read(SIM_BLOCK_VAR, 2));
    SIM_THREAD(&p, do_free(0));
    struct sim_options o = {.executions_max = 30};
    struct sim_result r;
    sim_explore(&p, "rank:random", &o, &r);
    assert_int_equal(r.executions, 30);
    assert_int_equal(r.asserts, 30);
}

int test_relation(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_inner_lock_wakes_no_loop),
        cmocka_unit_test(a_reader_wakes_no_loop_of_a_reader),
        cmocka_unit_test(a_signal_interrupts_a_wait_at_a_barrier),
        cmocka_unit_test(bpor_switches_where_a_thread_gives_up),
        cmocka_unit_test(nothing_follows_a_failed_assert),
    };
    return cmocka_run_group_tests_name("relation", tests, open_sim, close_sim);
}
