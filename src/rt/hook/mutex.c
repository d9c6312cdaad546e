/* mutex.c - interposers for mutexes. The type is read from the program's own mutex, which is never really locked.
 */
#include "rt/hook/hook.h"

/* Types as glibc stores them: 0 timed (normal), 1 recursive, 2 errorcheck, 3 adaptive; higher bits are protocols.
 */
static uint64_t type_of(const pthread_mutex_t *m) {
    switch (m->__data.__kind & 3) {
    case PTHREAD_MUTEX_RECURSIVE_NP:
        return RD_MUTEX_RECURSIVE;
    case PTHREAD_MUTEX_ERRORCHECK_NP:
        return RD_MUTEX_ERRORCHECK;
    default:
        return RD_MUTEX_NORMAL;
    }
}

static int operate(unsigned kind, pthread_mutex_t *m, uint64_t pc) {
    struct rd_op op = {.kind = (uint8_t)kind, .addr = (uintptr_t)m, .arg = type_of(m), .pc = pc};
    return rd_rt_op(op).error;
}

RD_EXPORT int pthread_mutex_init(pthread_mutex_t *m, const pthread_mutexattr_t *attr) {
    if (rd_rt_active())
        rd_rt_instant((struct rd_op){.kind = RD_OP_MUTEX_INIT, .addr = (uintptr_t)m, .pc = RD_PC()});
    return RD_REAL(pthread_mutex_init)(m, attr);
}

RD_EXPORT int pthread_mutex_destroy(pthread_mutex_t *m) {
    if (!rd_rt_active())
        return RD_REAL(pthread_mutex_destroy)(m);
    rd_rt_instant((struct rd_op){.kind = RD_OP_MUTEX_DESTROY, .addr = (uintptr_t)m, .pc = RD_PC()});
    return 0;
}

RD_EXPORT int pthread_mutex_lock(pthread_mutex_t *m) {
    return rd_rt_active() ? operate(RD_OP_MUTEX_LOCK, m, RD_PC()) : RD_REAL(pthread_mutex_lock)(m);
}

RD_EXPORT int pthread_mutex_trylock(pthread_mutex_t *m) {
    return rd_rt_active() ? operate(RD_OP_MUTEX_TRYLOCK, m, RD_PC()) : RD_REAL(pthread_mutex_trylock)(m);
}

RD_EXPORT int pthread_mutex_unlock(pthread_mutex_t *m) {
    return rd_rt_active() ? operate(RD_OP_MUTEX_UNLOCK, m, RD_PC()) : RD_REAL(pthread_mutex_unlock)(m);
}

RD_EXPORT int pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *attr) {
    if (rd_rt_active())
        rd_rt_instant((struct rd_op){.kind = RD_OP_COND_INIT, .addr = (uintptr_t)c, .pc = RD_PC()});
    return RD_REAL(pthread_cond_init)(c, attr);
}

RD_EXPORT int pthread_cond_destroy(pthread_cond_t *c) {
    if (!rd_rt_active())
        return RD_REAL(pthread_cond_destroy)(c);
    rd_rt_instant((struct rd_op){.kind = RD_OP_COND_DESTROY, .addr = (uintptr_t)c, .pc = RD_PC()});
    return 0;
}

RD_EXPORT int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m) {
    if (!rd_rt_active())
        return RD_REAL(pthread_cond_wait)(c, m);
    struct rd_op op = {.kind = RD_OP_COND_WAIT, .addr = (uintptr_t)c, .addr2 = (uintptr_t)m, .pc = RD_PC()};
    op.arg = type_of(m);
    int error = rd_rt_op(op).error;
    if (error)
        return error;
    op.kind = RD_OP_COND_WAKE;
    return rd_rt_op(op).error;
}

static int notify(unsigned kind, pthread_cond_t *c, uint64_t pc) {
    return rd_rt_op((struct rd_op){.kind = (uint8_t)kind, .addr = (uintptr_t)c, .pc = pc}).error;
}

RD_EXPORT int pthread_cond_signal(pthread_cond_t *c) {
    return rd_rt_active() ? notify(RD_OP_COND_SIGNAL, c, RD_PC()) : RD_REAL(pthread_cond_signal)(c);
}

RD_EXPORT int pthread_cond_broadcast(pthread_cond_t *c) {
    return rd_rt_active() ? notify(RD_OP_COND_BROADCAST, c, RD_PC()) : RD_REAL(pthread_cond_broadcast)(c);
}
