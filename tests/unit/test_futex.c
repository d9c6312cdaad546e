/* test_futex.c - the model of futexes: waiting, wake-ups, moving waiters to another futex, and timeouts. */
#include "unit.h"

#include "trace/hb_class.h"
#include "unit_world.h"

#include <errno.h>

static struct unit_world u;
enum { A = 0x4000, B = 0x4004, C = 0x5000, MANY = 1000 };
static const struct rd_op WOKEN = {.kind = RD_OP_FUTEX_WOKEN, .addr = A};

static struct rd_op on(unsigned kind, uint64_t addr, uint64_t arg) {
    return (struct rd_op){.kind = (uint8_t)kind, .addr = addr, .arg = arg};
}
static struct rd_op wait_for(uint32_t bitset) { return on(RD_OP_FUTEX_WAIT, A, RD_FUTEX_ARG(0, bitset)); }
static struct rd_op wake(uint64_t addr, uint32_t count, uint32_t bitset) {
    return on(RD_OP_FUTEX_WAKE, addr, RD_FUTEX_ARG(count, bitset));
}
static struct rd_op requeue(uint64_t from, uint64_t to, uint32_t wakes, uint32_t moves) {
    struct rd_op op = on(RD_OP_FUTEX_REQUEUE, from, RD_FUTEX_REQUEUE_ARG(0, wakes, moves));
    op.addr2 = to;
    op.place2 = to + 1;
    return op;
}

/*
 * Creates threads 1..n, which wait at A in this order, thread t for the wake-ups of bitset[t - 1]; the main thread
 * wakes them.
 */
static struct rd_world *with_waiters(uint32_t n, const uint32_t *bitset) {
    struct rd_world *w = unit_world_new(&u);
    for (rd_tid t = 1; t <= n; t++) {
        unit_do(w, 0, (struct rd_op){.kind = RD_OP_CREATE});
        assert_int_equal(unit_do(w, t, wait_for(bitset ? bitset[t - 1] : RD_FUTEX_ANY)).error, 0);
        assert_false(unit_can(w, t, WOKEN));
    }
    return w;
}

/* The enabled threads as bits. Their pending operations stay as they are. */
static unsigned awake(const struct rd_world *w, uint32_t n) {
    unsigned bits = 0;
    for (rd_tid t = 1; t <= n; t++)
        bits |= (unsigned)rd_model_enabled(w, t) << t;
    return bits;
}

static uint32_t word;
static int compare(uint64_t addr, uint32_t expected) { return addr == C ? EFAULT : expected == word ? 0 : EAGAIN; }

static void wait_compares_first(void **state) {
    (void)state;
    struct rd_world *w = unit_world_new(&u);
    w->compare = compare;
    word = 7;
    assert_int_equal(unit_do(w, 0, on(RD_OP_FUTEX_WAIT, A, RD_FUTEX_ARG(6, RD_FUTEX_ANY))).error, EAGAIN);
    assert_int_equal(unit_do(w, 0, on(RD_OP_FUTEX_WAIT, C, RD_FUTEX_ARG(7, RD_FUTEX_ANY))).error, EFAULT);
    unit_do(w, 0, (struct rd_op){.kind = RD_OP_CREATE});
    assert_int_equal(unit_do(w, 1, wake(A, 1, RD_FUTEX_ANY)).value, 0); /* neither thread is in the queue */
    assert_int_equal(unit_do(w, 0, on(RD_OP_FUTEX_WAIT, A, RD_FUTEX_ARG(7, RD_FUTEX_ANY))).error, 0);
    assert_int_equal(unit_do(w, 1, wake(A, 1, RD_FUTEX_ANY)).value, 1);
}

static void wake_of_one_takes_any(void **state) {
    (void)state;
    for (uint32_t way = 0; way < 3; way++) {
        struct rd_world *w = with_waiters(3, NULL);
        assert_int_equal(unit_ways(w, 0, wake(A, 1, RD_FUTEX_ANY)), 3);
        assert_int_equal(unit_do_way(w, 0, wake(A, 1, RD_FUTEX_ANY), way).value, 1);
        assert_int_equal(awake(w, 3), 1u << (way + 1));
        /* the woken thread has left the queue already */
        assert_int_equal(unit_ways(w, 0, wake(A, 1, RD_FUTEX_ANY)), 2);
    }
}

static void wake_of_several_is_in_order(void **state) {
    (void)state;
    struct rd_world *w = with_waiters(3, NULL);
    assert_int_equal(unit_ways(w, 0, wake(A, 2, RD_FUTEX_ANY)), 1);
    assert_int_equal(unit_do(w, 0, wake(A, 2, RD_FUTEX_ANY)).value, 2);
    assert_int_equal(awake(w, 3), 1u << 1 | 1u << 2);
    assert_int_equal(unit_do(w, 0, wake(A, MANY, RD_FUTEX_ANY)).value, 1);
    assert_int_equal(unit_do(w, 0, wake(A, MANY, RD_FUTEX_ANY)).value, 0);
    assert_int_equal(unit_ways(w, 0, wake(B, 1, RD_FUTEX_ANY)), 1); /* no thread has ever waited at B */
}

static void fifo_leaves_no_choice(void **state) {
    (void)state;
    struct rd_world *w = with_waiters(3, NULL);
    w->signal_fifo = true;
    assert_int_equal(unit_ways(w, 0, wake(A, 1, RD_FUTEX_ANY)), 1);
    unit_do(w, 0, wake(A, 1, RD_FUTEX_ANY));
    assert_int_equal(awake(w, 3), 1u << 1);
}

static void bitset_selects(void **state) {
    (void)state;
    static const uint32_t bits[] = {1, 2, 3};
    struct rd_world *w = with_waiters(3, bits);
    assert_int_equal(unit_ways(w, 0, wake(A, 1, 4)), 1);
    assert_int_equal(unit_do(w, 0, wake(A, MANY, 4)).value, 0);
    assert_int_equal(unit_ways(w, 0, wake(A, 1, 2)), 2);
    assert_int_equal(unit_do_way(w, 0, wake(A, 1, 2), 1).value, 1); /* the second waiter that matches is thread 3 */
    assert_int_equal(awake(w, 3), 1u << 3);
    assert_int_equal(unit_do(w, 0, wake(A, MANY, 2)).value, 1);
    assert_int_equal(awake(w, 3), 1u << 2 | 1u << 3);
}

static void requeue_wakes_some_and_moves_others(void **state) {
    (void)state;
    struct rd_world *w = with_waiters(4, NULL);
    assert_int_equal(unit_ways(w, 0, requeue(A, B, 1, MANY)), 4);
    assert_int_equal(unit_do_way(w, 0, requeue(A, B, 1, 2), 1).value, 3);
    assert_int_equal(awake(w, 4), 1u << 2);
    assert_int_equal(w->threads[1].pending.addr2, B);
    assert_int_equal(w->threads[1].pending.place2, B + 1);
    assert_int_equal(w->threads[4].pending.addr2, 0); /* thread 4 was not moved */
    assert_int_equal(unit_do(w, 0, wake(A, MANY, RD_FUTEX_ANY)).value, 1);
    assert_int_equal(unit_do(w, 0, wake(B, MANY, RD_FUTEX_ANY)).value, 2);
    assert_int_equal(awake(w, 4), 0x1e);
}

static void requeue_there_and_back(void **state) {
    (void)state;
    struct rd_world *w = with_waiters(2, NULL);
    assert_int_equal(unit_do(w, 0, requeue(A, B, 0, 1)).value, 1);
    assert_int_equal(unit_do(w, 0, requeue(B, A, 0, MANY)).value, 1);
    assert_int_equal(w->threads[1].pending.addr2, 0);
    /* the waiters are counted, and keep their order */
    assert_int_equal(unit_do(w, 0, requeue(A, A, 0, MANY)).value, 2);
    w->signal_fifo = true;
    unit_do(w, 0, wake(A, 1, RD_FUTEX_ANY));
    assert_int_equal(awake(w, 2), 1u << 2); /* thread 1 has come back behind thread 2 */
}

static void requeue_compares(void **state) {
    (void)state;
    struct rd_world *w = with_waiters(1, NULL);
    w->compare = compare;
    word = 7;
    struct rd_op op = requeue(A, B, 1, 1);
    op.kind = RD_OP_FUTEX_CMP_REQUEUE;
    assert_int_equal(unit_do(w, 0, op).error, EAGAIN);
    assert_int_equal(awake(w, 1), 0);
    op.arg = RD_FUTEX_REQUEUE_ARG(7, 0x7fffffff, 0x7fffffff);
    assert_int_equal(unit_do(w, 0, op).value, 1);
    assert_int_equal(awake(w, 1), 1u << 1);
}

static void wake_op_wakes_at_its_second_word(void **state) {
    (void)state;
    struct rd_world *w = with_waiters(2, NULL);
    struct rd_op op = on(RD_OP_FUTEX_WAKE_OP, B, 1);
    op.addr2 = A;
    assert_int_equal(unit_ways(w, 0, op), 2);
    assert_int_equal(unit_do_way(w, 0, op, 1).value, 1);
    assert_int_equal(awake(w, 2), 1u << 2);
}

static void a_timed_out_waiter_leaves_the_queue(void **state) {
    (void)state;
    struct rd_world *w = with_waiters(2, NULL);
    struct rd_result r = {0};
    struct rd_op timed = WOKEN;
    timed.deadline = 1000;
    w->threads[1].pending = timed;
    assert_true(rd_model_may_time_out(w, 1));
    unit_do(w, 0, requeue(A, B, 0, 1)); /* the timeout then concerns the futex that the thread was moved to */
    struct rd_op pending = w->threads[1].pending;
    rd_models[RD_OP_FUTEX_WOKEN].time_out(w, 1, &pending, &r);
    assert_int_equal(r.error, ETIMEDOUT);
    assert_int_equal(unit_do(w, 0, wake(B, MANY, RD_FUTEX_ANY)).value, 0);
    assert_int_equal(unit_do(w, 0, wake(A, MANY, RD_FUTEX_ANY)).value, 1);
}

static void a_signal_ends_the_wait(void **state) {
    (void)state;
    struct rd_world *w = with_waiters(3, NULL);
    const struct rd_op leave = on(RD_OP_FUTEX_LEAVE, A, 0);
    assert_int_equal(unit_do(w, 1, leave).error, EINTR);
    assert_int_equal(unit_ways(w, 0, wake(A, 1, RD_FUTEX_ANY)), 2);
    unit_do(w, 0, wake(A, 1, RD_FUTEX_ANY));
    assert_int_equal(unit_do(w, 2, leave).error, 0); /* the wake-up came first */
    /* the signal handler of thread 3 waits, too: the thread has left its place in the queue before */
    assert_int_equal(unit_do(w, 3, leave).error, EINTR);
    assert_int_equal(unit_do(w, 0, wake(A, 1, RD_FUTEX_ANY)).value, 0);
    unit_do(w, 3, wait_for(RD_FUTEX_ANY));
    assert_int_equal(unit_do(w, 0, requeue(A, B, 0, MANY)).value, 1);
    assert_int_equal(unit_do(w, 3, leave).error, EINTR); /* the thread leaves the queue that it was moved to */
    assert_int_equal(unit_do(w, 0, wake(B, MANY, RD_FUTEX_ANY)).value, 0);
}

static void without_a_wake_up_while_the_allowance_lasts(void **state) {
    (void)state;
    struct rd_world *w = with_waiters(2, NULL);
    unit_do(w, 0, (struct rd_op){.kind = RD_OP_CREATE});
    w->spurious_left = 1;
    assert_int_equal(awake(w, 2), 0);
    assert_int_equal(unit_ways(w, 3, wait_for(RD_FUTEX_ANY)), 2);
    unit_do_way(w, 3, wait_for(RD_FUTEX_ANY), 1);
    assert_int_equal(w->spurious_left, 0);
    assert_int_equal(unit_ways(w, 0, wake(A, 1, RD_FUTEX_ANY)), 3); /* the thread is in the queue */
    assert_int_equal(unit_do(w, 3, WOKEN).error, 0);
    assert_int_equal(awake(w, 2), 0);
    assert_int_equal(unit_do(w, 0, wake(A, MANY, RD_FUTEX_ANY)).value, 2);
    w->spurious_left = 1;
    w->compare = compare;
    word = 1;
    /* the value differs, so the thread does not wait */
    assert_int_equal(unit_ways(w, 3, wait_for(RD_FUTEX_ANY)), 1);
}

/* A wait reads memory and joins a queue: it depends on writes of the word and on wake-ups of the queue. */
static void commutes(struct rd_op x, struct rd_op y, bool expected) {
    struct rd_hb_class o[2];
    for (int turn = 0; turn < 2; turn++) {
        struct rd_world *w = unit_world_new(&u);
        rd_hb_class_init(&o[turn], w->arena);
        unit_order(&o[turn], turn ? 2 : 1, turn ? &y : &x, RD_TID_NONE);
        unit_order(&o[turn], turn ? 1 : 2, turn ? &x : &y, RD_TID_NONE);
    }
    assert_int_equal(o[0].hash[0] == o[1].hash[0], expected);
}

static void waits_are_ordered_with_writes_and_wakes(void **state) {
    (void)state;
    struct rd_op wait = wait_for(RD_FUTEX_ANY), write = on(RD_OP_ATOMIC_STORE, A, 0), read = on(RD_OP_READ, A, 0);
    wait.size = write.size = read.size = 4;
    commutes(wait, write, false);
    commutes(wait, read, true);
    commutes(wait, wake(A, 1, RD_FUTEX_ANY), false);
    commutes(wait, wake(B, 1, RD_FUTEX_ANY), true);
    commutes(write, wake(A, 1, RD_FUTEX_ANY), true); /* a wake-up does not read the word */
    commutes(wait, requeue(B, A, 1, 1), false);
}

int test_futex(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wait_compares_first),
        cmocka_unit_test(wake_of_one_takes_any),
        cmocka_unit_test(wake_of_several_is_in_order),
        cmocka_unit_test(fifo_leaves_no_choice),
        cmocka_unit_test(bitset_selects),
        cmocka_unit_test(requeue_wakes_some_and_moves_others),
        cmocka_unit_test(requeue_there_and_back),
        cmocka_unit_test(requeue_compares),
        cmocka_unit_test(wake_op_wakes_at_its_second_word),
        cmocka_unit_test(a_timed_out_waiter_leaves_the_queue),
        cmocka_unit_test(a_signal_ends_the_wait),
        cmocka_unit_test(without_a_wake_up_while_the_allowance_lasts),
        cmocka_unit_test(waits_are_ordered_with_writes_and_wakes),
    };
    return cmocka_run_group_tests_name("futex", tests, NULL, NULL);
}
