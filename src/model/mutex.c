/*
 * mutex.c - normal, recursive and error-checking mutexes, and spin locks. op->arg is the type (enum rd_mutex_type)
 * and the bits RD_MUTEX_ROBUST and RD_MUTEX_RELOCK; the hook reads the type from the program's own mutex. An owner
 * that locks its normal mutex again is blocked for ever. A trylock by the owner returns EBUSY, except on a
 * recursive mutex. Where POSIX leaves the behaviour undefined, the model does what glibc does.
 *
 * Invariant: a mutex has depth 0 if and only if it has no owner. The type comes with each operation and is no part
 * of the state, because a program may overwrite it.
 */
#include "model/primitives.h"

#include <errno.h>

static unsigned type_of(const struct rd_op *op) { return op->arg & RD_MUTEX_TYPE; }

/* Returns whether this is a robust mutex whose owner has ended: another thread can take it, and gets EOWNERDEAD. */
static bool orphaned(const struct rd_world *w, const struct rd_mutex *m, const struct rd_op *op) {
    return (op->arg & RD_MUTEX_ROBUST) && w->threads[m->owner].state == RD_T_FINISHED;
}

static const struct rd_mutex *find_held(const struct rd_world *w, rd_tid tid, uint64_t addr) {
    const struct rd_object *o = rd_world_find_near(w, tid, addr, RD_OBJ_MUTEX);
    RD_ASSERT(!o || (o->mutex.owner == RD_TID_NONE) == (o->mutex.depth == 0));
    return o && o->mutex.owner != RD_TID_NONE ? &o->mutex : NULL;
}

RD_MODEL_ENABLED(rd_mutex_lock_enabled) {
    const struct rd_mutex *m = find_held(w, tid, op->addr);
    return !m || (m->owner == tid && type_of(op) != RD_MUTEX_NORMAL) || orphaned(w, m, op);
}

static void take(struct rd_world *w, rd_tid tid, const struct rd_op *op, struct rd_mutex *m) {
    RD_ASSERT(w->threads[tid].state == RD_T_READY);
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
    RD_CHECK(orphan == (m->depth > 0) && (!orphan || w->threads[m->owner].state == RD_T_FINISHED));
    if (orphan)
        m->health = RD_MUTEX_INCONSISTENT;
    take(w, tid, op, m);
    return m->health == RD_MUTEX_INCONSISTENT ? EOWNERDEAD : 0;
}

/* The thread has taken back the mutex of its condition wait. If a cancellation ended the wait, it takes effect now.
 */
static void end_cond_wait(struct rd_thread *t, struct rd_mutex *m, struct rd_result *r) {
    RD_CHECK(t->relock);
    if (r->error == 0 || r->error == EOWNERDEAD)
        m->depth = t->relock->depth;
    t->relock = t->relock->outer;
    RD_CHECK(m->depth > 0 || r->error == ENOTRECOVERABLE);
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
    RD_CHECK(m->owner == tid || r->error == ENOTRECOVERABLE); /* a lock of another thread's mutex is not enabled */
    if (RD_UNLIKELY(op->arg & RD_MUTEX_RELOCK))
        end_cond_wait(&w->threads[tid], m, r);
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
    RD_ASSERT(m->owner == RD_TID_NONE || m->owner < w->count);
}

/*
 * An unlock by a thread that does not hold the mutex. It is undefined for a normal mutex, so that is a finding. The
 * other types, and robust mutexes, return EPERM, on which a program may rely.
 */
static void refuse_unlock(const struct rd_mutex *m, const struct rd_op *op, struct rd_result *r) {
    r->error = EPERM;
    if (type_of(op) != RD_MUTEX_NORMAL || op->arg & RD_MUTEX_ROBUST)
        return;
    r->misuse = m->owner == RD_TID_NONE ? "unlock of a mutex that is not locked"
                                        : "unlock of a mutex that another thread holds";
    r->misuse_tid = m->owner;
    r->misuse_pc = m->taken_pc;
}

void rd_mutex_free(struct rd_mutex *m) {
    m->owner = RD_TID_NONE;
    m->depth = 0;
    m->health = m->health == RD_MUTEX_INCONSISTENT ? RD_MUTEX_LOST : m->health;
}

RD_MODEL_PERFORM(rd_mutex_unlock) {
    (void)way;
    struct rd_mutex *m = &rd_world_object_near(w, tid, op->addr, RD_OBJ_MUTEX)->mutex;
    RD_CHECK((m->owner == RD_TID_NONE) == (m->depth == 0));
    if (m->owner != tid) {
        refuse_unlock(m, op, r);
    } else if (--m->depth == 0) {
        rd_mutex_free(m);
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

RD_MODEL_HOLDER(rd_mutex_holder) { return find_held(w, tid, op->addr); }
