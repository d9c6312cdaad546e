/*
 * test_primitive_counts.c - depth-first search over small programs of every primitive that can block. The numbers
 * of schedules are counted by hand, with the calculation in a comment; our own brute force (sim_enumerate) must
 * agree, schedule by schedule. In the programs of timed waits the last number of a row is the allowance of early
 * timeouts.
 */
#include "unit.h"

#include "sim_programs.h"

enum { X, Y }; /* numbers of variables, mutexes, conditions, semaphores …, each numbered separately */
enum { A, B, M = 0, CV = 0, L = 0, OUT = 0 };

static int r0(const int *r) { return r[0]; }
static int plus_1(int old, const int *r) { return old + 1 + 0 * r[0]; }
static int plus_r0(int old, const int *r) { return old + r[0]; }

static uint32_t deadline_of(int t, int same) { return 10u * (same ? 1u : (uint32_t)t + 1); }

/* k rounds: one thread waits for A and posts B, the other waits for B and posts A */
static SIM_PROGRAM(ping_pong) {
    sim_thread(p, NULL, 0);
    for (int i = 0; i < a.k; i++)
        SIM_APPEND(p, do_sem_wait(A), do_sem_post(B), do_rmw(X, plus_1, -1));
    sim_thread(p, NULL, 0);
    for (int i = 0; i < a.k; i++)
        SIM_APPEND(p, do_sem_post(A), do_sem_wait(B), do_rmw(X, plus_1, -1));
}

/* n threads, at most k at a time between wait and post */
static SIM_PROGRAM(at_most) {
    p->sems[A] = a.k;
    for (int t = 0; t < a.n; t++)
        SIM_THREAD(p, do_sem_wait(A), do_sem_post(A));
}

/* n readers, one writer; k: the lock prefers writers */
static SIM_PROGRAM(readers_writer) {
    for (int t = 0; t < a.n; t++)
        SIM_THREAD(p, do_rdlock(L, a.k), do_rwunlock(L));
    SIM_THREAD(p, do_wrlock(L, a.k), do_rwunlock(L));
}

static SIM_PROGRAM(reader_twice) {
    SIM_THREAD(p, do_rdlock(L, a.k), do_rdlock(L, a.k), do_rwunlock(L), do_rwunlock(L));
    SIM_THREAD(p, do_wrlock(L, a.k), do_rwunlock(L));
}

static SIM_PROGRAM(reader_and_timed_writer) {
    SIM_THREAD(p, do_rdlock(L, a.k), do_rwunlock(L));
    SIM_THREAD(p, do_timedwrlock(L, a.k, 10, 0), do_if_zero(r0, OUT), do_rwunlock(L), do_label(OUT));
}

/* n threads, k rounds */
static SIM_PROGRAM(barrier) {
    for (int t = 0; t < a.n; t++) {
        sim_thread(p, NULL, 0);
        for (int i = 0; i < a.k; i++)
            SIM_APPEND(p, do_barrier(A, a.n, 0));
    }
}

/* After the barrier each thread adds the barrier's result: one of them is the serial thread. */
static SIM_PROGRAM(barrier_then_write) {
    for (int t = 0; t < a.n; t++)
        SIM_THREAD(p, do_barrier(A, a.n, 0), do_rmw(X, plus_r0, -1));
}

/* four threads at a barrier for two */
static SIM_PROGRAM(barrier_for_two) {
    (void)a;
    for (int t = 0; t < 4; t++)
        SIM_THREAD(p, do_barrier(A, 2, 0));
}

/*
 * n threads that take the lock before their deadline or not at all; k: they share one deadline, else each has a
 * later one
 */
static SIM_PROGRAM(timed_locks) {
    for (int t = 0; t < a.n; t++)
        SIM_THREAD(p, do_timedlock(M, deadline_of(t, a.k), 0), do_if_zero(r0, OUT), do_unlock(M), do_label(OUT));
}

static SIM_PROGRAM(lock_and_timed_lock) {
    (void)a;
    SIM_THREAD(p, do_lock(M), do_unlock(M));
    SIM_THREAD(p, do_timedlock(M, 10, 0), do_if_zero(r0, OUT), do_unlock(M), do_label(OUT));
}

/* n timed waits that no thread posts to */
static SIM_PROGRAM(timed_alone) {
    for (int t = 0; t < a.n; t++)
        SIM_THREAD(p, do_sem_timedwait(A, deadline_of(t, a.k), 0));
}

static SIM_PROGRAM(timed_and_post) {
    (void)a;
    SIM_THREAD(p, do_sem_timedwait(A, 10, 0));
    SIM_THREAD(p, do_write(X, 1), do_sem_post(A));
}

static SIM_PROGRAM(timed_and_sleep) {
    (void)a;
    SIM_THREAD(p, do_sem_timedwait(A, 10, 0));
    SIM_THREAD(p, do_sleep(20), do_write(X, 1));
}

/* a timeout before the first creation does not use up the allowance of later waits */
static SIM_PROGRAM(timed_before_the_first_thread) {
    (void)a;
    p->main = true;
    SIM_THREAD(p, do_sem_timedwait(A, 10, 0), do_spawn(1), do_sem_timedwait(A, 30, 1), do_join(1));
    SIM_THREAD(p, do_write(X, 1));
}

/* a timed wait, n waits without a deadline, and one signal */
static SIM_PROGRAM(timed_wait) {
    SIM_THREAD(p, do_lock(M), do_timedwait(CV, M, 10, 0), do_unlock(M));
    for (int t = 0; t < a.n; t++)
        SIM_THREAD(p, do_lock(M), do_wait(CV, M), do_unlock(M));
    SIM_THREAD(p, do_lock(M), do_signal(CV), do_unlock(M));
}

struct row {
    const char *name;
    sim_build build;
    struct sim_arg arg;
    uint64_t executions, deadlocks, finals;
    uint32_t timeouts;
};

static const struct row rows[] = {
    /*
     * The only freedom is the place of the first thread's addition among the other's wait, addition and next post.
     */
    {"ping-pong, 1 round", ping_pong, {0, 1}, 3, 0, 1, 0},
    {"ping-pong, 2 rounds", ping_pong, {0, 2}, 4 * 3, 0, 1, 0},
    {"ping-pong, 3 rounds", ping_pong, {0, 3}, 4 * 4 * 3, 0, 1, 0},
    /* All orders of whole sections; all interleavings except those with three threads inside, 90 - 3! 3!. */
    {"semaphore of 1, 3 threads", at_most, {3, 1}, 6, 0, 1, 0},
    {"semaphore of 2, 3 threads", at_most, {3, 2}, 54, 0, 1, 0},
    {"semaphore of 3, 3 threads", at_most, {3, 3}, 90, 0, 1, 0},
    {"semaphore of 0", at_most, {2, 0}, 1, 1, 1, 0},
    /*
     * The writer's section has 3 places in each of the 2 sequences of readers, and 2 in each of the 4 that overlap.
     */
    {"1 reader, 1 writer", readers_writer, {1, 0}, 2, 0, 1, 0},
    {"2 readers, 1 writer", readers_writer, {2, 0}, 14, 0, 1, 0},
    /*
     * By the moment at which the writer queues: the readers inside leave in any order, the others come after the
     * writer.
     */
    {"1 reader, 1 writer, preferred", readers_writer, {1, 1}, 3, 0, 1, 0},
    {"2 readers, 1 writer, preferred", readers_writer, {2, 1}, 6 + 2 + 2 + 4 + 6 + 6, 0, 1, 0},
    {"reader comes twice", reader_twice, {0, 0}, 2, 0, 1, 0},
    {"reader comes twice, writer preferred", reader_twice, {0, 1}, 5, 1, 2, 0}, /* the writer queued in between */
    /* The writer times out only while the reader is inside. */
    {"timed writer", reader_and_timed_writer, {0, 0}, 2, 0, 1, 0},
    {"timed writer, 1", reader_and_timed_writer, {0, 0}, 3, 0, 2, 1},
    {"timed writer, preferred", reader_and_timed_writer, {0, 1}, 3, 0, 1, 0},
    {"timed writer, preferred, 1", reader_and_timed_writer, {0, 1}, 4, 0, 2, 1},
    /*
     * Orders of arrival times orders of leaving, except for the last thread, which does not wait; with two rounds
     * the last thread of the first is ahead.
     */
    {"barrier, 2 threads", barrier, {2, 1}, 2, 0, 2, 0},
    {"barrier, 3 threads", barrier, {3, 1}, 12, 0, 3, 0},
    {"barrier, 2 threads, 2 rounds", barrier, {2, 2}, 6, 0, 2, 0},
    {"barrier, then a write", barrier_then_write, {2, 0}, 6, 0, 2, 0},
    {"barrier for 2, 4 threads", barrier_for_two, {0, 0}, 24 * 4, 0, 6, 0},
    /*
     * Orders of whole sections; and with an allowance: the timed lock times out while the other thread is inside.
     */
    {"lock and timed lock", lock_and_timed_lock, {0, 0}, 2, 0, 1, 0},
    {"lock and timed lock, 1", lock_and_timed_lock, {0, 0}, 3, 0, 2, 1},
    {"lock and timed lock, 2", lock_and_timed_lock, {0, 0}, 3, 0, 2, 2},
    /*
     * The first holder: 3 ways. While it is inside, no other thread times out (then 4 ways with the other two, or 2
     * without an allowance), one of the two does, or both do, in both orders.
     */
    {"2 timed locks, 1", timed_locks, {2, 0}, 4, 0, 3, 1},
    {"3 timed locks", timed_locks, {3, 0}, 3 * 2, 0, 1, 0},
    {"3 timed locks, 1", timed_locks, {3, 0}, 3 * (4 + 2 + 2), 0, 7, 1},
    {"3 timed locks, 2", timed_locks, {3, 0}, 3 * (4 + 2 + 2), 0, 7, 2},
    {"3 timed locks, one deadline", timed_locks, {3, 1}, 3 * 2, 0, 1, 0},
    {"3 timed locks, one deadline, 1", timed_locks, {3, 1}, 3 * (4 + 2 + 2), 0, 7, 1},
    /*
     * By deadline; waits with the same deadline in any order; with an allowance in any order until it is used up.
     */
    {"3 timed waits alone", timed_alone, {3, 0}, 1, 0, 1, 0},
    {"3 timed waits alone, one deadline", timed_alone, {3, 1}, 6, 0, 1, 0},
    {"2 timed waits alone, 1", timed_alone, {2, 0}, 2, 0, 1, 1},
    {"timed wait and post", timed_and_post, {0, 0}, 1, 0, 1, 0},
    {"timed wait and post, 1", timed_and_post, {0, 0}, 3, 0, 2, 1},
    {"timed wait and post, 2", timed_and_post, {0, 0}, 3, 0, 2, 2},
    {"timed wait and sleep", timed_and_sleep, {0, 0}, 2, 0, 1, 0},
    {"timed wait and sleep, 1", timed_and_sleep, {0, 0}, 3, 0, 1, 1},
    {"timed wait before the first thread", timed_before_the_first_thread, {0, 0}, 1, 0, 1, 0},
    {"timed wait before the first thread, 1", timed_before_the_first_thread, {0, 0}, 2, 0, 1, 1},
    /*
     * The signal comes first and is lost: 1. Or the wait begins first and is signalled: it leaves the condition
     * before or after the unlock. With an early timeout the wait times out between lock and signal, or before the
     * lock, and then takes the mutex before or after the other thread does.
     */
    {"timed condition wait", timed_wait, {0, 0}, 1 + 2, 0, 2, 0},
    {"timed condition wait, 1", timed_wait, {0, 0}, 1 + 2 + 1 + 2, 0, 2, 1},
    {"timed condition wait, 2", timed_wait, {0, 0}, 1 + 2 + 1 + 2, 0, 2, 2},
    /* If the timed wait takes the signal, the other wait lasts for ever. The numbers are those of brute force. */
    {"timed and other condition wait", timed_wait, {1, 0}, 16, 12, 3, 0},
    {"timed and other condition wait, 1", timed_wait, {1, 0}, 54, 20, 3, 1},
    {"timed and other condition wait, 2", timed_wait, {1, 0}, 54, 20, 3, 2},
};

static void check_row(void **state) {
    const struct row *row = *state;
    struct sim_program p = sim_make(row->build, row->arg.n, row->arg.k);
    struct sim_options o = {.timeouts = row->timeouts};
    struct sim_result r, all;
    sim_explore(&p, "dfs", &o, &r);
    unit_count(row->name, "executions", r.executions, row->executions);
    unit_count(row->name, "deadlocks", r.deadlocks, row->deadlocks);
    unit_count(row->name, "ok", r.ok, row->executions - row->deadlocks);
    unit_count(row->name, "final states", r.finals, row->finals);
    unit_count(row->name, "repeated schedules", r.repeated, 0);
    assert_true(r.complete);
    sim_enumerate(&p, &o, &all);
    unit_count(row->name, "schedules by brute force", all.schedules, row->executions);
    unit_count(row->name, "executions of the brute force", all.executions, row->executions);
    assert_true(all.schedule_sum == r.schedule_sum);
    unit_count(row->name, "final states of the brute force", all.finals, row->finals);
    unit_count(row->name, "deadlocks of the brute force", all.deadlocks, row->deadlocks);
}

int test_primitive_counts(void) {
    static struct CMUnitTest tests[RD_COUNT(rows)];
    for (size_t i = 0; i < RD_COUNT(rows); i++) {
        tests[i] = (struct CMUnitTest){.name = rows[i].name, .test_func = check_row};
        tests[i].initial_state = (void *)&rows[i];
    }
    return cmocka_run_group_tests_name("counts of primitives", tests, NULL, NULL);
}
