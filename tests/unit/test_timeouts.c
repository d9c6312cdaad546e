/*
 * test_timeouts.c - waits with a deadline: the effect of a timeout in each model, and when the engine lets a wait
 * time out: at any time while the thread's allowance lasts; always when the deadline is past; and when no thread
 * can complete its operation the earliest deadline comes and the clock moves there.
 */
#include "unit.h"

#include "sim.h"
#include "unit_sim.h"
#include "unit_world.h"

#include <errno.h>

static struct unit_world u;
enum { M = 0x1000, CV = 0x3000, UNTIL = 50 };

static struct rd_op on(unsigned kind, uint64_t addr, uint64_t deadline) {
    return (struct rd_op){.kind = (uint8_t)kind, .addr = addr, .addr2 = addr == CV ? M : 0, .deadline = deadline};
}
#define LOCK on(RD_OP_MUTEX_LOCK, M, 0)
#define TIMEDLOCK on(RD_OP_MUTEX_LOCK, M, UNTIL)
#define UNLOCK on(RD_OP_MUTEX_UNLOCK, M, 0)
#define WAIT on(RD_OP_COND_WAIT, CV, 0)
#define WAKE on(RD_OP_COND_WAKE, CV, 0)
/* A timed wake does not name the mutex, which another operation takes again. */
static struct rd_op timed_wake(void) {
    return (struct rd_op){.kind = RD_OP_COND_WAKE, .addr = CV, .deadline = UNTIL};
}
#define TIMEDWAKE timed_wake()
static struct rd_op relock(void) {
    return (struct rd_op){.kind = RD_OP_MUTEX_LOCK, .addr = M, .arg = RD_MUTEX_RELOCK};
}
#define RELOCK relock()
#define SIGNAL on(RD_OP_COND_SIGNAL, CV, 0)

static struct rd_world *with_threads(uint32_t n) {
    struct rd_world *w = unit_world_new(&u);
    for (uint32_t i = 0; i < n; i++)
        unit_do(w, 0, (struct rd_op){.kind = RD_OP_CREATE});
    return w;
}

/* Makes the operation the thread's pending one, and returns whether it may time out. */
static bool may_give_up(struct rd_world *w, rd_tid tid, struct rd_op op) {
    w->threads[tid].pending = op;
    return rd_model_may_time_out(w, tid);
}

/* Times the operation out as its model says; by default ETIMEDOUT without another effect. */
static int give_up(struct rd_world *w, rd_tid tid, struct rd_op op) {
    struct rd_result r = {.error = ETIMEDOUT};
    assert_true(may_give_up(w, tid, op));
    if (rd_models[op.kind].time_out) {
        r.error = 0;
        rd_models[op.kind].time_out(w, tid, &op, &r);
    }
    return r.error;
}

static void a_deadline_counts_when_early_is_allowed_or_it_is_past(void **state) {
    (void)state;
    struct rd_world *w = with_threads(1);
    unit_do(w, 0, LOCK);
    assert_false(unit_can(w, 1, TIMEDLOCK));
    assert_true(may_give_up(w, 1, TIMEDLOCK));
    assert_false(may_give_up(w, 1, LOCK)); /* the operation has no deadline */
    w->timeouts = 1;
    assert_true(unit_can(w, 1, TIMEDLOCK));
    assert_false(rd_model_ready(w, 1)); /* enabled, but only for a timeout */
    assert_false(unit_can(w, 1, LOCK));
    w->threads[1].gave_up = 1;
    w->clock.now_ns = UNTIL - 1;
    assert_false(unit_can(w, 1, TIMEDLOCK));
    w->clock.now_ns = UNTIL;
    assert_true(unit_can(w, 1, TIMEDLOCK));
    assert_false(unit_can(w, 1, LOCK));
    w->threads[1].pending = TIMEDLOCK;
    w->threads[1].state = RD_T_FINISHED;
    assert_false(rd_model_may_time_out(w, 1));
}

static void timed_lock_of_a_free_mutex_takes_it(void **state) {
    (void)state;
    struct rd_world *w = with_threads(1);
    w->clock.now_ns = UNTIL + 1; /* at any time after the deadline */
    assert_int_equal(unit_do(w, 1, TIMEDLOCK).error, 0);
    assert_false(unit_can(w, 0, LOCK));
    struct rd_op checked = TIMEDLOCK;
    checked.arg = RD_MUTEX_ERRORCHECK;
    assert_int_equal(unit_do(w, 1, checked).error, EDEADLK);
    assert_null(rd_models[RD_OP_MUTEX_LOCK].time_out); /* a timeout has no effect on the mutex */
}

static void timed_wait_gives_up_while_another_has_the_mutex(void **state) {
    (void)state;
    struct rd_world *w = with_threads(2);
    unit_do(w, 1, LOCK);
    unit_do(w, 1, WAIT);
    assert_false(rd_model_may_time_out(w, 1) && rd_model_ready(w, 1));
    assert_true(may_give_up(w, 1, TIMEDWAKE));
    unit_do(w, 2, LOCK);
    assert_true(may_give_up(w, 1, TIMEDWAKE));
    w->timeouts = 1;
    assert_true(rd_model_enabled(w, 1));
    assert_int_equal(give_up(w, 1, TIMEDWAKE), ETIMEDOUT);
    assert_int_equal(unit_ways(w, 2, SIGNAL), 1);
    unit_do(w, 2, SIGNAL); /* the signal is lost: no thread waits any more */
    assert_false(unit_can(w, 1, RELOCK));
    unit_do(w, 2, UNLOCK);
    w->step = 8;
    assert_int_equal(unit_do(w, 1, RELOCK).error, 0);
    struct rd_op lock = LOCK;
    const struct rd_mutex *held = rd_models[RD_OP_MUTEX_LOCK].waits_for(w, 2, &lock);
    assert_int_equal(held->owner, 1);
    assert_int_equal(held->taken_at, 8);
    unit_do(w, 1, UNLOCK);
    assert_true(unit_can(w, 2, LOCK));
}

static void timed_wait_gives_up_with_the_depth_it_had(void **state) {
    (void)state;
    struct rd_world *w = with_threads(1);
    struct rd_op lock = LOCK, unlock = UNLOCK, wait = WAIT, wake = TIMEDWAKE, again = RELOCK;
    lock.arg = unlock.arg = wait.arg = wake.arg = RD_MUTEX_RECURSIVE;
    again.arg |= RD_MUTEX_RECURSIVE;
    unit_do(w, 1, lock);
    unit_do(w, 1, lock);
    unit_do(w, 1, wait);
    give_up(w, 1, wake);
    unit_do(w, 1, again);
    unit_do(w, 1, unlock);
    assert_false(unit_can(w, 0, lock));
    unit_do(w, 1, unlock);
    assert_true(unit_can(w, 0, lock));
}

/* Threads 1..n wait; then thread 1 times out and releases the mutex. */
static struct rd_world *first_of_waiters_gave_up(uint32_t n) {
    struct rd_world *w = with_threads(n);
    for (rd_tid t = 1; t <= n; t++) {
        unit_do(w, t, LOCK);
        unit_do(w, t, WAIT);
        w->threads[t].pending = t == 1 ? TIMEDWAKE : WAKE;
    }
    assert_int_equal(unit_ways(w, 0, SIGNAL), n);
    assert_int_equal(give_up(w, 1, TIMEDWAKE), ETIMEDOUT);
    unit_do(w, 1, RELOCK);
    unit_do(w, 1, UNLOCK);
    return w;
}

static void timed_wait_that_gave_up_takes_no_signal(void **state) {
    (void)state;
    struct rd_world *w = first_of_waiters_gave_up(3);
    w->signal_fifo = true;
    unit_do(w, 0, SIGNAL); /* the first remaining waiter is thread 2 */
    assert_true(unit_can(w, 2, WAKE));
    assert_false(unit_can(w, 3, WAKE));
    w = first_of_waiters_gave_up(3);
    assert_int_equal(unit_ways(w, 0, SIGNAL), 2);
    unit_do_way(w, 0, SIGNAL, 1);
    assert_true(unit_can(w, 3, WAKE));
    w = first_of_waiters_gave_up(1);
    unit_do(w, 0, SIGNAL); /* the signal is lost */
    unit_do(w, 1, LOCK);
    unit_do(w, 1, WAIT);
    assert_false(unit_can(w, 1, WAKE)); /* and does not count for the next wait */
}

static void timed_wait_that_was_signalled_does_not_give_up(void **state) {
    (void)state;
    struct rd_world *w = with_threads(1);
    unit_do(w, 1, LOCK);
    unit_do(w, 1, WAIT);
    w->clock.now_ns = UNTIL;
    w->timeouts = 1;
    unit_do(w, 0, SIGNAL);
    assert_true(unit_can(w, 1, TIMEDWAKE));
    assert_true(rd_model_ready(w, 1)); /* the engine times out only operations that are not ready */
    assert_int_equal(unit_do(w, 1, TIMEDWAKE).error, 0);
}

static void writer_that_gives_up_leaves_the_queue(void **state) {
    (void)state;
    for (uint64_t p = 0; p < 2; p++) {
        struct rd_world *w = with_threads(2);
        struct rd_op read = on(RD_OP_RWLOCK_RDLOCK, M, 0), write = on(RD_OP_RWLOCK_WRLOCK, M, UNTIL);
        read.arg = write.arg = p;
        unit_do(w, 1, read);
        if (p)
            unit_do(w, 2, on(RD_OP_RWLOCK_QUEUE, M, 0));
        assert_int_equal(unit_can(w, 0, read), !p);
        assert_int_equal(give_up(w, 2, write), ETIMEDOUT);
        assert_true(unit_can(w, 0, read));
        unit_do(w, 1, on(RD_OP_RWLOCK_UNLOCK, M, 0));
        assert_int_equal(unit_do(w, 0, read).error, 0); /* the timed-out writer did not take the lock */
    }
}

static void timed_join_leaves_the_thread_to_be_joined(void **state) {
    (void)state;
    struct rd_world *w = with_threads(1);
    struct rd_op join = {.kind = RD_OP_JOIN, .arg = 1, .deadline = UNTIL};
    assert_int_equal(give_up(w, 0, join), ETIMEDOUT);
    assert_int_equal(w->unjoined, 1);
    rd_thread_finish(w, 1);
    assert_true(unit_can(w, 0, join));
    assert_int_equal(unit_do(w, 0, join).error, 0);
    assert_int_equal(w->unjoined, 0);
    assert_int_equal(unit_do(w, 0, join).error, EINVAL); /* a refused join does not wait */
}

/* From here on with the engine. Threads of bare programs are the engine's 1, 2, … */

static void load(const struct sim_program *p, uint32_t timeouts) {
    sim_load(sim, p, &(struct sim_options){.timeouts = timeouts}, NULL);
}

static const struct rd_world *world(void) { return &sim->engine.world; }

/* The number of early timeouts of a thread. */
static uint32_t gave_up(rd_tid tid) { return world()->threads[tid].gave_up; }

static void every_thread_has_its_own_allowance(void **state) {
    (void)state;
    struct sim_program p = {.name = "its own"};
    SIM_THREAD(&p, do_sem_timedwait(0, 10, 0), do_sem_timedwait(0, 20, 0));
    SIM_THREAD(&p, do_sem_timedwait(0, 30, 0));
    SIM_THREAD(&p, do_write(0, 1), do_write(0, 2), do_write(0, 3));
    load(&p, 1);
    RUN(3, 1, 3, 3);
    /* the allowance of thread 1 is used up after its first timeout, that of thread 2 is not */
    static const uint16_t ncand[] = {3, 3, 2, 2, 1, 1};
    CHECK_THREADS(3, 1, 3, 3, 2, 1);
    for (uint32_t i = 0; i < RD_COUNT(ncand); i++)
        assert_int_equal(sim->rec.steps[i].ncand, ncand[i]);
    assert_int_equal(sim->rec.steps[1].result, ETIMEDOUT);
    assert_int_equal(sim->rec.out->verdict, RD_PASSED);
    assert_int_equal(gave_up(1), 1); /* its other timeout was due: the clock is at 30 */
    assert_int_equal(gave_up(2), 1);
    assert_int_equal(world()->clock.now_ns, 30);
}

/* An early timeout uses up allowance whether or not other threads are enabled. */
static void timeouts_use_allowance_without_other_enabled_threads(void **state) {
    (void)state;
    struct sim_program p = {.name = "must"};
    SIM_THREAD(&p, do_sem_timedwait(0, 10, 0), do_write(0, 1));
    load(&p, 2);
    RUN(1, 1);
    assert_int_equal(gave_up(1), 1);
    load(&p, 0);
    RUN(1, 1);
    CHECK_THREADS(1, 1); /* without an allowance the wait can time out as well */
    assert_int_equal(gave_up(1), 0);
}

static void operations_that_can_complete_do_not_time_out(void **state) {
    (void)state;
    struct sim_program p = {.name = "complete", .sems = {1}};
    SIM_THREAD(&p, do_sem_timedwait(0, 10, 0), do_sem_timedwait(1, 10, 1), do_timedlock(0, 10, 2));
    SIM_THREAD(&p, do_sleep(99), do_sem_post(1));
    load(&p, 1);
    RUN(2, 2, 1, 1, 1);
    for (int i = 0; i < 3; i++)
        assert_int_equal(sim->reg[0][i], 1);
    assert_int_equal(gave_up(1), 0);
    assert_int_equal(world()->clock.now_ns, 99);
}

static void a_deadline_that_is_past_is_enough(void **state) {
    (void)state;
    struct sim_program p = {.name = "past"};
    SIM_THREAD(&p, do_sem_timedwait(0, 10, 0));
    SIM_THREAD(&p, do_sleep(20), do_write(0, 1), do_write(0, 2));
    for (uint32_t timeouts = 0; timeouts < 2; timeouts++) {
        load(&p, timeouts);
        RUN(2, 2, 1, 2);
        assert_int_equal(sim->rec.out->verdict, RD_PASSED);
        assert_int_equal(sim->rec.steps[0].ncand, 1 + timeouts);
        assert_int_equal(sim->rec.steps[1].ncand, 2);
        assert_int_equal(sim->rec.steps[2].result, ETIMEDOUT);
        assert_int_equal(world()->clock.now_ns, 20); /* the clock does not go back to the deadline */
    }
}

static void time_passes_if_no_thread_is_enabled(void **state) {
    (void)state;
    struct sim_program p = {.name = "time passes"};
    SIM_THREAD(&p, do_sem_timedwait(0, 30, 0), do_write(0, 1));
    SIM_THREAD(&p, do_sem_timedwait(0, 20, 0), do_write(1, 1));
    SIM_THREAD(&p, do_sem_timedwait(0, 20, 0));
    load(&p, 0);
    RUN(3);
    CHECK_THREADS(3, 2, 2, 1, 1);
    assert_int_equal(sim->rec.steps[0].ncand, 2); /* the two waits with the earliest deadline */
    assert_int_equal(sim->rec.steps[1].ncand, 1); /* its deadline is past: it times out by itself */
    assert_int_equal(sim->rec.steps[2].ncand, 1); /* thread 1 still waits while another thread is enabled */
    assert_int_equal(world()->clock.now_ns, 30);
    assert_int_equal(sim->rec.out->verdict, RD_PASSED);
}

static void deadlock_is_when_no_deadline_is_left(void **state) {
    (void)state;
    struct sim_program p = {.name = "deadlock"};
    SIM_THREAD(&p, do_sem_wait(0));
    SIM_THREAD(&p, do_sem_timedwait(0, 10, 0), do_sem_timedwait(0, 20, 0), do_lock(0));
    for (uint32_t timeouts = 0; timeouts < 4; timeouts++) {
        load(&p, timeouts);
        RUN(2);
        CHECK_THREADS(2, 2, 2);
        assert_int_equal(sim->rec.out->finding.kind, RD_DEADLOCK);
        assert_int_equal(sim->rec.out->finding.tid, 1);
        assert_int_equal(world()->clock.now_ns, 20);
    }
}

/* A condition wait cannot return while another thread keeps its mutex for ever. */
static void deadlock_with_a_deadline(void **state) {
    (void)state;
    struct sim_program p = {.name = "sits on the mutex"};
    SIM_THREAD(&p, do_lock(0), do_timedwait(0, 0, 10, 0), do_unlock(0));
    SIM_THREAD(&p, do_lock(0), do_sem_wait(0));
    for (uint32_t timeouts = 0; timeouts < 2; timeouts++) {
        load(&p, timeouts);
        RUN(1, 1, 2);
        CHECK_THREADS(1, 1, 2, 1); /* thread 1 times out, and waits for the mutex */
        assert_int_equal(sim->rec.out->finding.kind, RD_DEADLOCK);
        assert_int_equal(sim->rec.threads[1].holder, 2);
    }
}

static void a_circle_of_timed_locks_comes_apart(void **state) {
    (void)state;
    struct sim_program p = {.name = "ABBA, one timed"};
    SIM_THREAD(&p, do_lock(0), do_timedlock(1, 10, 0), do_unlock(0));
    SIM_THREAD(&p, do_lock(1), do_lock(0), do_unlock(0), do_unlock(1));
    load(&p, 0);
    RUN(1, 2);
    CHECK_THREADS(1, 2, 1, 1, 2, 2, 2);
    assert_int_equal(sim->rec.out->verdict, RD_PASSED);
    assert_int_equal(sim->reg[0][0], 0);
}

static void timed_join_in_the_steps(void **state) {
    (void)state;
    struct sim_program p = {.name = "timed join", .main = true};
    SIM_THREAD(&p, do_spawn(1), do_timedjoin(1, 10, 0), do_timedjoin(1, 20, 1));
    SIM_THREAD(&p, do_write(0, 1), do_write(0, 2));
    load(&p, 1);
    RUN(0, 0, 1, 1, 0);
    const struct rd_step *s = sim->rec.steps;
    assert_int_equal(sim->rec.out->verdict, RD_PASSED);
    assert_int_equal(s[1].result, ETIMEDOUT);
    assert_int_equal(s[1].value, 1); /* the thread that is joined */
    assert_int_equal(s[4].result, 0);
    assert_int_equal(sim->reg[0][0], 0);
    assert_int_equal(sim->reg[0][1], 1);
}

int test_timeouts(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_deadline_counts_when_early_is_allowed_or_it_is_past),
        cmocka_unit_test(timed_lock_of_a_free_mutex_takes_it),
        cmocka_unit_test(timed_wait_gives_up_while_another_has_the_mutex),
        cmocka_unit_test(timed_wait_gives_up_with_the_depth_it_had),
        cmocka_unit_test(timed_wait_that_gave_up_takes_no_signal),
        cmocka_unit_test(timed_wait_that_was_signalled_does_not_give_up),
        cmocka_unit_test(writer_that_gives_up_leaves_the_queue),
        cmocka_unit_test(timed_join_leaves_the_thread_to_be_joined),
        cmocka_unit_test(every_thread_has_its_own_allowance),
        cmocka_unit_test(timeouts_use_allowance_without_other_enabled_threads),
        cmocka_unit_test(operations_that_can_complete_do_not_time_out),
        cmocka_unit_test(a_deadline_that_is_past_is_enough),
        cmocka_unit_test(time_passes_if_no_thread_is_enabled),
        cmocka_unit_test(deadlock_is_when_no_deadline_is_left),
        cmocka_unit_test(deadlock_with_a_deadline),
        cmocka_unit_test(a_circle_of_timed_locks_comes_apart),
        cmocka_unit_test(timed_join_in_the_steps),
    };
    return cmocka_run_group_tests_name("time-outs", tests, open_sim, close_sim);
}
