/*
 * test_turns.c - a woken thread's step depends only on the step that woke it (event.h): the next round of a
 * barrier, other waiters and other wake-ups of a futex do not conflict with it. There are as many classes as orders
 * of the other events, by a reduction and by brute force.
 */
#include "unit.h"

#include "sim_programs.h"

enum { X, Y };

/* n threads, k rounds. */
static void rounds(struct sim_program *p, struct sim_arg a) {
    for (int t = 0; t < a.n; t++) {
        sim_thread(p, NULL, 0);
        for (int i = 0; i < a.k; i++)
            SIM_APPEND(p, do_barrier(0, a.n, 0));
    }
}

/* n threads at a barrier for two. */
static void pairs(struct sim_program *p, struct sim_arg a) {
    for (int t = 0; t < a.n; t++)
        SIM_THREAD(p, do_barrier(0, 2, 0), do_write(Y, t));
}

/* n threads wait while X is 0, and one wakes all of them. */
static void all_go(struct sim_program *p, struct sim_arg a) {
    for (int t = 0; t < a.n; t++)
        SIM_THREAD(p, do_futex_wait(X, 0));
    SIM_THREAD(p, do_write(X, 1), do_futex_wake(X, 9, 0));
}

/* n threads wait, and each of two wake-ups is for one of them. */
static void one_by_one(struct sim_program *p, struct sim_arg a) {
    for (int t = 0; t < a.n; t++)
        SIM_THREAD(p, do_futex_wait(X, 0), do_write(Y, t));
    SIM_THREAD(p, do_futex_wake(X, 1, 0), do_futex_wake(X, 1, 0));
}

static const struct {
    const char *name;
    sim_build build;
    struct sim_arg arg;
    uint64_t classes;
} rows[] = {
    /* The orders of arrivals, round by round. */
    {"2 threads, 3 rounds", rounds, {2, 3}, 2 * 2 * 2},
    {"3 threads, 2 rounds", rounds, {3, 2}, 6 * 6},
    /* The orders of arrivals, times the orders of the writes. */
    {"4 threads, two at a time", pairs, {4, 0}, 24 * 24},
    /* The orders of all events in which the write comes before the wake-up. */
    {"2 wait, all go", all_go, {2, 0}, 24 / 2},
    {"3 wait, all go", all_go, {3, 0}, 120 / 2},
    {"2 wait, one by one", one_by_one, {2, 0}, 22}, /* computed by brute force */
};

static void as_by_brute_force(void **state) {
    (void)state;
    for (size_t i = 0; i < RD_COUNT(rows); i++) {
        struct sim_program p = sim_make(rows[i].build, rows[i].arg.n, rows[i].arg.k);
        struct sim_result all, got;
        sim_enumerate(&p, NULL, &all);
        unit_count(rows[i].name, "classes by brute force", all.classes, rows[i].classes);
        for (int optimal = 0; optimal < 2; optimal++) {
            sim_explore(&p, optimal ? "dpor:optimal" : "dpor", NULL, &got);
            assert_true(got.complete);
            unit_count(rows[i].name, "executions", got.executions, rows[i].classes);
            unit_count(rows[i].name, "final states", got.finals, all.finals);
        }
    }
}

int test_turns(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_by_brute_force),
    };
    return cmocka_run_group_tests_name("turns", tests, NULL, NULL);
}
