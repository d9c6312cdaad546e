/*
 * cond.c - condition variables. A wait is two operations: `wait` gives up the mutex and joins the queue, `wake`
 * takes the mutex again; it is enabled when the thread was signalled and the mutex is free. Which waiter a signal
 * wakes is a choice (a way), unless FIFO is asked for. A wake-up without a signal is possible while the
 * execution's allowance lasts. A timed wait that gives up needs the mutex, too.
 *
 * op->addr is the condition, op->addr2 the mutex, for wait and wake.
 */
#include "model/model.h"

#include <errno.h>

RD_MODEL_PERFORM(rd_cond_wait) {
    (void)way;
    struct rd_object *m = rd_world_object(w, op->addr2, RD_OBJ_MUTEX);
    if (m->mutex.owner != tid) {
        r->error = EPERM;
        if ((op->arg & RD_MUTEX_TYPE) == RD_MUTEX_NORMAL) {
            r->misuse = "wait on a condition without holding the mutex";
            r->misuse_tid = m->mutex.owner;
            r->misuse_pc = m->mutex.owner == RD_TID_NONE ? 0 : m->mutex.taken_pc;
        }
        return;
    }
    const struct rd_waiter *other = rd_world_object(w, op->addr, RD_OBJ_COND)->cond.first;
    if (other && w->threads[other->tid].pending.addr2 != op->addr2) {
        r->misuse = "wait on a condition with another mutex than other threads that wait on it";
        r->misuse_tid = other->tid;
        r->misuse_pc = w->threads[other->tid].pending.pc;
        return;
    }
    struct rd_thread *t = &w->threads[tid];
    t->wait_depth = RD_MAX(m->mutex.depth, 1u);
    m->mutex.owner = RD_TID_NONE;
    m->mutex.depth = 0;

    struct rd_waiter **tail = &rd_world_object(w, op->addr, RD_OBJ_COND)->cond.first;
    while (*tail)
        tail = &(*tail)->next;
    t->waiter = (struct rd_waiter){.tid = tid};
    *tail = &t->waiter;
}

RD_MODEL_ENABLED(rd_cond_wake_enabled) {
    /* a timed wait can give up, which is as good as a wake-up without a signal */
    bool spurious = w->spurious_left > 0 && !op->deadline;
    if (!w->threads[tid].waiter.signalled && !spurious)
        return false;
    const struct rd_object *m = rd_world_find(w, op->addr2, RD_OBJ_MUTEX);
    return !m || m->mutex.owner == RD_TID_NONE;
}

/* The condition may be gone: a waiter that was signalled keeps nobody from destroying it. */
static void leave(struct rd_world *w, rd_tid tid, const struct rd_op *op) {
    if (!rd_world_find(w, op->addr, RD_OBJ_COND))
        return;
    struct rd_cond *c = &rd_world_object(w, op->addr, RD_OBJ_COND)->cond;
    for (struct rd_waiter **p = &c->first; *p; p = &(*p)->next) {
        if ((*p)->tid == tid) {
            *p = (*p)->next;
            return;
        }
    }
}

static void take_back(struct rd_world *w, rd_tid tid, const struct rd_op *op) {
    leave(w, tid, op);
    struct rd_mutex *m = &rd_world_object(w, op->addr2, RD_OBJ_MUTEX)->mutex;
    uint32_t depth = w->threads[tid].wait_depth;
    m->owner = tid;
    m->depth = depth;
    m->taken_at = w->step;
    m->taken_pc = op->pc;
}

RD_MODEL_PERFORM(rd_cond_wake) {
    (void)way;
    (void)r;
    struct rd_thread *t = &w->threads[tid];
    if (!t->waiter.signalled)
        w->spurious_left--;
    take_back(w, tid, op);
}

/* Time is up, but the call returns only with the mutex. */
RD_MODEL_ENABLED(rd_cond_may_time_out) {
    (void)tid;
    const struct rd_object *m = rd_world_find(w, op->addr2, RD_OBJ_MUTEX);
    return !m || m->mutex.owner == RD_TID_NONE;
}

RD_MODEL_TIME_OUT(rd_cond_time_out) {
    take_back(w, tid, op);
    r->error = ETIMEDOUT;
}

static uint32_t waiting(const struct rd_cond *c) {
    uint32_t n = 0;
    for (const struct rd_waiter *p = c->first; p; p = p->next)
        n += !p->signalled;
    return n;
}

RD_MODEL_WAYS(rd_cond_signal_ways) {
    (void)tid;
    const struct rd_object *o = rd_world_find(w, op->addr, RD_OBJ_COND);
    uint32_t n = o ? waiting(&o->cond) : 0;
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
}

RD_MODEL_PERFORM(rd_cond_broadcast) {
    (void)tid;
    (void)way;
    (void)r;
    struct rd_cond *c = &rd_world_object(w, op->addr, RD_OBJ_COND)->cond;
    for (struct rd_waiter *p = c->first; p; p = p->next)
        p->signalled = true;
}

/* A waiter without a signal waits for the signal, whoever has the mutex. */
RD_MODEL_HOLDER(rd_cond_holder) {
    if (!w->threads[tid].waiter.signalled && !op->deadline)
        return NULL;
    const struct rd_object *m = rd_world_find(w, op->addr2, RD_OBJ_MUTEX);
    return m && m->mutex.owner != RD_TID_NONE ? &m->mutex : NULL;
}
