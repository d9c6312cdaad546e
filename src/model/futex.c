/*
 * futex.c - futexes: a queue of waiters at each address. A wait is two operations: `wait` compares the word and
 * joins the queue, as one, `woken` leaves it; it is enabled when somebody woke the thread. Who is woken leaves the
 * queue at once, as in the kernel. Which waiter a wake-up of one takes is a choice (a way), unless FIFO is asked
 * for; several are taken in order of arrival. While the execution's allowance lasts, whether a wait returns without
 * a wake-up is a choice (a way) of `wait`; one that does so returns at any time, and a wake-up can still come
 * first.
 *
 * The word itself is the program's memory: w->compare looks at it when the operation happens.
 *
 * A wake-up that wakes somebody has a number (a turn of the word's), and `woken` has it as its argument: who was
 * woken has to do with that, and no more with the queue. Those that do more than wake have none.
 *
 * `woken` has the word of its wait in op->addr; when the thread was moved to another queue, op->addr2 of its
 * pending operation is the word where it waits now.
 */
#include "model/model.h"

#include <errno.h>

static struct rd_futex *queue_at(struct rd_world *w, uint64_t addr) {
    return &rd_world_object(w, addr, RD_OBJ_FUTEX)->futex;
}

static void join_queue(struct rd_world *w, uint64_t addr, struct rd_waiter *me) {
    struct rd_waiter **tail = &queue_at(w, addr)->first;
    while (*tail)
        tail = &(*tail)->next;
    me->next = NULL;
    me->at = addr;
    *tail = me;
}

static void leave(struct rd_world *w, struct rd_waiter *me) {
    if (!me->at)
        return;
    struct rd_waiter **p = &queue_at(w, me->at)->first;
    while (*p && *p != me)
        p = &(*p)->next;
    if (*p)
        *p = me->next;
    me->at = 0;
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
    struct rd_waiter *me = &w->threads[tid].waiter;
    leave(w, me); /* this may be a signal handler that interrupts a wait */
    *me = (struct rd_waiter){.tid = tid, .bitset = (uint32_t)(op->arg >> 32), .unasked = way == 1};
    w->spurious_left -= way;
    join_queue(w, op->addr, me);
}

RD_MODEL_ENABLED(rd_futex_woken_enabled) {
    (void)op;
    return w->threads[tid].waiter.signalled || w->threads[tid].waiter.unasked;
}

RD_MODEL_PERFORM(rd_futex_woken) {
    (void)op;
    (void)way;
    (void)r;
    leave(w, &w->threads[tid].waiter);
}

RD_MODEL_TIME_OUT(rd_futex_time_out) {
    (void)op;
    leave(w, &w->threads[tid].waiter);
    r->error = ETIMEDOUT;
}

/* A signal has ended the wait, unless a wake-up came first: then the wait was a success. */
RD_MODEL_PERFORM(rd_futex_leave) {
    (void)op;
    (void)way;
    r->error = w->threads[tid].waiter.signalled ? 0 : EINTR;
    leave(w, &w->threads[tid].waiter);
}

static uint32_t matching(const struct rd_world *w, uint64_t addr, uint32_t bitset) {
    const struct rd_object *o = rd_world_find(w, addr, RD_OBJ_FUTEX);
    uint32_t n = 0;
    for (const struct rd_waiter *p = o ? o->futex.first : NULL; p; p = p->next)
        n += (p->bitset & bitset) != 0;
    return n;
}

/* In how many ways `count` of the waiters can be woken. */
static uint32_t wake_ways(const struct rd_world *w, uint64_t addr, uint32_t count, uint32_t bitset) {
    uint32_t n = count == 1 && !w->signal_fifo ? matching(w, addr, bitset) : 1;
    return RD_MAX(n, 1u);
}

/* One that could have returned without a wake-up has to do with the queue, woken or not: it gets no number. */
static void tell(struct rd_world *w, const struct rd_waiter *x, uint32_t gate) {
    struct rd_op *woken = &w->threads[x->tid].pending;
    if (woken->kind == RD_OP_FUTEX_WOKEN && !x->unasked) /* else it runs a signal handler */
        woken->arg = gate;
}

/* Wakes up to `count` of those that match, after the first `skip` of them. */
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
        x->at = 0;
        *p = x->next;
        tell(w, x, gate);
        woken++;
    }
    return woken;
}

RD_MODEL_WAYS(rd_futex_wake_ways) {
    (void)tid;
    return wake_ways(w, op->addr, (uint32_t)op->arg, (uint32_t)(op->arg >> 32));
}

RD_MODEL_PERFORM(rd_futex_wake) {
    (void)tid;
    struct rd_object *o = rd_world_object(w, op->addr, RD_OBJ_FUTEX);
    r->value = wake(w, op->addr, (uint32_t)op->arg, (uint32_t)(op->arg >> 32), way, o->gates + 1);
    r->gate = r->value ? ++o->gates : 0;
}

/* The first half of a wake-op: of the queue at addr2, since addr is the word that is changed. */
RD_MODEL_WAYS(rd_futex_wake_op_ways) {
    (void)tid;
    return wake_ways(w, op->addr2, (uint32_t)op->arg, RD_FUTEX_ANY);
}

RD_MODEL_PERFORM(rd_futex_wake_op) {
    (void)tid;
    r->value = wake(w, op->addr2, (uint32_t)op->arg, RD_FUTEX_ANY, way, 0);
}

/* The others move to the second queue, and what they wait for with them. */
static uint32_t move(struct rd_world *w, const struct rd_op *op, uint32_t count) {
    struct rd_futex *from = queue_at(w, op->addr);
    uint32_t moved = 0;
    if (op->addr == op->addr2) /* counted, and where they are */
        return RD_MIN(matching(w, op->addr, RD_FUTEX_ANY), count);
    while (from->first && moved < count) {
        struct rd_waiter *x = from->first;
        struct rd_op *woken = &w->threads[x->tid].pending;
        from->first = x->next;
        join_queue(w, op->addr2, x);
        moved++;
        if (woken->kind != RD_OP_FUTEX_WOKEN) /* it runs a signal handler */
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
    uint32_t woken = wake(w, op->addr, RD_FUTEX_WAKES(op->arg), RD_FUTEX_ANY, way, 0);
    r->value = woken + move(w, op, RD_FUTEX_MOVES(op->arg));
}
