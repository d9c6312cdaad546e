/*
 * child_locks.c - the locks in a copy of the program. Under control libc's own locks are never taken. A copy of the
 * process leaves control, and must find the locks held that the model has as held. Their owners are threads of the
 * parent process, even for locks of the thread that was copied: glibc identifies owners by the kernel's thread
 * number, which differs in the copy. So, as without Raddle, the copy can unlock normal mutexes and spin locks, and
 * no others.
 */
#include "rt/hook/process/child.h"
#include "rt/hook/hook.h"

enum { ROBUST = 16, INHERIT = 32, SHARED = 128 }; /* in glibc's __kind */

/* The thread number of an owner, which no thread of the kernel has. */
static int foreign_owner(rd_tid tid) { return RD_PID + tid; }

static void mutex(pthread_mutex_t *m, const struct rd_mutex *held) {
    int kind = m->__data.__kind;
    if (kind & SHARED) /* the copy shares this mutex with other processes */
        return;
    m->__data.__lock |= kind & (ROBUST | INHERIT) ? foreign_owner(held->owner) : 1;
    m->__data.__owner = foreign_owner(held->owner);
    m->__data.__count = held->depth;
    m->__data.__nusers++;
}

static void rwlock(pthread_rwlock_t *l, const struct rd_rwlock *held) {
    if (l->__data.__shared)
        return;
    for (uint32_t i = 0; i < held->readers; i++)
        RD_REAL(pthread_rwlock_tryrdlock)(l);
    if (held->writer.owner == RD_TID_NONE)
        return;
    RD_REAL(pthread_rwlock_trywrlock)(l);
    l->__data.__cur_writer = foreign_owner(held->writer.owner);
}

/* Puts libc's lock at the object's address into the object's state. */
static void restore_lock(const struct rd_object *o) {
    void *at = (void *)(uintptr_t)o->addr;
    uint64_t unused;
    bool locked = (o->kind == RD_OBJ_MUTEX && o->mutex.owner != RD_TID_NONE) ||
                  (o->kind == RD_OBJ_RWLOCK && (o->rwlock.readers || o->rwlock.writer.owner != RD_TID_NONE));
    if (!locked || !rd_rt_peek(o->addr, 4, &unused)) /* its memory may be gone */
        return;
    if (o->kind == RD_OBJ_RWLOCK)
        rwlock(at, &o->rwlock);
    else if (o->mutex.spin)
        RD_REAL(pthread_spin_trylock)(at);
    else
        mutex(at, &o->mutex);
}

void rd_child_locks(void) {
    const struct rd_map *objects = &rd_rt.engine.world.objects;
    for (uint32_t i = 0; i < objects->room; i++)
        if (objects->slots[i].key && objects->slots[i].value)
            restore_lock((const struct rd_object *)(uintptr_t)objects->slots[i].value);
}
