/*
 * test_sim.c - instructions of the simulator that random programs use and no program of the literature needs. Every
 * number is counted by hand: the operation of one thread at each place among those of the other.
 */
#include "unit.h"

#include "model/model.h"
#include "sim_programs.h"

enum { X, M = 0, R = 2, S = 0, L = 0, O = 0 }; /* R is recursive */

static SIM_PROGRAM(lock_twice) {
    int type = a.k;
    SIM_THREAD(p, do_lock_of(R, type), do_lock_of(R, type), do_unlock_of(R, type), do_unlock_of(R, type));
    SIM_THREAD(p, do_lock_of(R, type), do_unlock_of(R, type));
}

static SIM_PROGRAM(try_own) {
    (void)a;
    SIM_THREAD(p, do_lock_of(R, RD_MUTEX_RECURSIVE), do_trylock_of(R, RD_MUTEX_RECURSIVE, 0));
    SIM_THREAD(p, do_trylock_of(R, RD_MUTEX_RECURSIVE, 0));
}

static SIM_PROGRAM(try_sem) {
    (void)a;
    SIM_THREAD(p, do_sem_trywait(S, 0));
    SIM_THREAD(p, do_sem_post(S));
}

static SIM_PROGRAM(look_at_sem) {
    (void)a;
    SIM_THREAD(p, do_sem_value(S, 0));
    SIM_THREAD(p, do_sem_post(S), do_sem_post(S));
}

/* If the writer comes first the reader waits for ever. */
static SIM_PROGRAM(try_write) {
    (void)a;
    SIM_THREAD(p, do_trywrlock(L, 0, 0));
    SIM_THREAD(p, do_rdlock(L, 0), do_rwunlock(L));
}

static SIM_PROGRAM(try_read) {
    (void)a;
    SIM_THREAD(p, do_tryrdlock(L, 0, 0));
    SIM_THREAD(p, do_rdlock(L, 0), do_rwunlock(L));
}

static SIM_PROGRAM(once_each) {
    for (int t = 0; t < a.n; t++)
        SIM_THREAD(p, do_once(O, 0));
}

static SIM_PROGRAM(try_join) {
    (void)a;
    SIM_THREAD(p, do_tryjoin(1, 0));
    SIM_THREAD(p, do_write(X, 1), do_write(X, 2));
}

/* k = 0: no cancellation */
static SIM_PROGRAM(cancel_a_wait) {
    SIM_THREAD(p, do_read(X, 0));
    if (a.k)
        SIM_APPEND(p, do_cancel(1));
    SIM_THREAD(p, do_read(X, 0), do_sem_wait(S));
}

/* a thread that has ended does not handle the signal */
static SIM_PROGRAM(send_a_signal) {
    (void)a;
    SIM_THREAD(p, do_send(1));
    SIM_THREAD(p, do_write(X, 1));
}

static SIM_PROGRAM(leave) {
    (void)a;
    SIM_THREAD(p, do_exit());
    SIM_THREAD(p, do_write(X, 1), do_write(X, 2));
}

static const struct row {
    const char *name;
    sim_build build;
    struct sim_arg arg;
    uint64_t schedules, deadlocks, finals;
} rows[] = {
    {"a recursive mutex", lock_twice, {0, RD_MUTEX_RECURSIVE}, 2, 0, 1},
    {"one that is not", lock_twice, {0, RD_MUTEX_NORMAL}, 2, 2, 1},
    {"a try of one's own", try_own, {0, 0}, 3, 1, 2},
    {"a try of a semaphore", try_sem, {0, 0}, 2, 0, 2},
    {"the value of a semaphore", look_at_sem, {0, 0}, 3, 0, 3},
    {"a try to write", try_write, {0, 0}, 3, 1, 3},
    {"a try to read", try_read, {0, 0}, 3, 0, 1},
    {"once", once_each, {2, 0}, 2, 0, 2},
    {"once of three", once_each, {3, 0}, 6, 0, 3},
    {"a try to join", try_join, {0, 0}, 3, 0, 2},
    {"a wait that nobody ends", cancel_a_wait, {0, 0}, 2, 2, 1},
    {"a wait that is cancelled", cancel_a_wait, {0, 1}, 3, 0, 1},
    {"a signal", send_a_signal, {0, 0}, 2, 0, 2},
    {"an exit", leave, {0, 0}, 3, 0, 3},
};

static void check_row(void **state) {
    const struct row *row = *state;
    struct sim_program p = sim_make(row->build, row->arg.n, row->arg.k);
    struct sim_result r, brute;
    sim_explore(&p, "dfs", NULL, &r);
    sim_enumerate(&p, NULL, &brute);
    unit_count(row->name, "schedules", r.schedules, row->schedules);
    unit_count(row->name, "deadlocks", r.deadlocks, row->deadlocks);
    unit_count(row->name, "final states", r.finals, row->finals);
    unit_count(row->name, "others", r.others + r.hangs + r.asserts, 0);
    unit_count(row->name, "sum of schedules", r.schedule_sum, brute.schedule_sum);
}

static void brute_force_can_be_limited(void **state) {
    (void)state;
    struct sim_program p = sim_make(sim_ring, 3, 0); /* 90 schedules */
    struct sim_result r;
    sim_enumerate(&p, &(struct sim_options){.executions_max = 89}, &r);
    assert_true(r.executions == 89 && !r.complete);
    sim_enumerate(&p, &(struct sim_options){.executions_max = 90}, &r);
    assert_true(r.executions == 90 && r.complete);
}

int test_sim(void) {
    static struct CMUnitTest tests[RD_COUNT(rows) + 1];
    for (size_t i = 0; i < RD_COUNT(rows); i++) {
        tests[i] = (struct CMUnitTest){.name = rows[i].name, .test_func = check_row};
        tests[i].initial_state = (void *)&rows[i];
    }
    tests[RD_COUNT(rows)] = (struct CMUnitTest)cmocka_unit_test(brute_force_can_be_limited);
    return cmocka_run_group_tests_name("the simulator", tests, NULL, NULL);
}
