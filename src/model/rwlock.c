/*
 * rwlock.c - read-write locks. op->arg is 1 for locks that prefer writers. A writer then queues first, by an
 * operation of its own, so that its arrival can come before and after that of any reader; while a writer is queued,
 * no further read lock is granted. A thread may hold several read locks. A writer that locks again gets EDEADLK, as
 * in glibc.
 *
 * Invariants: a lock with a writer has no read locks; `readers` is the sum of the read locks of all known readers;
 * `reader` has an owner if and only if there are read locks.
 */
#include "model/primitives.h"

#include <errno.h>

static struct rd_rwlock *lock_at(struct rd_world *w, const struct rd_op *op) {
    return &rd_world_object(w, op->addr, RD_OBJ_RWLOCK)->rwlock;
}

static const struct rd_rwlock *find_lock(const struct rd_world *w, const struct rd_op *op) {
    const struct rd_object *o = rd_world_find(w, op->addr, RD_OBJ_RWLOCK);
    return o ? &o->rwlock : NULL;
}

static bool readable(const struct rd_rwlock *l, const struct rd_op *op) {
    return l->writer.owner == RD_TID_NONE && !(op->arg && l->writers_waiting);
}

static bool writable(const struct rd_rwlock *l) { return l->writer.owner == RD_TID_NONE && l->readers == 0; }

RD_MODEL_ENABLED(rd_rwlock_rdlock_enabled) {
    const struct rd_rwlock *l = find_lock(w, op);
    return !l || readable(l, op) || l->writer.owner == tid;
}

/* Returns whether the invariants hold. It walks over all known readers. */
static bool is_sound(const struct rd_rwlock *l) {
    uint32_t locks = 0;
    for (const struct rd_reader *r = l->known_readers; r; r = r->next)
        locks += r->locks;
    bool has_reader = l->reader.owner != RD_TID_NONE, has_writer = l->writer.owner != RD_TID_NONE;
    return locks == l->readers && has_reader == (locks > 0) && !(has_reader && has_writer);
}

/* Returns the thread's entry in the list of readers; a new one if it has none. */
static struct rd_reader *reader_of(struct rd_world *w, struct rd_rwlock *l, rd_tid tid) {
    struct rd_reader *r = l->known_readers;
    while (r && r->tid != tid)
        r = r->next;
    if (r)
        return r;
    r = rd_arena_alloc(w->arena, sizeof *r);
    *r = (struct rd_reader){.tid = tid, .next = l->known_readers};
    l->known_readers = r;
    return r;
}

static void take(struct rd_world *w, rd_tid tid, const struct rd_op *op, struct rd_mutex *m) {
    *m = (struct rd_mutex){.owner = tid, .depth = 1, .taken_at = w->step, .taken_pc = op->pc};
}

RD_MODEL_PERFORM(rd_rwlock_rdlock) {
    (void)way;
    struct rd_rwlock *l = lock_at(w, op);
    if (l->writer.owner == tid) {
        r->error = EDEADLK;
        return;
    }
    RD_CHECK(l->writer.owner == RD_TID_NONE);
    l->readers++;
    struct rd_reader *mine = reader_of(w, l, tid);
    mine->locks++;
    take(w, tid, op, &mine->last);
    l->reader = mine->last;
    RD_ASSERT(is_sound(l));
}

RD_MODEL_PERFORM(rd_rwlock_tryrdlock) {
    struct rd_rwlock *l = lock_at(w, op);
    if (readable(l, op))
        rd_rwlock_rdlock(w, tid, op, way, r);
    else
        r->error = EBUSY;
}

RD_MODEL_PERFORM(rd_rwlock_queue) {
    (void)way;
    (void)r;
    struct rd_rwlock *l = lock_at(w, op);
    l->writers_waiting++;
    l->queued = (struct rd_mutex){.owner = tid};
}

/* A writer no longer waits. Other writers may still be queued; which one came last of them is not known then. */
static void leave_queue(struct rd_rwlock *l, rd_tid tid) {
    l->writers_waiting--;
    if (l->queued.owner == tid)
        l->queued.owner = RD_TID_NONE;
}

RD_MODEL_ENABLED(rd_rwlock_wrlock_enabled) {
    const struct rd_rwlock *l = find_lock(w, op);
    return !l || writable(l) || l->writer.owner == tid;
}

RD_MODEL_PERFORM(rd_rwlock_wrlock) {
    (void)way;
    struct rd_rwlock *l = lock_at(w, op);
    if (op->arg)
        leave_queue(l, tid);
    if (l->writer.owner == tid)
        r->error = EDEADLK;
    else
        take(w, tid, op, &l->writer);
    RD_CHECK(l->writer.owner == tid && l->readers == 0);
}

RD_MODEL_TIME_OUT(rd_rwlock_wrlock_time_out) {
    if (op->arg)
        leave_queue(lock_at(w, op), tid);
    r->error = ETIMEDOUT;
}

RD_MODEL_PERFORM(rd_rwlock_trywrlock) {
    (void)way;
    struct rd_rwlock *l = lock_at(w, op);
    if (writable(l))
        take(w, tid, op, &l->writer);
    else
        r->error = EBUSY;
    RD_ASSERT(is_sound(l));
}

/* Returns a thread that holds a read lock, if possible another one than `other_than`; NULL: no thread holds one. */
static const struct rd_reader *find_reader(const struct rd_rwlock *l, rd_tid other_than) {
    const struct rd_reader *own = NULL;
    for (const struct rd_reader *r = l->known_readers; r; r = r->next) {
        if (r->locks && r->tid != other_than)
            return r;
        own = r->locks ? r : own;
    }
    return own;
}

RD_MODEL_PERFORM(rd_rwlock_unlock) {
    (void)way;
    struct rd_rwlock *l = lock_at(w, op);
    struct rd_reader *mine = reader_of(w, l, tid);
    if (l->writer.owner == tid) {
        l->writer.owner = RD_TID_NONE;
    } else if (mine->locks) {
        RD_CHECK(l->readers >= mine->locks);
        mine->locks--;
        l->readers--;
        const struct rd_reader *other = find_reader(l, RD_TID_NONE);
        l->reader = other ? other->last : (struct rd_mutex){.owner = RD_TID_NONE};
    } else {
        const struct rd_mutex *m = l->writer.owner != RD_TID_NONE ? &l->writer : &l->reader;
        r->misuse = m->owner == RD_TID_NONE ? "unlock of a read-write lock that is not locked"
                                            : "unlock of a read-write lock that only others hold";
        r->misuse_tid = m->owner;
        r->misuse_pc = m->owner == RD_TID_NONE ? 0 : m->taken_pc;
    }
    RD_ASSERT(is_sound(l));
}

RD_MODEL_HOLDER(rd_rwlock_holder) {
    const struct rd_rwlock *l = find_lock(w, op);
    if (!l)
        return NULL;
    RD_ASSERT(is_sound(l));
    if (l->writer.owner != RD_TID_NONE)
        return &l->writer;
    if (op->kind == RD_OP_RWLOCK_RDLOCK) /* a queued writer keeps the reader out */
        return l->queued.owner != RD_TID_NONE ? &l->queued : NULL;
    const struct rd_reader *r = find_reader(l, tid);
    return r ? &r->last : NULL;
}
