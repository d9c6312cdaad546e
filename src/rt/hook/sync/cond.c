/* cond.c - hooks of condition variables. A wait is two operations, or three: see model/cond.c. */
#include "rt/hook/hook.h"
#include "rt/hook/time/timing.h"

#include <errno.h>

RD_EXPORT int pthread_cond_init(pthread_cond_t *c, const pthread_condattr_t *attr) {
    pthread_condattr_t kept; /* a copy: other threads may change *attr until the operation has its turn */
    if (attr)
        kept = *attr;
    if (rd_rt_active())
        rd_rt_instant((struct rd_op){.kind = RD_OP_COND_INIT, .addr = (uintptr_t)c, .pc = RD_PC()});
    return RD_REAL(pthread_cond_init)(c, attr ? &kept : NULL);
}

RD_EXPORT int pthread_cond_destroy(pthread_cond_t *c) {
    if (!rd_rt_active())
        return RD_REAL(pthread_cond_destroy)(c);
    rd_rt_op((struct rd_op){.kind = RD_OP_COND_DESTROY, .addr = (uintptr_t)c, .pc = RD_PC()});
    rd_hook_mark_destroyed(RD_OBJ_COND, c);
    return 0;
}

/*
 * Takes the mutex back after a wait that ended with `error`; returns the error of that, or `error`. A thread that
 * was cancelled in the wait does not return from taking the mutex.
 */
static int relock(const struct rd_op *wait, int error) {
    struct rd_op op = {.kind = RD_OP_MUTEX_LOCK, .addr = wait->addr2, .pc = wait->pc};
    op.arg = wait->arg | RD_MUTEX_RELOCK;
    int lock_error = rd_rt_op(op).error;
    return lock_error ? lock_error : error;
}

/* A condition wait, while its thread waits. */
struct unfinished {
    const struct rd_op *wait;
    bool waits;
};

/*
 * A signal handler that has interrupted the wait ends the thread, or throws an exception: the thread leaves the
 * condition and takes its mutex back, as in glibc, and cleanup handlers of the program may unlock it.
 */
static void leave(const struct unfinished *u) {
    if (!u->waits)
        return;
    struct rd_op op = *u->wait;
    op.kind = RD_OP_COND_WAKE;
    op.addr2 = 0;
    op.arg |= RD_MUTEX_LEFT;
    rd_rt_op(op);
    relock(u->wait, 0);
}

int rd_hook_cond_wait(pthread_cond_t *c, pthread_mutex_t *m, uint64_t deadline, uint64_t pc) {
    struct rd_op op = {.kind = RD_OP_COND_WAIT, .addr = (uintptr_t)c, .addr2 = (uintptr_t)m, .pc = pc};
    op.arg = rd_mutex_type_of(m);
    rd_hook_check_object(RD_OBJ_COND, c, pc);
    rd_hook_check_object(RD_OBJ_MUTEX, m, pc);
    int error = rd_rt_op(op).error;
    if (error)
        return error;
    struct rd_op wake = op;
    bool apart = deadline || op.arg & RD_MUTEX_ROBUST; /* see model/cond.c */
    wake.kind = RD_OP_COND_WAKE;
    wake.deadline = deadline;
    wake.addr2 = apart ? 0 : op.addr2;
    __attribute__((cleanup(leave))) struct unfinished unfinished = {&op, true};
    error = rd_rt_op(wake).error;
    unfinished.waits = false;
    return apart || error == ECANCELED ? relock(&op, error) : error;
}

RD_EXPORT int pthread_cond_wait(pthread_cond_t *c, pthread_mutex_t *m) {
    return rd_rt_active() ? rd_hook_cond_wait(c, m, 0, RD_PC()) : RD_REAL(pthread_cond_wait)(c, m);
}

static int timed_wait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock, const struct timespec *until,
                      uint64_t pc) {
    uint64_t deadline = rd_deadline_of_wait(clock, until);
    return deadline ? rd_hook_cond_wait(c, m, deadline, pc) : EINVAL;
}

/* glibc keeps the clock of a condition variable (pthread_condattr_setclock) in bit 1 of __wrefs. */
static clockid_t clock_of(const pthread_cond_t *c) {
    enum { CLOCK_BIT = 2 };
    return c->__data.__wrefs & CLOCK_BIT ? CLOCK_MONOTONIC : CLOCK_REALTIME;
}

RD_EXPORT int pthread_cond_timedwait(pthread_cond_t *c, pthread_mutex_t *m, const struct timespec *until) {
    return rd_rt_active() ? timed_wait(c, m, clock_of(c), until, RD_PC())
                          : RD_REAL(pthread_cond_timedwait)(c, m, until);
}

RD_EXPORT int pthread_cond_clockwait(pthread_cond_t *c, pthread_mutex_t *m, clockid_t clock,
                                     const struct timespec *until) {
    if (!rd_rt_active())
        return RD_REAL(pthread_cond_clockwait)(c, m, clock, until);
    return timed_wait(c, m, clock, until, RD_PC());
}

int rd_hook_cond_notify(unsigned kind, pthread_cond_t *c, uint64_t pc) {
    RD_CHECK(kind == RD_OP_COND_SIGNAL || kind == RD_OP_COND_BROADCAST);
    rd_hook_check_object(RD_OBJ_COND, c, pc);
    return rd_rt_op((struct rd_op){.kind = (uint8_t)kind, .addr = (uintptr_t)c, .pc = pc}).error;
}

RD_EXPORT int pthread_cond_signal(pthread_cond_t *c) {
    return rd_rt_active() ? rd_hook_cond_notify(RD_OP_COND_SIGNAL, c, RD_PC()) : RD_REAL(pthread_cond_signal)(c);
}

RD_EXPORT int pthread_cond_broadcast(pthread_cond_t *c) {
    return rd_rt_active() ? rd_hook_cond_notify(RD_OP_COND_BROADCAST, c, RD_PC())
                          : RD_REAL(pthread_cond_broadcast)(c);
}
