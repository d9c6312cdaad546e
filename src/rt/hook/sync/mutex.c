/* mutex.c - hooks of mutexes. They read the type from the program's own mutex, which is never really locked. */
#include "rt/hook/hook.h"
#include "rt/hook/time/timing.h"

#include <errno.h>

/*
 * glibc's __kind: the low two bits are the type (0 timed, that is normal; 1 recursive; 2 errorcheck; 3 adaptive),
 * bit 4 means robust, higher bits the protocol.
 */
static_assert((int)RD_MUTEX_ROBUST == 16 &&
                  ((int)RD_MUTEX_TYPE & ((int)RD_MUTEX_ROBUST | (int)RD_MUTEX_RELOCK)) == 0,
              "glibc's bit for robust, apart from the bits of the type");

uint64_t rd_mutex_type_of(const pthread_mutex_t *m) {
    uint64_t robust = m->__data.__kind & RD_MUTEX_ROBUST; /* the same bit */
    switch (m->__data.__kind & 3) {
    case PTHREAD_MUTEX_RECURSIVE_NP:
        return RD_MUTEX_RECURSIVE | robust;
    case PTHREAD_MUTEX_ERRORCHECK_NP:
        return RD_MUTEX_ERRORCHECK | robust;
    default:
        return RD_MUTEX_NORMAL | robust;
    }
}

static inline int operate(unsigned kind, pthread_mutex_t *m, uint64_t deadline, uint64_t pc) {
    struct rd_op op = {.kind = (uint8_t)kind, .addr = (uintptr_t)m, .arg = rd_mutex_type_of(m), .pc = pc};
    op.deadline = deadline;
    struct rd_result r;
    rd_hook_check_object(RD_OBJ_MUTEX, m, pc);
    rd_heap_published();
    rd_rt_operate(&op, &r);
    return r.error;
}

RD_EXPORT int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attr) {
    pthread_mutexattr_t kept; /* a copy: other threads may change *attr until the operation has its turn */
    if (attr)
        kept = *attr;
    if (rd_rt_active())
        rd_rt_instant((struct rd_op){.kind = RD_OP_MUTEX_INIT, .addr = (uintptr_t)m, .pc = RD_PC()});
    int r = RD_REAL(pthread_mutex_init)(m, attr ? &kept : NULL);
    if (r == 0 && rd_rt_active())
        rd_hook_remade(m, RD_OP_MUTEX_LOCK, RD_OP_MUTEX_UNLOCK, rd_mutex_type_of(m));
    return r;
}

RD_EXPORT int pthread_mutex_destroy(pthread_mutex_t *m) {
    if (!rd_rt_active())
        return RD_REAL(pthread_mutex_destroy)(m);
    rd_rt_op((struct rd_op){
        .kind = RD_OP_MUTEX_DESTROY, .addr = (uintptr_t)m, .arg = rd_mutex_type_of(m), .pc = RD_PC()});
    rd_hook_mark_destroyed(RD_OBJ_MUTEX, m);
    return 0;
}

RD_ENTERED(int, pthread_mutex_lock, pthread_mutex_t *m) {
    return rd_rt_active() ? operate(RD_OP_MUTEX_LOCK, m, 0, RD_PC()) : RD_REAL(pthread_mutex_lock)(m);
}

RD_ENTERED(int, pthread_mutex_trylock, pthread_mutex_t *m) {
    return rd_rt_active() ? operate(RD_OP_MUTEX_TRYLOCK, m, 0, RD_PC()) : RD_REAL(pthread_mutex_trylock)(m);
}

RD_EXPORT int pthread_mutex_unlock(pthread_mutex_t *m) {
    return rd_rt_active() ? operate(RD_OP_MUTEX_UNLOCK, m, 0, RD_PC()) : RD_REAL(pthread_mutex_unlock)(m);
}

static int timed_lock(pthread_mutex_t *m, clockid_t clock, const struct timespec *until, uint64_t pc) {
    uint64_t deadline = rd_deadline_of_wait(clock, until);
    return deadline ? operate(RD_OP_MUTEX_LOCK, m, deadline, pc) : EINVAL;
}

RD_EXPORT int pthread_mutex_timedlock(pthread_mutex_t *m, const struct timespec *until) {
    return rd_rt_active() ? timed_lock(m, CLOCK_REALTIME, until, RD_PC())
                          : RD_REAL(pthread_mutex_timedlock)(m, until);
}

RD_EXPORT int pthread_mutex_clocklock(pthread_mutex_t *m, clockid_t clock, const struct timespec *until) {
    if (!rd_rt_active())
        return RD_REAL(pthread_mutex_clocklock)(m, clock, until);
    return timed_lock(m, clock, until, RD_PC());
}

RD_EXPORT int pthread_mutex_consistent(pthread_mutex_t *m) {
    if (!rd_rt_active())
        return RD_REAL(pthread_mutex_consistent)(m);
    return rd_rt_instant((struct rd_op){.kind = RD_OP_MUTEX_CONSISTENT, .addr = (uintptr_t)m, .pc = RD_PC()}).error;
}
