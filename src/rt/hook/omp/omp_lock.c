/*
 * omp_lock.c - see omp.h: the locks of OpenMP, which both runtimes have under the same names. They are mutexes of
 * the model, by the address of the program's lock. What is in its memory is not used, and not changed: how large it
 * is differs from runtime to runtime.
 */
#include "rt/hook/omp/omp.h"

int rd_omp_lock(unsigned kind, const void *lock, unsigned type, uint64_t pc) {
    struct rd_op op = {.kind = (uint8_t)kind, .addr = (uintptr_t)lock, .arg = type, .pc = pc};
    return (kind == RD_OP_MUTEX_LOCK ? rd_rt_op(op) : rd_rt_instant(op)).error; /* it may wait for itself */
}

/* ---- locks that nest: gcc's runtime has them owned by tasks, clang's by threads ---- */

/* Which task of the thread took the lock, while the thread has it: the model knows threads only. */
struct rd_omp_nest {
    struct rd_omp_nest *next;
    const void *lock;
    uint64_t number;
};

static const struct rd_mutex *mutex_at(const void *lock) {
    const struct rd_object *o = rd_world_find(&rd_rt.engine.world, (uintptr_t)lock, RD_OBJ_MUTEX);
    return o ? &o->mutex : NULL;
}

static struct rd_omp_nest *nest_of(struct rd_omp *o, const void *lock) {
    for (struct rd_omp_nest *n = o->nests; n; n = n->next)
        if (n->lock == lock)
            return n;
    rd_rt_enter();
    struct rd_omp_nest *n = rd_arena_zero(&rd_rt.arena, sizeof *n);
    rd_rt_leave();
    *n = (struct rd_omp_nest){o->nests, lock, 0};
    o->nests = n;
    return n;
}

/*
 * Takes it; how often the task has it then, or 0. A task never changes its thread. So what another task of this
 * thread has is not given back while this one waits: it waits as for a mutex that does not nest.
 */
static int take_nest(unsigned kind, const void *lock, uint64_t pc) {
    struct rd_omp *o = rd_omp_self();
    struct rd_omp_nest *n = nest_of(o, lock);
    const struct rd_mutex *m = mutex_at(lock);
    bool mine = m && m->owner == rd_self->tid, others = mine && !rd_omp_is_clang() && n->number != o->me.number;
    if (rd_omp_lock(kind, lock, others ? RD_MUTEX_NORMAL : RD_MUTEX_RECURSIVE, pc) != 0)
        return 0;
    n->number = o->me.number;
    return (int)mutex_at(lock)->depth;
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
