/* thread.c - hooks of threads: create, join, detach, exit, names. */
#include "rt/access/shared_access.h"
#include "rt/hook/hook.h"
#include "rt/hook/time/timing.h"

#include "base/text.h"
#include "rt/layout.h"
#include "rt/thread/failure_point.h"
#include "rt/hook/time/timer.h"

#include <errno.h>
#include <string.h>
#include <sys/prctl.h>

enum { GUARD = 4096 }; /* bytes of a stack's guard, without an attribute for it */
static_assert(sizeof rd_self->name == 16, "PR_GET_NAME and PR_SET_NAME");
static_assert(RD_TID_MAX == 1024, "the message of rd_hook_create contains the number");

void rd_hook_misuse(const char *what, uint64_t pc) { rd_hook_misuse_since(what, pc, RD_TID_NONE, 0); }

void rd_hook_misuse_since(const char *what, uint64_t pc, rd_tid tid, rd_place other) {
    rd_failure_point(pc);
    rd_rt_enter();
    struct rd_finding f = {.kind = RD_MISUSE, .tid = rd_self->tid, .pc = rd_place_code(pc)};
    f.other_tid = tid;
    f.other_pc = other;
    f.key = rd_hash2(RD_MISUSE, f.pc);
    rd_text_copy(f.message, sizeof f.message, what);
    rd_rt_found(&f);
}

int rd_hook_create(pthread_t *to, const pthread_attr_t *attr, void *(*fn)(void *), void *arg, uint64_t entry,
                   uint64_t pc) {
    if (!rd_rt.threaded)
        rd_rt_checkpoint();
    int detach = PTHREAD_CREATE_JOINABLE;
    pthread_attr_t kept; /* a copy: other threads may change *attr until the operation has its turn */
    if (attr) {
        rd_hook_argument(attr, sizeof kept, pc);
        kept = *attr;
        attr = &kept;
        pthread_attr_getdetachstate(attr, &detach);
    }
    uint64_t detached = detach == PTHREAD_CREATE_DETACHED;
    struct rd_op create = {.kind = RD_OP_CREATE, .arg = detached, .pc = pc};
    rd_hook_stores(&create, to, sizeof *to);
    struct rd_result r = rd_rt_op(create);
    if (r.error)
        rd_rt_refuse("the program has more than 1024 threads in one execution");
    RD_CHECK(r.value > 0 && r.value < rd_rt.engine.world.count &&
             r.value != rd_self->tid); /* a new thread's number */
    rd_rt_enter();
    int saved = errno; /* real calls follow */
    struct rd_vthread *v = rd_vthread_new((rd_tid)r.value);
    v->fn = fn;
    v->arg = arg;
    size_t guard = GUARD;
    if (attr)
        pthread_attr_getguardsize(attr, &guard);
    v->guard = (uint32_t)RD_MIN(guard, (size_t)UINT32_MAX);
    memcpy(v->name, rd_self->name, sizeof v->name); /* a thread starts with its creator's name */
    if (rd_rt.backend->carrier(v, attr) != 0)
        rd_rt_refuse("cannot create a thread: the system refuses its stack or the thread (a limit of processes, or "
                     "of the program's memory?)");
    *to = v->handle;
    RD_CHECK(v->tid == r.value && rd_rt.engine.world.threads[v->tid].state == RD_T_READY);
    struct rd_op start = {.kind = RD_OP_START, .pc = rd_place_of(entry)};
    rd_engine_announce(&rd_rt.engine, v->tid, &start);
    rd_timers_note();
    if (rd_rt.engine.world.threads[rd_self->tid].cancel_any) { /* set while the program had one thread */
        rd_rt.channel->execution.outcome.cancel_any = 1;
        rd_sharing_all();
    }
    rd_errno_back(saved);
    rd_rt_leave();
    return 0;
}

RD_EXPORT int pthread_create(pthread_t *to, const pthread_attr_t *attr, void *(*fn)(void *), void *arg) {
    if (!rd_rt_active())
        return RD_REAL(pthread_create)(to, attr, fn, arg);
    return rd_hook_create(to, attr, fn, arg, (uintptr_t)fn, RD_PC());
}

/* Stores a thread's result, as an int or as a pointer. */
static void store(void *to, uint32_t size, const void *value) {
    int narrow = (int)(intptr_t)value;
    RD_CHECK(size == sizeof narrow || size == sizeof value);
    memcpy(to, size == sizeof narrow ? (const void *)&narrow : (const void *)&value, size);
}

int rd_hook_join(pthread_t t, void *to, uint32_t size, uint64_t deadline, unsigned kind, uint64_t pc) {
    struct rd_vthread *v = rd_vthread_of(t);
    if (!v)
        return ESRCH;
    struct rd_op op = {.kind = (uint8_t)kind, .arg = v->tid, .deadline = deadline, .pc = pc};
    rd_hook_stores(&op, to, size);
    struct rd_result r = rd_rt_op(op);
    RD_CHECK(r.error || rd_rt.engine.world.threads[v->tid].state == RD_T_FINISHED);
    if (r.error == 0 && to)
        store(to, size, v->retval);
    return r.error;
}

RD_EXPORT int pthread_join(pthread_t t, void **retval) {
    return rd_rt_active() ? rd_hook_join(t, retval, sizeof *retval, 0, RD_OP_JOIN, RD_PC())
                          : RD_REAL(pthread_join)(t, retval);
}

RD_EXPORT int pthread_tryjoin_np(pthread_t t, void **retval) {
    return rd_rt_active() ? rd_hook_join(t, retval, sizeof *retval, 0, RD_OP_TRYJOIN, RD_PC())
                          : RD_REAL(pthread_tryjoin_np)(t, retval);
}

RD_EXPORT int pthread_timedjoin_np(pthread_t t, void **retval, const struct timespec *until) {
    if (!rd_rt_active())
        return RD_REAL(pthread_timedjoin_np)(t, retval, until);
    uint64_t deadline = rd_deadline(CLOCK_REALTIME, until);
    return deadline ? rd_hook_join(t, retval, sizeof *retval, deadline, RD_OP_JOIN, RD_PC()) : EINVAL;
}

RD_EXPORT int pthread_clockjoin_np(pthread_t t, void **retval, clockid_t clock, const struct timespec *until) {
    if (!rd_rt_active())
        return RD_REAL(pthread_clockjoin_np)(t, retval, clock, until);
    uint64_t deadline = rd_deadline_of_wait(clock, until);
    return deadline ? rd_hook_join(t, retval, sizeof *retval, deadline, RD_OP_JOIN, RD_PC()) : EINVAL;
}

RD_EXPORT int pthread_detach(pthread_t t) {
    if (!rd_rt_active())
        return RD_REAL(pthread_detach)(t);
    struct rd_vthread *v = rd_vthread_of(t);
    if (!v)
        return ESRCH;
    return rd_rt_instant((struct rd_op){.kind = RD_OP_DETACH, .arg = v->tid, .pc = RD_PC()}).error;
}

RD_EXPORT _Noreturn void pthread_exit(void *retval) {
    if (!rd_rt_active())
        RD_REAL(pthread_exit)(retval);
    rd_vthread_exit(retval);
}

/* libc describes the carrier: its stack is the thread's, but its detach state and its guard size are not. */
RD_EXPORT int pthread_getattr_np(pthread_t t, pthread_attr_t *attr) {
    int error = RD_REAL(pthread_getattr_np)(t, attr);
    struct rd_vthread *v = !error && rd_rt_active() ? rd_vthread_of(t) : NULL;
    if (v) {
        bool detached = rd_rt.engine.world.threads[v->tid].detached;
        pthread_attr_setdetachstate(attr, detached ? PTHREAD_CREATE_DETACHED : PTHREAD_CREATE_JOINABLE);
        if ((uintptr_t)v->stack_low - RD_STACKS_AT < RD_TID_MAX * RD_STACK_SLOT)
            pthread_attr_setguardsize(attr, v->guard); /* libc has 0: the runtime gave it the stack */
    }
    return error;
}

RD_EXPORT int pthread_setname_np(pthread_t t, const char *name) {
    if (!rd_rt_active())
        return RD_REAL(pthread_setname_np)(t, name);
    struct rd_vthread *v = rd_vthread_of(t);
    if (!v)
        return ESRCH;
    if (strlen(name) >= sizeof v->name)
        return ERANGE;
    rd_text_copy(v->name, sizeof v->name, name);
    /* a debugger shows the kernel's name of the thread */
    return rd_rt.backend == &rd_backend_kernel ? RD_REAL(pthread_setname_np)(t, name) : 0;
}

/*
 * The thread's name as the program sees it. The kernel's names are the carriers', or "T1" and so on for a debugger.
 */
static const char *name_of(const struct rd_vthread *v) { return v->name[0] ? v->name : rd_rt.first_name; }

RD_EXPORT int pthread_getname_np(pthread_t t, char *name, size_t room) {
    if (!rd_rt_active())
        return RD_REAL(pthread_getname_np)(t, name, room);
    struct rd_vthread *v = rd_vthread_of(t);
    if (!v)
        return ESRCH;
    if (room < sizeof v->name)
        return ERANGE;
    rd_text_copy(name, room, name_of(v));
    return 0;
}

bool rd_hook_prctl(long what, long arg) {
    struct rd_vthread *v = rd_self;
    char name[sizeof v->name] = "";
    if (what != PR_GET_NAME && what != PR_SET_NAME)
        return false;
    if (what == PR_GET_NAME) {
        rd_text_copy(name, sizeof name, name_of(v));
        memcpy((void *)arg, name, sizeof name);
        return true;
    }
    rd_text_copy(v->name, sizeof v->name, (const char *)arg);
    /* the kernel keeps the name, too, of a thread that is a kernel thread by itself: other processes can read it */
    return rd_rt.backend != &rd_backend_kernel && v->tid != 0;
}

RD_EXPORT int __cxa_thread_atexit_impl(void (*fn)(void *), void *obj, void *dso) {
    if (!rd_self)
        return ((int (*)(void (*)(void *), void *, void *))rd_real.__cxa_thread_atexit_impl)(fn, obj, dso);
    rd_vthread_add_dtor(fn, obj);
    return 0;
}
