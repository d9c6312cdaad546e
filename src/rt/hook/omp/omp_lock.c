/*
 * omp_lock.c - see omp.h: the locks of OpenMP, which both runtimes have under the same names. They are mutexes of
 * the model, by the address of the program's lock. The memory of the lock is neither read nor written: its size
 * differs between the runtimes.
 */
#include "rt/hook/omp/omp.h"

int rd_omp_lock(unsigned kind, const void *lock, unsigned type, uint64_t pc) {
    struct rd_op op = {.kind = (uint8_t)kind, .addr = (uintptr_t)lock, .arg = type, .pc = pc};
    /* a lock can block even in the program's only thread: when that thread holds it already */
    return (kind == RD_OP_MUTEX_LOCK ? rd_rt_op(op) : rd_rt_instant(op)).error;
}

void rd_omp_critical_begin(const void *name, uint64_t pc) {
    rd_omp_self();
    rd_omp_lock(RD_OP_MUTEX_LOCK, name, RD_MUTEX_NORMAL, pc);
}

void rd_omp_critical_end(const void *name, uint64_t pc) {
    rd_omp_lock(RD_OP_MUTEX_UNLOCK, name, RD_MUTEX_NORMAL, pc);
}

/* ---- nestable locks: their owners are tasks in gcc's runtime, threads in clang's ---- */

/* A nestable lock that a thread has taken: which of its tasks took it last. The model knows only the thread. */
struct rd_omp_nest {
    struct rd_omp_nest *next;
    const void *lock;
    uint64_t number; /* of the task, as rd_omp_member.number; 0: none yet */
};

static const struct rd_mutex *mutex_at(const void *lock) {
    const struct rd_object *o = rd_world_find(&rd_rt.engine.world, (uintptr_t)lock, RD_OBJ_MUTEX);
    return o ? &o->mutex : NULL;
}

static struct rd_omp_nest *nest_of(struct rd_omp *o, const void *lock) {
    for (struct rd_omp_nest *n = o->nests; n; n = n->next)
        if (n->lock == lock)
            return n;
    struct rd_omp_nest *n = rd_omp_zeroed(sizeof *n);
    *n = (struct rd_omp_nest){o->nests, lock, 0};
    o->nests = n;
    return n;
}

/*
 * Takes a nestable lock; returns how often the task holds it then, or 0. A task is executed by one thread from its
 * beginning to its end. So a lock that another task of this thread holds cannot be released while this task waits:
 * the wait is that for a mutex which the thread itself holds and which is not recursive, a deadlock.
 */
static int take_nest(unsigned kind, const void *lock, uint64_t pc) {
    struct rd_omp *o = rd_omp_self();
    struct rd_omp_nest *n = nest_of(o, lock);
    const struct rd_mutex *m = mutex_at(lock);
    bool mine = m && m->owner == rd_self->tid, others = mine && !rd_omp_is_clang() && n->number != o->me.number;
    if (rd_omp_lock(kind, lock, others ? RD_MUTEX_NORMAL : RD_MUTEX_RECURSIVE, pc) != 0)
        return 0;
    n->number = o->me.number;
    m = mutex_at(lock);
    RD_CHECK(m && m->owner == rd_self->tid); /* the model has given the thread the lock */
    return (int)m->depth;
}

RD_OMP(void, omp_init_lock, (void *lock), (lock)) {
    rd_omp_lock(RD_OP_MUTEX_INIT, lock, RD_MUTEX_NORMAL, rd_omp_pc);
}
RD_OMP(void, omp_init_lock_with_hint, (void *lock, int hint), (lock, hint)) {
    (void)hint;
    rd_omp_lock(RD_OP_MUTEX_INIT, lock, RD_MUTEX_NORMAL, rd_omp_pc);
}
RD_OMP(void, omp_destroy_lock, (void *lock), (lock)) {
    rd_omp_lock(RD_OP_MUTEX_DESTROY, lock, RD_MUTEX_NORMAL, rd_omp_pc);
}
RD_OMP_ENTERED(void, omp_set_lock, (void *lock), (lock)) {
    rd_omp_lock(RD_OP_MUTEX_LOCK, lock, RD_MUTEX_NORMAL, rd_omp_pc);
}
RD_OMP(void, omp_unset_lock, (void *lock), (lock)) {
    rd_omp_lock(RD_OP_MUTEX_UNLOCK, lock, RD_MUTEX_NORMAL, rd_omp_pc);
}
RD_OMP_ENTERED(int, omp_test_lock, (void *lock), (lock)) {
    return rd_omp_lock(RD_OP_MUTEX_TRYLOCK, lock, RD_MUTEX_NORMAL, rd_omp_pc) == 0;
}

RD_OMP(void, omp_init_nest_lock, (void *lock), (lock)) {
    rd_omp_lock(RD_OP_MUTEX_INIT, lock, RD_MUTEX_RECURSIVE, rd_omp_pc);
}
RD_OMP(void, omp_init_nest_lock_with_hint, (void *lock, int hint), (lock, hint)) {
    (void)hint;
    rd_omp_lock(RD_OP_MUTEX_INIT, lock, RD_MUTEX_RECURSIVE, rd_omp_pc);
}
RD_OMP(void, omp_destroy_nest_lock, (void *lock), (lock)) {
    rd_omp_lock(RD_OP_MUTEX_DESTROY, lock, RD_MUTEX_RECURSIVE, rd_omp_pc);
}
RD_OMP_ENTERED(void, omp_set_nest_lock, (void *lock), (lock)) { take_nest(RD_OP_MUTEX_LOCK, lock, rd_omp_pc); }
RD_OMP(void, omp_unset_nest_lock, (void *lock), (lock)) {
    rd_omp_lock(RD_OP_MUTEX_UNLOCK, lock, RD_MUTEX_RECURSIVE, rd_omp_pc);
}
RD_OMP_ENTERED(int, omp_test_nest_lock, (void *lock), (lock)) {
    return take_nest(RD_OP_MUTEX_TRYLOCK, lock, rd_omp_pc);
}
