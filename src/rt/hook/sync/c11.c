/*
 * c11.c - hooks of C11 <threads.h>. glibc's types hold the pthread types (a mtx_t holds a pthread_mutex_t, and so
 * on), so each call is the pthread operation with C11's results.
 */
#include "rt/hook/hook.h"
#include "rt/hook/time/timing.h"

#include <errno.h>
#include <stdlib.h>
#include <threads.h>

static_assert(sizeof(thrd_t) == sizeof(pthread_t) && sizeof(tss_t) == sizeof(pthread_key_t), "glibc");
static_assert(sizeof(mtx_t) >= offsetof(pthread_mutex_t, __data.__kind) + sizeof(int), "a mtx_t is a mutex");
static_assert(sizeof(cnd_t) == sizeof(pthread_cond_t), "a cnd_t is a condition variable");
static_assert(sizeof(once_flag) == sizeof(int), "a once_flag is a pthread_once_t");

/* C11's result for an errno value. */
static int result(int error) {
    switch (error) {
    case 0:
        return thrd_success;
    case EBUSY:
        return thrd_busy;
    case ETIMEDOUT:
        return thrd_timedout;
    case ENOMEM:
        return thrd_nomem;
    default:
        return thrd_error;
    }
}

/* The function that a new thread calls, with its argument. */
struct c11_start {
    thrd_start_t fn;
    void *arg;
};

/* The start function of a C11 thread. `callback` is 0 for the free, which is no call of the program. */
static void *run(void *arg) {
    struct c11_start s = *(struct c11_start *)arg;
    rd_self->callback = 0;
    free(arg);
    rd_self->callback = (uintptr_t)s.fn;
    return (void *)(intptr_t)s.fn(s.arg);
}

RD_EXPORT int thrd_create(thrd_t *to, thrd_start_t fn, void *arg) {
    if (!rd_rt_active())
        return RD_REAL(thrd_create)(to, fn, arg);
    struct c11_start *s = malloc(sizeof *s);
    if (!s)
        return thrd_nomem;
    *s = (struct c11_start){fn, arg};
    return result(rd_hook_create((pthread_t *)to, NULL, run, s, (uintptr_t)fn, RD_PC()));
}

RD_EXPORT int thrd_join(thrd_t t, int *to) {
    if (!rd_rt_active())
        return RD_REAL(thrd_join)(t, to);
    return result(rd_hook_join((pthread_t)t, to, sizeof *to, 0, RD_OP_JOIN, RD_PC()));
}

RD_EXPORT int thrd_detach(thrd_t t) {
    return rd_rt_active() ? result(pthread_detach((pthread_t)t)) : RD_REAL(thrd_detach)(t);
}

RD_EXPORT _Noreturn void thrd_exit(int value) {
    if (!rd_rt_active())
        RD_REAL(thrd_exit)(value);
    rd_vthread_exit((void *)(intptr_t)value);
}

RD_EXPORT int thrd_sleep(const struct timespec *wanted, struct timespec *left) {
    if (!rd_rt_active())
        return RD_REAL(thrd_sleep)(wanted, left);
    return rd_hook_sleep(wanted, RD_PC()) ? -2 : 0;
}

RD_EXPORT void thrd_yield(void) {
    if (rd_rt_active())
        rd_rt_op((struct rd_op){.kind = RD_OP_YIELD, .pc = RD_PC()});
    else
        RD_REAL(sched_yield)();
}

static int mutex(unsigned kind, mtx_t *m, uint64_t deadline, uint64_t pc) {
    struct rd_op op = {.kind = (uint8_t)kind, .addr = (uintptr_t)m, .deadline = deadline, .pc = pc};
    rd_hook_check_object(RD_OBJ_MUTEX, m, pc);
    op.arg = rd_mutex_type_of((pthread_mutex_t *)m);
    return result(rd_rt_op(op).error);
}

RD_EXPORT int mtx_init(mtx_t *m, int type) {
    rd_hook_object_init(m, RD_PC());
    return RD_REAL(mtx_init)(m, type);
}

RD_EXPORT void mtx_destroy(mtx_t *m) {
    if (rd_rt_active())
        rd_hook_object_destroy(RD_OBJ_MUTEX, m, RD_PC());
}

RD_ENTERED(int, mtx_lock, mtx_t *m) {
    return rd_rt_active() ? mutex(RD_OP_MUTEX_LOCK, m, 0, RD_PC()) : RD_REAL(mtx_lock)(m);
}

RD_ENTERED(int, mtx_trylock, mtx_t *m) {
    return rd_rt_active() ? mutex(RD_OP_MUTEX_TRYLOCK, m, 0, RD_PC()) : RD_REAL(mtx_trylock)(m);
}

RD_EXPORT int mtx_unlock(mtx_t *m) {
    return rd_rt_active() ? mutex(RD_OP_MUTEX_UNLOCK, m, 0, RD_PC()) : RD_REAL(mtx_unlock)(m);
}

RD_EXPORT int mtx_timedlock(mtx_t *restrict m, const struct timespec *restrict until) {
    if (!rd_rt_active())
        return RD_REAL(mtx_timedlock)(m, until);
    uint64_t deadline = rd_deadline(CLOCK_REALTIME, until);
    return deadline ? mutex(RD_OP_MUTEX_LOCK, m, deadline, RD_PC()) : thrd_error;
}

RD_EXPORT int cnd_init(cnd_t *c) {
    rd_hook_object_init(c, RD_PC());
    return RD_REAL(cnd_init)(c);
}

RD_EXPORT void cnd_destroy(cnd_t *c) {
    if (rd_rt_active())
        rd_hook_object_destroy(RD_OBJ_COND, c, RD_PC());
}

RD_EXPORT int cnd_wait(cnd_t *c, mtx_t *m) {
    if (!rd_rt_active())
        return RD_REAL(cnd_wait)(c, m);
    return result(rd_hook_cond_wait((pthread_cond_t *)c, (pthread_mutex_t *)m, 0, RD_PC()));
}

RD_EXPORT int cnd_timedwait(cnd_t *restrict c, mtx_t *restrict m, const struct timespec *restrict until) {
    if (!rd_rt_active())
        return RD_REAL(cnd_timedwait)(c, m, until);
    uint64_t deadline = rd_deadline(CLOCK_REALTIME, until);
    if (!deadline)
        return thrd_error;
    return result(rd_hook_cond_wait((pthread_cond_t *)c, (pthread_mutex_t *)m, deadline, RD_PC()));
}

static int notify(unsigned kind, cnd_t *c, uint64_t pc) {
    return result(rd_hook_cond_notify(kind, (pthread_cond_t *)c, pc));
}

RD_EXPORT int cnd_signal(cnd_t *c) {
    return rd_rt_active() ? notify(RD_OP_COND_SIGNAL, c, RD_PC()) : RD_REAL(cnd_signal)(c);
}

RD_EXPORT int cnd_broadcast(cnd_t *c) {
    return rd_rt_active() ? notify(RD_OP_COND_BROADCAST, c, RD_PC()) : RD_REAL(cnd_broadcast)(c);
}

RD_EXPORT void call_once(once_flag *flag, void (*routine)(void)) {
    if (rd_rt_active())
        rd_hook_once((int *)flag, routine, RD_PC());
    else
        RD_REAL(call_once)(flag, routine);
}

RD_EXPORT int tss_create(tss_t *key, tss_dtor_t fn) { return result(pthread_key_create((pthread_key_t *)key, fn)); }
RD_EXPORT void tss_delete(tss_t key) { pthread_key_delete((pthread_key_t)key); }
