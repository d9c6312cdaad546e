/*
 * cond.c - condition variables. A wait is two operations, or three. `wait` gives up the mutex and joins the queue;
 * `wake` leaves the queue, because the thread was signalled, timed out, was cancelled or wakes without a signal. If
 * `wake` names the mutex, it also takes the mutex, and is enabled only while the mutex is free. If it does not, a
 * `lock` with RD_MUTEX_RELOCK follows. That is so for a wait with a deadline, which can time out, and miss a
 * signal, while another thread holds the mutex; and for a robust mutex, whose owner may have ended. After a
 * cancellation (ECANCELED) such a lock follows in any case.
 *
 * Which waiter a signal wakes is a choice (a way), unless the configuration asks for FIFO. As long as
 * rd_world.spurious_left allows it, it is a choice of `wait` whether the thread may wake without a signal. It is
 * made there because a wake-up that need not come must not hide a deadlock. A waiter that was signalled and then
 * cancelled may return, or may be cancelled and pass the signal on: that is a choice of `wake`.
 *
 * A signal handler that interrupts a wait may wait on another condition. On the same one that is misuse: it can
 * hang in glibc, where signals wait until earlier waiters have left.
 *
 * A signal handler that ends its thread, or throws an exception, leaves a wait that it has interrupted: that is a
 * `wake` with RD_MUTEX_LEFT, and a `lock` follows, as in glibc.
 *
 * op->addr is the condition and op->addr2 the mutex, for wait and wake.
 */
#include "model/primitives.h"

#include <errno.h>

static const struct rd_waiter *waiter_with_other_mutex(const struct rd_object *cond, uint64_t mutex) {
    const struct rd_waiter *first = cond ? cond->cond.first : NULL;
    return first && first->mutex != mutex ? first : NULL;
}

RD_MODEL_WAYS(rd_cond_wait_ways) {
    if (!w->spurious_left)
        return 1;
    const struct rd_object *m = rd_world_find(w, op->addr2, RD_OBJ_MUTEX);
    bool waits =
        m && m->mutex.owner == tid && !waiter_with_other_mutex(rd_world_find(w, op->addr, RD_OBJ_COND), op->addr2);
    return waits ? 2 : 1;
}

RD_MODEL_PERFORM(rd_cond_wait) {
    struct rd_object *m = rd_world_object(w, op->addr2, RD_OBJ_MUTEX);
    if (m->mutex.owner != tid) {
        r->error = EPERM;
        if ((op->arg & RD_MUTEX_TYPE) == RD_MUTEX_NORMAL && !(op->arg & RD_MUTEX_ROBUST)) {
            r->misuse = "wait on a condition without holding the mutex";
            r->misuse_tid = m->mutex.owner;
            r->misuse_pc = m->mutex.owner == RD_TID_NONE ? 0 : m->mutex.taken_pc;
        }
        return;
    }
    const struct rd_waiter *other = waiter_with_other_mutex(rd_world_object(w, op->addr, RD_OBJ_COND), op->addr2);
    if (other) {
        r->misuse = "wait on a condition with another mutex than other threads that wait on it";
        r->misuse_tid = other->tid;
        r->misuse_pc = w->threads[other->tid].pending.pc;
        return;
    }
    for (const struct rd_waiter *own = &w->threads[tid].waiter; own; own = own->outer) {
        if (own->queue != op->addr)
            continue;
        r->misuse = "wait on a condition on which the thread waits already";
        r->misuse_tid = tid;
        r->misuse_pc = own->pc;
        return;
    }
    RD_CHECK(m->mutex.depth > 0 && way <= w->spurious_left);
    struct rd_waiter *me = rd_waiter_begin(w, tid);
    me->queue = op->addr;
    me->mutex = op->addr2;
    me->pc = op->pc;
    me->depth = m->mutex.depth;
    me->spurious = way == 1;
    w->spurious_left -= way;
    rd_mutex_free(&m->mutex);

    struct rd_waiter **tail = &rd_world_object(w, op->addr, RD_OBJ_COND)->cond.first;
    while (*tail)
        tail = &(*tail)->next;
    *tail = me;
}

RD_MODEL_ENABLED(rd_cond_wake_enabled) {
    const struct rd_waiter *me = &w->threads[tid].waiter;
    if (op->arg & RD_MUTEX_LEFT)
        return true;
    if (!me->signalled && !me->spurious)
        return false;
    const struct rd_object *m = op->addr2 ? rd_world_find(w, op->addr2, RD_OBJ_MUTEX) : NULL;
    return !m || m->mutex.owner == RD_TID_NONE;
}

/* The thread leaves the queue. Returns its place there, as it was. */
static struct rd_waiter leave_queue(struct rd_world *w, rd_tid tid) {
    struct rd_waiter me = w->threads[tid].waiter;
    RD_CHECK(me.depth > 0);
    rd_waiter_end(w, tid);
    return me;
}

/* The thread will take the mutex back with an operation of its own. */
static void expect_relock(struct rd_world *w, rd_tid tid, const struct rd_waiter *me) {
    struct rd_relock *r = rd_arena_alloc(w->arena, sizeof *r);
    *r = (struct rd_relock){me->depth, w->threads[tid].relock};
    w->threads[tid].relock = r;
}

static void take_mutex_back(struct rd_world *w, rd_tid tid, const struct rd_op *op, const struct rd_waiter *me) {
    struct rd_mutex *m = &rd_world_object(w, op->addr2, RD_OBJ_MUTEX)->mutex;
    RD_CHECK(m->owner == RD_TID_NONE);
    m->owner = tid;
    m->depth = me->depth;
    m->taken_at = w->step;
    m->taken_pc = op->pc;
}

RD_MODEL_WAYS(rd_cond_wake_ways) {
    const struct rd_thread *t = &w->threads[tid];
    bool woken = (t->waiter.signalled || t->waiter.spurious) && !(op->arg & RD_MUTEX_LEFT);
    return woken && t->cancel_asked && !t->cancel_off ? 2 : 1;
}

/* A signalled waiter is cancelled, or ends otherwise: it must not consume a signal for which another thread waits
 * (POSIX). */
static void pass_signal_on(struct rd_world *w, const struct rd_op *op) {
    const struct rd_object *o = rd_world_find(w, op->addr, RD_OBJ_COND);
    struct rd_waiter *p = o ? o->cond.first : NULL;
    while (p && p->signalled)
        p = p->next;
    if (p)
        p->signalled = true;
}

RD_MODEL_PERFORM(rd_cond_wake) {
    struct rd_waiter me = leave_queue(w, tid);
    bool left = op->arg & RD_MUTEX_LEFT;
    RD_CHECK(me.signalled || me.spurious || left);
    if ((way == 1 || left) && me.signalled)
        pass_signal_on(w, op);
    if (way == 1 && !left)
        w->threads[tid].cancel_off = w->threads[tid].cancel_waits = true;
    if (way == 1 || left)
        r->error = ECANCELED;
    if (op->addr2 && !r->error)
        take_mutex_back(w, tid, op, &me);
    else
        expect_relock(w, tid, &me);
}

/* Also called when the waiter is cancelled: it leaves the queue without a signal. */
RD_MODEL_TIME_OUT(rd_cond_time_out) {
    (void)op;
    struct rd_waiter me = leave_queue(w, tid);
    expect_relock(w, tid, &me);
    r->error = ETIMEDOUT;
}

static uint32_t count_waiting(const struct rd_cond *c) {
    uint32_t n = 0;
    for (const struct rd_waiter *p = c->first; p; p = p->next)
        n += !p->signalled;
    return n;
}

RD_MODEL_WAYS(rd_cond_signal_ways) {
    (void)tid;
    const struct rd_object *o = rd_world_find(w, op->addr, RD_OBJ_COND);
    uint32_t n = o ? count_waiting(&o->cond) : 0;
    return w->signal_fifo || n == 0 ? 1 : n;
}

RD_MODEL_PERFORM(rd_cond_signal) {
    (void)tid;
    (void)r;
    struct rd_cond *c = &rd_world_object(w, op->addr, RD_OBJ_COND)->cond;
    for (struct rd_waiter *p = c->first; p; p = p->next) {
        if (!p->signalled && way-- == 0) {
            p->signalled = true;
            return;
        }
    }
    RD_CHECK(way == 0); /* no thread waits: a way names a waiter otherwise */
}

RD_MODEL_PERFORM(rd_cond_broadcast) {
    (void)tid;
    (void)way;
    (void)r;
    struct rd_cond *c = &rd_world_object(w, op->addr, RD_OBJ_COND)->cond;
    for (struct rd_waiter *p = c->first; p; p = p->next)
        p->signalled = true;
    RD_ASSERT(count_waiting(c) == 0);
}

/* Only a signalled waiter waits for the mutex; any other one waits for a signal. */
RD_MODEL_HOLDER(rd_cond_holder) {
    if (!op->addr2 || !w->threads[tid].waiter.signalled)
        return NULL;
    const struct rd_object *m = rd_world_find(w, op->addr2, RD_OBJ_MUTEX);
    return m && m->mutex.owner != RD_TID_NONE ? &m->mutex : NULL;
}
