/*
 * omp_lock.c - see omp.h: the locks of OpenMP, which both runtimes have under the same names. They are mutexes of
 * the model, by the address of the program's lock. What is in its memory is not used, and not changed: how large it
 * is differs from runtime to runtime.
 */
#include "rt/hook/omp.h"

int rd_omp_lock(unsigned kind, const void *lock, bool nests, uint64_t pc) {
    return rd_rt_instant((struct rd_op){.kind = (uint8_t)kind,
                                        .addr = (uintptr_t)lock,
                                        .arg = nests ? RD_MUTEX_RECURSIVE : RD_MUTEX_NORMAL,
                                        .pc = pc})
        .error;
}

static int depth_of(const void *lock) {
    const struct rd_object *o = rd_world_find(&rd_rt.engine.world, (uintptr_t)lock, RD_OBJ_MUTEX);
    return o ? (int)o->mutex.depth : 0;
}

RD_OMP(void, omp_init_lock, (void *lock), (lock)) { rd_omp_lock(RD_OP_MUTEX_INIT, lock, false, rd_omp_pc); }
RD_OMP(void, omp_init_lock_with_hint, (void *lock, int hint), (lock, hint)) {
    (void)hint;
    rd_omp_lock(RD_OP_MUTEX_INIT, lock, false, rd_omp_pc);
}
RD_OMP(void, omp_destroy_lock, (void *lock), (lock)) { rd_omp_lock(RD_OP_MUTEX_DESTROY, lock, false, rd_omp_pc); }
RD_OMP_ENTERED(void, omp_set_lock, (void *lock), (lock)) { rd_omp_lock(RD_OP_MUTEX_LOCK, lock, false, rd_omp_pc); }
RD_OMP(void, omp_unset_lock, (void *lock), (lock)) { rd_omp_lock(RD_OP_MUTEX_UNLOCK, lock, false, rd_omp_pc); }
RD_OMP_ENTERED(int, omp_test_lock, (void *lock), (lock)) {
    return rd_omp_lock(RD_OP_MUTEX_TRYLOCK, lock, false, rd_omp_pc) == 0;
}

RD_OMP(void, omp_init_nest_lock, (void *lock), (lock)) { rd_omp_lock(RD_OP_MUTEX_INIT, lock, true, rd_omp_pc); }
RD_OMP(void, omp_init_nest_lock_with_hint, (void *lock, int hint), (lock, hint)) {
    (void)hint;
    rd_omp_lock(RD_OP_MUTEX_INIT, lock, true, rd_omp_pc);
}
RD_OMP(void, omp_destroy_nest_lock, (void *lock), (lock)) {
    rd_omp_lock(RD_OP_MUTEX_DESTROY, lock, true, rd_omp_pc);
}
RD_OMP_ENTERED(void, omp_set_nest_lock, (void *lock), (lock)) {
    rd_omp_lock(RD_OP_MUTEX_LOCK, lock, true, rd_omp_pc);
}
RD_OMP(void, omp_unset_nest_lock, (void *lock), (lock)) { rd_omp_lock(RD_OP_MUTEX_UNLOCK, lock, true, rd_omp_pc); }
RD_OMP_ENTERED(int, omp_test_nest_lock, (void *lock), (lock)) {
    return rd_omp_lock(RD_OP_MUTEX_TRYLOCK, lock, true, rd_omp_pc) == 0 ? depth_of(lock) : 0;
}
