/*
 * mutex.c - normal, recursive and error-checking mutexes. op->arg is the type (enum rd_mutex_type), which the
 * interposer reads from the program's own mutex. A normal mutex that its owner locks again blocks for ever; a
 * trylock by the owner is EBUSY for all but recursive ones; what POSIX leaves undefined is done as glibc does it.
 */
#include "model/model.h"

#include <errno.h>

static unsigned type_of(const struct rd_op *op) { return op->arg & RD_MUTEX_TYPE; }

/* A robust mutex whose owner has ended can be taken; the taker is told. */
static bool orphaned(const struct rd_world *w, const struct rd_mutex *m, const struct rd_op *op) {
    return (op->arg & RD_MUTEX_ROBUST) && w->threads[m->owner].state == RD_T_FINISHED;
}

static const struct rd_mutex *peek(const struct rd_world *w, rd_tid tid, uint64_t addr) {
    const struct rd_object *o = rd_world_find_near(w, tid, addr, RD_OBJ_MUTEX);
    return o && o->mutex.owner != RD_TID_NONE ? &o->mutex : NULL;
}

RD_MODEL_ENABLED(rd_mutex_lock_enabled) {
    const struct rd_mutex *m = peek(w, tid, op->addr);
    return !m || (m->owner == tid && type_of(op) != RD_MUTEX_NORMAL) || orphaned(w, m, op);
}

static void take(struct rd_world *w, rd_tid tid, const struct rd_op *op, struct rd_mutex *m) {
    m->owner = tid;
    m->robust = op->arg & RD_MUTEX_ROBUST;
    m->spin = op->kind == RD_OP_SPIN_LOCK || op->kind == RD_OP_SPIN_TRYLOCK;
    m->depth = 1;
    m->taken_at = w->step;
    m->taken_pc = op->pc;
}

/* Takes a free mutex, or one whose owner has ended. */
static int acquire(struct rd_world *w, rd_tid tid, const struct rd_op *op, struct rd_mutex *m) {
    if (m->health == RD_MUTEX_LOST)
        return ENOTRECOVERABLE;
    bool orphan = m->owner != RD_TID_NONE;
    if (orphan)
        m->health = RD_MUTEX_INCONSISTENT;
    take(w, tid, op, m);
    return m->health == RD_MUTEX_INCONSISTENT ? EOWNERDEAD : 0;
}

/* The end of a condition wait: the thread has what it gave away, and is cancelled if that is why it woke. */
static void relocked(struct rd_thread *t, struct rd_mutex *m, struct rd_result *r) {
    if (r->error == 0 || r->error == EOWNERDEAD)
        m->depth = t->wait_depth;
    r->cancelled = t->cancel_waits;
    t->cancel_waits = false;
}

RD_MODEL_PERFORM(rd_mutex_lock) {
    (void)way;
    struct rd_mutex *m = &rd_world_object_near(w, tid, op->addr, RD_OBJ_MUTEX)->mutex;
    if (m->owner == RD_TID_NONE || orphaned(w, m, op))
        r->error = acquire(w, tid, op, m);
    else if (type_of(op) == RD_MUTEX_RECURSIVE)
        m->depth++;
    else
        r->error = EDEADLK;
    if (RD_UNLIKELY(op->arg & RD_MUTEX_RELOCK))
        relocked(&w->threads[tid], m, r);
}

RD_MODEL_PERFORM(rd_mutex_trylock) {
    (void)way;
    struct rd_mutex *m = &rd_world_object_near(w, tid, op->addr, RD_OBJ_MUTEX)->mutex;
    if (m->owner == RD_TID_NONE || orphaned(w, m, op))
        r->error = acquire(w, tid, op, m);
    else if (m->owner == tid && type_of(op) == RD_MUTEX_RECURSIVE)
        m->depth++;
    else
        r->error = EBUSY;
}

/* Undefined for a normal mutex: a finding. The others say EPERM, and a program may count on that. */
static void stranger(const struct rd_mutex *m, const struct rd_op *op, struct rd_result *r) {
    r->error = EPERM;
    if (type_of(op) != RD_MUTEX_NORMAL)
        return;
    r->misuse = m->owner == RD_TID_NONE ? "unlock of a mutex that is not locked"
                                        : "unlock of a mutex that another thread holds";
    r->misuse_tid = m->owner;
    r->misuse_pc = m->taken_pc;
}

RD_MODEL_PERFORM(rd_mutex_unlock) {
    (void)way;
    struct rd_mutex *m = &rd_world_object_near(w, tid, op->addr, RD_OBJ_MUTEX)->mutex;
    if (m->owner != tid) {
        stranger(m, op, r);
    } else if (--m->depth == 0) {
        m->owner = RD_TID_NONE;
        m->health = m->health == RD_MUTEX_INCONSISTENT ? RD_MUTEX_LOST : m->health;
    }
}

RD_MODEL_PERFORM(rd_mutex_consistent) {
    (void)way;
    struct rd_mutex *m = &rd_world_object_near(w, tid, op->addr, RD_OBJ_MUTEX)->mutex;
    if (m->owner == tid && m->health == RD_MUTEX_INCONSISTENT)
        m->health = RD_MUTEX_FINE;
    else
        r->error = EINVAL;
}

RD_MODEL_HOLDER(rd_mutex_holder) { return peek(w, tid, op->addr); }
