/*
 * futex.c - futexes: a queue of waiters at each address. A wait is two operations: `wait` compares the word and
 * joins the queue in one step, and `woken`, which is enabled once the thread was woken, ends the wait. A wake-up
 * takes the waiters that it wakes out of the queue, as the kernel does. Which waiter a wake-up of one thread takes
 * is a choice (a way), unless the configuration asks for FIFO; a wake-up of several takes them in order of arrival.
 * As long as rd_world.spurious_left allows it, it is a choice (a way) of `wait` whether the wait may return without
 * a wake-up. Such a wait can return at any time, and a wake-up can still come first.
 *
 * The word itself is in the program's memory: w->compare reads it in the step of the operation.
 *
 * A wake-up that wakes a thread opens a gate of the word (event.h), and the pending `woken` of that thread gets the
 * number of the gate as its argument. So the end of the wait depends on that gate and no longer on the queue. A
 * requeue and a wake-op, which do more than wake, have no gates.
 *
 * op->addr of `woken` is the word of its wait. When a requeue has moved the thread to another queue, op->addr2 of
 * its pending operation is the word at which it waits now.
 */
#include "model/primitives.h"

#include <errno.h>

static struct rd_futex *queue_at(struct rd_world *w, uint64_t addr) {
    return &rd_world_object(w, addr, RD_OBJ_FUTEX)->futex;
}

static void join_queue(struct rd_world *w, uint64_t addr, struct rd_waiter *me) {
    struct rd_waiter **tail = &queue_at(w, addr)->first;
    while (*tail)
        tail = &(*tail)->next;
    me->next = NULL;
    me->queue = addr;
    RD_ASSERT(addr != 0); /* 0 stands for no queue */
    *tail = me;
}

RD_MODEL_WAYS(rd_futex_wait_ways) {
    (void)tid;
    bool waits = w->spurious_left && !(w->compare && w->compare(op->addr, (uint32_t)op->arg));
    return waits ? 2 : 1;
}

RD_MODEL_PERFORM(rd_futex_wait) {
    r->error = w->compare ? w->compare(op->addr, (uint32_t)op->arg) : 0;
    if (r->error)
        return;
    RD_CHECK(way <= w->spurious_left);
    struct rd_waiter *me = rd_waiter_begin(w, tid);
    me->bitset = (uint32_t)(op->arg >> 32);
    me->spurious = way == 1;
    w->spurious_left -= way;
    join_queue(w, op->addr, me);
}

RD_MODEL_ENABLED(rd_futex_woken_enabled) {
    (void)op;
    return w->threads[tid].waiter.signalled || w->threads[tid].waiter.spurious;
}

RD_MODEL_PERFORM(rd_futex_woken) {
    (void)op;
    (void)way;
    (void)r;
    RD_CHECK(w->threads[tid].waiter.signalled || w->threads[tid].waiter.spurious);
    rd_waiter_end(w, tid);
}

RD_MODEL_TIME_OUT(rd_futex_time_out) {
    (void)op;
    rd_waiter_end(w, tid);
    r->error = ETIMEDOUT;
}

/*
 * A signal has interrupted the wait, and its handler is to run: the wait fails with EINTR, unless a wake-up has
 * come first. As in the kernel the thread is in no queue while the handler runs, so no wake-up is lost on it.
 */
RD_MODEL_PERFORM(rd_futex_leave) {
    (void)op;
    (void)way;
    r->error = w->threads[tid].waiter.signalled ? 0 : EINTR;
    rd_waiter_end(w, tid);
}

static uint32_t count_matching(const struct rd_world *w, uint64_t addr, uint32_t bitset) {
    const struct rd_object *o = rd_world_find(w, addr, RD_OBJ_FUTEX);
    uint32_t n = 0;
    for (const struct rd_waiter *p = o ? o->futex.first : NULL; p; p = p->next)
        n += (p->bitset & bitset) != 0;
    return n;
}

/* Returns in how many ways `count` of the waiters can be woken, at least 1. */
static uint32_t wake_ways(const struct rd_world *w, uint64_t addr, uint32_t count, uint32_t bitset) {
    uint32_t n = count == 1 && !w->signal_fifo ? count_matching(w, addr, bitset) : 1;
    return RD_MAX(n, 1u);
}

/*
 * Tells a woken waiter by which gate it goes on. A waiter that could have returned without a wake-up depends on the
 * queue in any case, so it gets no gate.
 */
static void set_gate(struct rd_world *w, const struct rd_waiter *x, uint32_t gate) {
    struct rd_op *woken = &w->threads[x->tid].pending;
    if (woken->kind == RD_OP_FUTEX_WOKEN &&
        !x->spurious) /* another kind: it runs a signal handler within the wait */
        woken->arg = gate;
}

/* Wakes up to `count` waiters whose bit set matches, from number `skip` of the matching ones on. */
static uint32_t wake(struct rd_world *w, uint64_t addr, uint32_t count, uint32_t bitset, uint32_t skip,
                     uint32_t gate) {
    struct rd_waiter **p = &queue_at(w, addr)->first;
    uint32_t woken = 0;
    while (*p && woken < count) {
        struct rd_waiter *x = *p;
        if (!(x->bitset & bitset) || skip > 0) {
            skip -= (x->bitset & bitset) != 0;
            p = &x->next;
            continue;
        }
        x->signalled = true;
        x->queue = 0;
        *p = x->next;
        set_gate(w, x, gate);
        woken++;
    }
    RD_ASSERT(skip == 0 || woken == 0);
    return woken;
}

RD_MODEL_WAYS(rd_futex_wake_ways) {
    (void)tid;
    return wake_ways(w, op->addr, (uint32_t)op->arg, (uint32_t)(op->arg >> 32));
}

RD_MODEL_PERFORM(rd_futex_wake) {
    (void)tid;
    struct rd_object *o = rd_world_object(w, op->addr, RD_OBJ_FUTEX);
    RD_ASSERT(way < wake_ways(w, op->addr, (uint32_t)op->arg, (uint32_t)(op->arg >> 32)));
    r->value = wake(w, op->addr, (uint32_t)op->arg, (uint32_t)(op->arg >> 32), way, o->gates + 1);
    r->gate = r->value ? ++o->gates : 0;
}

/* The first half of a wake-op. It wakes in the queue at addr2, since addr is the word that the wake-op changes. */
RD_MODEL_WAYS(rd_futex_wake_op_ways) {
    (void)tid;
    return wake_ways(w, op->addr2, (uint32_t)op->arg, RD_FUTEX_ANY);
}

RD_MODEL_PERFORM(rd_futex_wake_op) {
    (void)tid;
    RD_ASSERT(way < wake_ways(w, op->addr2, (uint32_t)op->arg, RD_FUTEX_ANY));
    r->value = wake(w, op->addr2, (uint32_t)op->arg, RD_FUTEX_ANY, way, 0);
}

/*
 * Moves up to `count` waiters to the queue at addr2, and lets their pending operations name it. Returns the number
 * of waiters that were moved.
 */
static uint32_t move_waiters(struct rd_world *w, const struct rd_op *op, uint32_t count) {
    struct rd_futex *from = queue_at(w, op->addr);
    uint32_t moved = 0;
    if (op->addr == op->addr2) /* the kernel counts them, and they stay where they are */
        return RD_MIN(count_matching(w, op->addr, RD_FUTEX_ANY), count);
    while (from->first && moved < count) {
        struct rd_waiter *x = from->first;
        struct rd_op *woken = &w->threads[x->tid].pending;
        from->first = x->next;
        join_queue(w, op->addr2, x);
        moved++;
        if (woken->kind != RD_OP_FUTEX_WOKEN) /* it runs a signal handler within the wait */
            continue;
        bool home = op->addr2 == woken->addr;
        woken->addr2 = home ? 0 : op->addr2;
        woken->place2 = home ? 0 : op->place2;
    }
    return moved;
}

RD_MODEL_WAYS(rd_futex_requeue_ways) {
    (void)tid;
    return wake_ways(w, op->addr, RD_FUTEX_WAKES(op->arg), RD_FUTEX_ANY);
}

RD_MODEL_PERFORM(rd_futex_requeue) {
    (void)tid;
    if (op->kind == RD_OP_FUTEX_CMP_REQUEUE && w->compare)
        r->error = w->compare(op->addr, (uint32_t)op->arg);
    if (r->error)
        return;
    RD_ASSERT(way < wake_ways(w, op->addr, RD_FUTEX_WAKES(op->arg), RD_FUTEX_ANY));
    uint32_t woken = wake(w, op->addr, RD_FUTEX_WAKES(op->arg), RD_FUTEX_ANY, way, 0);
    r->value = woken + move_waiters(w, op, RD_FUTEX_MOVES(op->arg));
}
