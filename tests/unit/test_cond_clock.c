/*
 * test_cond_clock.c - the models of condition variables (which waiter is woken, and when) and of the virtual clock.
 */
#include "unit.h"

#include "unit_world.h"

#include <errno.h>

static struct unit_world u;
enum { CV = 0x3000, M = 0x1000 };

static struct rd_op on_mutex(unsigned kind, enum rd_mutex_type type) {
    return (struct rd_op){.kind = (uint8_t)kind, .addr = M, .arg = type};
}
static struct rd_op on_cond(unsigned kind, enum rd_mutex_type type) {
    return (struct rd_op){.kind = (uint8_t)kind, .addr = CV, .addr2 = M, .arg = type};
}
#define LOCK on_mutex(RD_OP_MUTEX_LOCK, RD_MUTEX_NORMAL)
#define UNLOCK on_mutex(RD_OP_MUTEX_UNLOCK, RD_MUTEX_NORMAL)
#define WAIT on_cond(RD_OP_COND_WAIT, RD_MUTEX_NORMAL)
#define WAKE on_cond(RD_OP_COND_WAKE, RD_MUTEX_NORMAL)
#define SIGNAL on_cond(RD_OP_COND_SIGNAL, RD_MUTEX_NORMAL)
#define BROADCAST on_cond(RD_OP_COND_BROADCAST, RD_MUTEX_NORMAL)

/* Creates threads 1..n, which wait in this order; the main thread wakes them. */
static struct rd_world *with_waiters(uint32_t n) {
    struct rd_world *w = unit_world_new(&u);
    for (rd_tid t = 1; t <= n; t++) {
        unit_do(w, 0, (struct rd_op){.kind = RD_OP_CREATE});
        unit_do(w, t, LOCK);
        assert_int_equal(unit_do(w, t, WAIT).error, 0);
        assert_false(unit_can(w, t, WAKE));
    }
    return w;
}

static unsigned awake(struct rd_world *w, uint32_t n) {
    unsigned bits = 0;
    for (rd_tid t = 1; t <= n; t++)
        bits |= (unsigned)unit_can(w, t, WAKE) << t;
    return bits;
}

static void wait_gives_up_the_mutex_and_wake_takes_it(void **state) {
    (void)state;
    struct rd_world *w = with_waiters(1);
    unit_do(w, 0, LOCK); /* the mutex is free: the wait released it */
    struct rd_op wake = WAKE;
    assert_null(rd_models[RD_OP_COND_WAKE].waits_for(w, 1, &wake)); /* it waits for a signal, not for the mutex */
    unit_do(w, 0, SIGNAL);
    assert_false(unit_can(w, 1, WAKE)); /* signalled, but the mutex is held */
    assert_int_equal(rd_models[RD_OP_COND_WAKE].waits_for(w, 1, &wake)->owner, 0);
    unit_do(w, 0, UNLOCK);
    w->step = 9;
    unit_do(w, 1, WAKE);
    struct rd_op lock = LOCK;
    const struct rd_mutex *held = rd_models[RD_OP_MUTEX_LOCK].waits_for(w, 0, &lock);
    assert_int_equal(held->owner, 1);
    assert_int_equal(held->taken_at, 9);
    unit_do(w, 1, UNLOCK);
    assert_true(unit_can(w, 0, LOCK));
}

static void signal_without_waiters_is_lost(void **state) {
    (void)state;
    struct rd_world *w = unit_world_new(&u);
    assert_int_equal(unit_ways(w, 0, SIGNAL), 1);
    unit_do(w, 0, SIGNAL);
    unit_do(w, 0, BROADCAST);
    unit_do(w, 0, (struct rd_op){.kind = RD_OP_CREATE});
    unit_do(w, 1, LOCK);
    unit_do(w, 1, WAIT);
    assert_false(unit_can(w, 1, WAKE));
}

static void signal_wakes_the_chosen_waiter(void **state) {
    (void)state;
    for (uint32_t way = 0; way < 3; way++) {
        struct rd_world *w = with_waiters(3);
        assert_int_equal(unit_ways(w, 0, SIGNAL), 3);
        unit_do_way(w, 0, SIGNAL, way);
        assert_int_equal(awake(w, 3), 1u << (way + 1));
        /* a waiter that was signalled is no candidate of a signal, though it has not left the condition yet */
        assert_int_equal(unit_ways(w, 0, SIGNAL), 2);
        unit_do_way(w, 0, SIGNAL, 0);
        unit_do_way(w, 0, SIGNAL, 0);
        assert_int_equal(awake(w, 3), 0xe);
        assert_int_equal(unit_ways(w, 0, SIGNAL), 1);
    }
}

static void signal_fifo_wakes_the_first(void **state) {
    (void)state;
    struct rd_world *w = with_waiters(3);
    w->signal_fifo = true;
    for (rd_tid t = 1; t <= 3; t++) {
        assert_int_equal(unit_ways(w, 0, SIGNAL), 1);
        unit_do(w, 0, SIGNAL);
        assert_int_equal(awake(w, 3), 1u << t);
        unit_do(w, t, WAKE);
        unit_do(w, t, UNLOCK);
        w->threads[t].waiter.signalled = false; /* so that `awake` does not take it for a waiter */
    }
}

static void queue_is_in_order_of_arrival(void **state) {
    (void)state;
    struct rd_world *w = with_waiters(3);
    w->signal_fifo = true;
    unit_do(w, 0, SIGNAL);
    unit_do(w, 1, WAKE);
    unit_do(w, 1, WAIT); /* waits again: now it is the last in the queue */
    unit_do(w, 0, SIGNAL);
    assert_int_equal(awake(w, 3), 1u << 2);
    unit_do(w, 0, SIGNAL);
    assert_int_equal(awake(w, 3), 1u << 2 | 1u << 3);
    unit_do(w, 0, SIGNAL);
    assert_int_equal(awake(w, 3), 0xe);
}

static void broadcast_wakes_those_that_wait_now(void **state) {
    (void)state;
    struct rd_world *w = with_waiters(2);
    unit_do(w, 0, BROADCAST);
    assert_int_equal(awake(w, 2), 6);
    unit_do(w, 1, WAKE);
    unit_do(w, 1, WAIT); /* the wait began after the broadcast, which does not wake it */
    assert_int_equal(awake(w, 2), 4);
}

static void conditions_do_not_mix(void **state) {
    (void)state;
    struct rd_world *w = with_waiters(1);
    struct rd_op other = SIGNAL;
    other.addr = CV + 64;
    unit_do(w, 0, other);
    assert_int_equal(awake(w, 1), 0);
}

static void wait_needs_the_mutex(void **state) {
    (void)state;
    struct rd_world *w = unit_world_new(&u);
    unit_do(w, 0, (struct rd_op){.kind = RD_OP_CREATE});
    assert_int_equal(unit_do(w, 1, on_cond(RD_OP_COND_WAIT, RD_MUTEX_ERRORCHECK)).error, EPERM);
    assert_int_equal(unit_do(w, 1, on_cond(RD_OP_COND_WAIT, RD_MUTEX_RECURSIVE)).error, EPERM);
    assert_int_equal(unit_ways(w, 0, SIGNAL), 1); /* no thread has joined the queue */
    const struct rd_object *c = rd_world_find(&u.w, CV, RD_OBJ_COND);
    assert_true(c == NULL || c->cond.first == NULL);
}

static void wait_restores_the_depth_of_a_recursive_mutex(void **state) {
    (void)state;
    struct rd_world *w = unit_world_new(&u);
    unit_do(w, 0, (struct rd_op){.kind = RD_OP_CREATE});
    struct rd_op lock = on_mutex(RD_OP_MUTEX_LOCK, RD_MUTEX_RECURSIVE);
    struct rd_op unlock = on_mutex(RD_OP_MUTEX_UNLOCK, RD_MUTEX_RECURSIVE);
    unit_do(w, 1, lock);
    unit_do(w, 1, lock);
    unit_do(w, 1, on_cond(RD_OP_COND_WAIT, RD_MUTEX_RECURSIVE));
    unit_do(w, 0, lock); /* the mutex is free although it was locked twice */
    unit_do(w, 0, SIGNAL);
    unit_do(w, 0, unlock);
    unit_do(w, 1, on_cond(RD_OP_COND_WAKE, RD_MUTEX_RECURSIVE));
    unit_do(w, 1, unlock);
    assert_false(unit_can(w, 0, lock));
    unit_do(w, 1, unlock);
    assert_true(unit_can(w, 0, lock));
}

static void spurious_wakes_use_up_the_allowance(void **state) {
    (void)state;
    struct rd_world *w = with_waiters(3);
    w->spurious_left = 1;
    assert_int_equal(awake(w, 3), 0); /* threads that already wait were not chosen for a spurious wake-up */
    unit_do(w, 0, LOCK);
    assert_int_equal(unit_ways(w, 0, WAIT), 2);
    unit_do_way(w, 0, WAIT, 1);
    assert_int_equal(w->spurious_left, 0);
    assert_int_equal(unit_ways(w, 1, SIGNAL), 4); /* the thread is in the queue */
    assert_true(unit_can(w, 0, WAKE));
    unit_do(w, 0, WAKE);
    assert_int_equal(unit_ways(w, 0, WAIT), 1); /* the allowance of one spurious wake-up is used up */
    unit_do(w, 0, UNLOCK);
    assert_int_equal(unit_ways(w, 0, SIGNAL), 3); /* the thread left the queue */
    assert_int_equal(awake(w, 3), 0);
}

static void a_wait_that_is_refused_does_not_wake(void **state) {
    (void)state;
    struct rd_world *w = with_waiters(1);
    w->spurious_left = 1;
    assert_int_equal(unit_ways(w, 0, WAIT), 1); /* the thread does not hold the mutex */
    unit_do(w, 0, LOCK);
    struct rd_op other = WAIT;
    other.addr2 += 64;
    assert_int_equal(unit_ways(w, 0, other), 1);
    assert_int_equal(unit_ways(w, 0, WAIT), 2);
}

/* POSIX: a cancelled thread does not consume a signal that another thread waits for. */
static void a_cancelled_waiter_hands_its_signal_on(void **state) {
    (void)state;
    struct rd_world *w = with_waiters(2);
    struct rd_op cancel = {.kind = RD_OP_CANCEL, .arg = 1}, wake = WAKE;
    unit_do_way(w, 0, SIGNAL, 0);
    unit_do(w, 0, cancel);
    w->threads[1].pending = wake;
    assert_false(rd_model_cancelled(w, 1)); /* returning normally is another way of the operation */
    assert_int_equal(unit_ways(w, 1, wake), 2);
    assert_false(unit_can(w, 2, WAKE));
    assert_int_equal(unit_do_way(w, 1, wake, 1).error, ECANCELED);
    assert_true(unit_can(w, 2, WAKE));
    unit_do(w, 0, LOCK); /* the cancelled thread has not locked the mutex again yet */
    struct rd_op relock = LOCK;
    relock.arg |= RD_MUTEX_RELOCK;
    assert_false(unit_can(w, 1, relock));
    unit_do(w, 0, UNLOCK);
    assert_true(unit_do(w, 1, relock).cancelled);
    assert_false(unit_can(w, 2, WAKE));
}

static void a_waiter_is_cancelled_while_another_has_the_mutex(void **state) {
    (void)state;
    struct rd_world *w = with_waiters(1);
    unit_do(w, 0, LOCK);
    unit_do(w, 0, (struct rd_op){.kind = RD_OP_CANCEL, .arg = 1});
    assert_true(unit_can(w, 1, WAKE));
    assert_true(rd_model_cancelled(w, 1));
}

static void cond_init_forgets(void **state) {
    (void)state;
    struct rd_world *w = with_waiters(1);
    unit_do(w, 0, on_cond(RD_OP_COND_INIT, RD_MUTEX_NORMAL));
    assert_int_equal(unit_ways(w, 0, SIGNAL), 1);
    unit_do(w, 0, BROADCAST);
    assert_int_equal(awake(w, 1), 0);
}

/* Memory that is used again without an initialisation: the state of the old object does not count. */
static void an_address_can_become_another_object(void **state) {
    (void)state;
    struct rd_world *w = with_waiters(1);
    struct rd_op lock = LOCK;
    lock.addr = CV;
    assert_int_equal(unit_do(w, 0, lock).error, 0);
    assert_false(unit_can(w, 1, lock));
    assert_int_equal(unit_ways(w, 0, SIGNAL), 1);
    unit_do(w, 0, SIGNAL); /* the memory is a condition again, without waiters */
    assert_int_equal(awake(w, 1), 0);
    assert_true(unit_can(w, 1, lock));
}

static void clock_moves_with_readings_and_sleeps(void **state) {
    (void)state;
    struct rd_world *w = unit_world_new(&u);
    for (int round = 0; round < 3; round++) {
        uint64_t before = rd_clock_read(w, 0);
        unit_do(w, 0, (struct rd_op){.kind = RD_OP_SLEEP, .arg = 3000000000});
        uint64_t now = rd_clock_read(w, 0);
        assert_int_equal(now - before, 3000001000);
        for (int i = 0; i < 7; i++) { /* the first readings after a sleep are a measurement: a microsecond each */
            before = now;
            now = rd_clock_read(w, 0);
            assert_int_equal(now - before, 1000);
        }
        assert_int_equal(rd_clock_read(w, 0) - now, 2000);
    }
}

static void clock_runs_ever_faster_for_a_thread_that_only_reads_it(void **state) {
    (void)state;
    struct rd_world *w = unit_world_new(&u);
    unit_do(w, 0, (struct rd_op){.kind = RD_OP_CREATE});
    unit_do(w, 0, (struct rd_op){.kind = RD_OP_CREATE});
    uint64_t start = rd_clock_read(w, 1), last = start, step = 0;
    int readings = 0;
    while (last < start + 60000000000) { /* a loop that waits for a minute to pass ends soon */
        uint64_t now = rd_clock_read(w, 1);
        /* a step is never shorter than the one before, and never longer than about a second */
        assert_true(now - last >= step && now - last <= 1 << 30);
        step = now - last;
        last = now;
        readings++;
    }
    assert_true(readings < 300);
    assert_int_equal(rd_clock_read(w, 2) - last, 1000); /* another thread's reading is a measurement of its own */
}

int test_cond_clock(void) {
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(wait_gives_up_the_mutex_and_wake_takes_it),
        cmocka_unit_test(signal_without_waiters_is_lost),
        cmocka_unit_test(signal_wakes_the_chosen_waiter),
        cmocka_unit_test(signal_fifo_wakes_the_first),
        cmocka_unit_test(queue_is_in_order_of_arrival),
        cmocka_unit_test(broadcast_wakes_those_that_wait_now),
        cmocka_unit_test(conditions_do_not_mix),
        cmocka_unit_test(wait_needs_the_mutex),
        cmocka_unit_test(wait_restores_the_depth_of_a_recursive_mutex),
        cmocka_unit_test(spurious_wakes_use_up_the_allowance),
        cmocka_unit_test(a_wait_that_is_refused_does_not_wake),
        cmocka_unit_test(a_cancelled_waiter_hands_its_signal_on),
        cmocka_unit_test(a_waiter_is_cancelled_while_another_has_the_mutex),
        cmocka_unit_test(cond_init_forgets),
        cmocka_unit_test(an_address_can_become_another_object),
        cmocka_unit_test(clock_moves_with_readings_and_sleeps),
        cmocka_unit_test(clock_runs_ever_faster_for_a_thread_that_only_reads_it),
    };
    return cmocka_run_group_tests_name("conditions and clock", tests, NULL, NULL);
}
