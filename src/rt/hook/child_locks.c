/*
 * child_locks.c - the locks in a copy of the program. Under control libc's own locks are never taken; a copy of the
 * process leaves control with the locks that its one thread had, which it may give back, and with those that other
 * threads had, which nobody ever gives back. That is what libc must see.
 */
#include "rt/hook/child.h"
#include "rt/hook/hook.h"

enum { ROBUST = 16, INHERIT = 32, PROTECT = 64, SHARED = 128, CONTENDED = 2 }; /* in glibc's __kind; in __lock */

/* A thread that does not exist: nobody's number. */
static int stranger(rd_tid tid) { return RD_PID + tid; }

static void mutex(pthread_mutex_t *m, const struct rd_mutex *held, rd_tid self) {
    int kind = m->__data.__kind;
    if (kind & (SHARED | PROTECT)) /* another process has it; its priority would be taken */
        return;
    if (held->owner == self) {
        for (uint32_t i = 0; i < held->depth; i++)
            RD_REAL(pthread_mutex_lock)(m);
        return;
    }
    m->__data.__lock = kind & (ROBUST | INHERIT) ? stranger(held->owner) : CONTENDED;
    m->__data.__owner = stranger(held->owner);
    m->__data.__count = held->depth;
    m->__data.__nusers++;
}

static void rwlock(pthread_rwlock_t *l, const struct rd_rwlock *held, rd_tid self) {
    if (l->__data.__shared)
        return;
    for (uint32_t i = 0; i < held->readers; i++)
        RD_REAL(pthread_rwlock_tryrdlock)(l);
    if (held->writer.owner == RD_TID_NONE)
        return;
    RD_REAL(pthread_rwlock_trywrlock)(l);
    if (held->writer.owner != self)
        l->__data.__cur_writer = stranger(held->writer.owner);
}

static void look_alike(const struct rd_object *o, rd_tid self) {
    void *at = (void *)(uintptr_t)o->addr;
    uint64_t unused;
    bool locked = (o->kind == RD_OBJ_MUTEX && o->mutex.owner != RD_TID_NONE) ||
                  (o->kind == RD_OBJ_RWLOCK && (o->rwlock.readers || o->rwlock.writer.owner != RD_TID_NONE));
    if (!locked || !rd_rt_peek(o->addr, 4, &unused)) /* its memory may be gone */
        return;
    if (o->kind == RD_OBJ_RWLOCK)
        rwlock(at, &o->rwlock, self);
    else if (o->mutex.spin)
        RD_REAL(pthread_spin_trylock)(at);
    else
        mutex(at, &o->mutex, self);
}

void rd_child_locks(rd_tid self) {
    const struct rd_map *objects = &rd_rt.engine.world.objects;
    for (uint32_t i = 0; i < objects->room; i++)
        if (objects->slots[i].key && objects->slots[i].value)
            look_alike((const struct rd_object *)(uintptr_t)objects->slots[i].value, self);
}
