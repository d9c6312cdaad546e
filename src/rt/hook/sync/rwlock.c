/* rwlock.c - hooks of read-write locks. */
#include "rt/hook/hook.h"
#include "rt/hook/time/timing.h"

#include <errno.h>

/* As in glibc, PTHREAD_RWLOCK_PREFER_WRITER_NP (which could not allow recursive read locks) has no effect. */
static uint64_t prefers_writers(const pthread_rwlock_t *l) {
    return l->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP;
}

static int operate(unsigned kind, pthread_rwlock_t *l, uint64_t deadline, uint64_t pc) {
    struct rd_op op = {.kind = (uint8_t)kind, .addr = (uintptr_t)l, .pc = pc};
    rd_hook_check_object(RD_OBJ_RWLOCK, l, pc);
    op.arg = prefers_writers(l);
    if (kind == RD_OP_RWLOCK_WRLOCK && op.arg) {
        struct rd_op queue = op;
        queue.kind = RD_OP_RWLOCK_QUEUE;
        rd_rt_op(queue);
    }
    op.deadline = deadline;
    return rd_rt_op(op).error;
}

static int timed(unsigned kind, pthread_rwlock_t *l, clockid_t clock, const struct timespec *until, uint64_t pc) {
    uint64_t deadline = rd_deadline_of_wait(clock, until);
    return deadline ? operate(kind, l, deadline, pc) : EINVAL;
}

RD_EXPORT int pthread_rwlock_init(pthread_rwlock_t *l, const pthread_rwlockattr_t *attr) {
    pthread_rwlockattr_t kept; /* a copy: other threads may change *attr until the operation has its turn */
    if (attr)
        kept = *attr;
    rd_hook_object_init(l, RD_PC());
    return RD_REAL(pthread_rwlock_init)(l, attr ? &kept : NULL);
}

RD_EXPORT int pthread_rwlock_destroy(pthread_rwlock_t *l) {
    if (!rd_rt_active())
        return RD_REAL(pthread_rwlock_destroy)(l);
    rd_hook_object_destroy(RD_OBJ_RWLOCK, l, RD_PC());
    return 0;
}

RD_ENTERED(int, pthread_rwlock_rdlock, pthread_rwlock_t *l) {
    return rd_rt_active() ? operate(RD_OP_RWLOCK_RDLOCK, l, 0, RD_PC()) : RD_REAL(pthread_rwlock_rdlock)(l);
}

RD_ENTERED(int, pthread_rwlock_tryrdlock, pthread_rwlock_t *l) {
    return rd_rt_active() ? operate(RD_OP_RWLOCK_TRYRDLOCK, l, 0, RD_PC()) : RD_REAL(pthread_rwlock_tryrdlock)(l);
}

RD_ENTERED(int, pthread_rwlock_wrlock, pthread_rwlock_t *l) {
    return rd_rt_active() ? operate(RD_OP_RWLOCK_WRLOCK, l, 0, RD_PC()) : RD_REAL(pthread_rwlock_wrlock)(l);
}

RD_ENTERED(int, pthread_rwlock_trywrlock, pthread_rwlock_t *l) {
    return rd_rt_active() ? operate(RD_OP_RWLOCK_TRYWRLOCK, l, 0, RD_PC()) : RD_REAL(pthread_rwlock_trywrlock)(l);
}

RD_EXPORT int pthread_rwlock_unlock(pthread_rwlock_t *l) {
    return rd_rt_active() ? operate(RD_OP_RWLOCK_UNLOCK, l, 0, RD_PC()) : RD_REAL(pthread_rwlock_unlock)(l);
}

RD_EXPORT int pthread_rwlock_timedrdlock(pthread_rwlock_t *l, const struct timespec *until) {
    return rd_rt_active() ? timed(RD_OP_RWLOCK_RDLOCK, l, CLOCK_REALTIME, until, RD_PC())
                          : RD_REAL(pthread_rwlock_timedrdlock)(l, until);
}

RD_EXPORT int pthread_rwlock_timedwrlock(pthread_rwlock_t *l, const struct timespec *until) {
    return rd_rt_active() ? timed(RD_OP_RWLOCK_WRLOCK, l, CLOCK_REALTIME, until, RD_PC())
                          : RD_REAL(pthread_rwlock_timedwrlock)(l, until);
}

RD_EXPORT int pthread_rwlock_clockrdlock(pthread_rwlock_t *l, clockid_t clock, const struct timespec *until) {
    return rd_rt_active() ? timed(RD_OP_RWLOCK_RDLOCK, l, clock, until, RD_PC())
                          : RD_REAL(pthread_rwlock_clockrdlock)(l, clock, until);
}

RD_EXPORT int pthread_rwlock_clockwrlock(pthread_rwlock_t *l, clockid_t clock, const struct timespec *until) {
    return rd_rt_active() ? timed(RD_OP_RWLOCK_WRLOCK, l, clock, until, RD_PC())
                          : RD_REAL(pthread_rwlock_clockwrlock)(l, clock, until);
}
