/*
 * cancel.c - cancellation. A request takes effect at the target's next operation that is a cancellation point (or
 * at any, when the target asked for asynchronous cancellation); rd_rt_op then leaves the thread by unwinding, so
 * cleanup handlers and destructors run as they do for pthread_exit.
 */
#include "rt/hook/hook.h"
#include "rt/access/shared_access.h"

#include <errno.h>

RD_EXPORT int pthread_cancel(pthread_t t) {
    if (!rd_rt_active())
        return RD_REAL(pthread_cancel)(t);
    struct rd_vthread *v = rd_vthread_of(t);
    if (!v)
        return ESRCH;
    struct rd_op op = {.kind = RD_OP_CANCEL, .addr = (uintptr_t)v, .arg = v->tid, .pc = RD_PC()};
    return rd_rt_op(op).error;
}

RD_EXPORT void pthread_testcancel(void) {
    if (rd_rt_active())
        rd_rt_op((struct rd_op){.kind = RD_OP_TESTCANCEL, .addr = (uintptr_t)rd_self, .pc = RD_PC()});
    else
        RD_REAL(pthread_testcancel)();
}

RD_EXPORT int pthread_setcancelstate(int state, int *old) {
    if (!rd_rt_active())
        return RD_REAL(pthread_setcancelstate)(state, old);
    if (state != PTHREAD_CANCEL_ENABLE && state != PTHREAD_CANCEL_DISABLE)
        return EINVAL;
    struct rd_thread *t = &rd_rt.engine.world.threads[rd_self->tid];
    if (old)
        *old = t->cancel_off ? PTHREAD_CANCEL_DISABLE : PTHREAD_CANCEL_ENABLE;
    t->cancel_off = state == PTHREAD_CANCEL_DISABLE;
    return 0;
}

RD_EXPORT int pthread_setcanceltype(int type, int *old) {
    if (!rd_rt_active())
        return RD_REAL(pthread_setcanceltype)(type, old);
    if (type != PTHREAD_CANCEL_DEFERRED && type != PTHREAD_CANCEL_ASYNCHRONOUS)
        return EINVAL;
    struct rd_thread *t = &rd_rt.engine.world.threads[rd_self->tid];
    if (old)
        *old = t->cancel_any ? PTHREAD_CANCEL_ASYNCHRONOUS : PTHREAD_CANCEL_DEFERRED;
    t->cancel_any = type == PTHREAD_CANCEL_ASYNCHRONOUS;
    if (t->cancel_any) {
        rd_rt.channel->execution.outcome.cancel_any = 1;
        rd_sharing_all();
        pthread_testcancel();
    }
    return 0;
}
