/*
 * vthread.c - the life of a thread of the program: its body, its end, pthread_exit.
 *
 * glibc's own end of a thread never runs (in the virtual backend it would end the wrong kernel thread), so what it
 * does is done here: C++ thread_local destructors, then destructors of thread-specific data, then the next thread.
 * pthread_exit is a forced unwind with a stop function of our own: C++ destructors and cleanup attributes run as
 * the frames go; pthread_cleanup_push in C without -fexceptions keeps jump buffers, which are honoured in between.
 */
#include "rt/thread/vthread.h"

#include "rt/access/shared_access.h"
#include "rt/address/place_of_address.h"
#include "rt/end_execution.h"
#include "rt/heap/program_heap.h"
#include "rt/hook/called_by_runtime.h"
#include "rt/hook/hook.h"
#include "rt/hook/omp/omp.h"
#include "rt/inside.h"
#include "rt/layout.h"
#include "rt/libc/libc_functions.h"
#include "rt/raw.h"
#include "rt/scheduling_point.h"
#include "rt/state.h"
#include "rt/thread/ctx.h"
#include "trace/place.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__thread struct rd_vthread *rd_self __attribute__((tls_model("initial-exec")));

struct rd_vthread *rd_vthread_new(rd_tid tid) {
    struct rd_vthread *v = rd_rt.threads[tid];
    if (!v) {
        v = rd_arena_zero(&rd_rt.arena, sizeof *v);
        v->tid = tid;
        rd_sharing_thread(v);
        rd_rt.threads[tid] = v;
    }
    return v;
}

void rd_vthread_init_main(void) {
    struct rd_vthread *v = rd_vthread_new(0);
    v->tp = rd_ctx_thread_pointer();
    v->handle = pthread_self();
    v->kernel_tid = (int)rd_raw(SYS_gettid);
    rd_place_main_bounds(&v->stack_low, &v->stack_top);
    rd_self = v;
}

/* Threads that use a stack of the program's one after the other have the same handle: the one that nobody has seen
 * off yet is meant. */
struct rd_vthread *rd_vthread_of(pthread_t t) {
    struct rd_vthread *found = NULL;
    for (uint32_t i = 0; i < rd_rt.engine.world.count; i++) {
        const struct rd_thread *w = &rd_rt.engine.world.threads[i];
        if (!rd_rt.threads[i] || rd_rt.threads[i]->handle != t || w->state == RD_T_UNUSED)
            continue;
        if (w->state == RD_T_READY || !(w->joined || w->detached))
            return rd_rt.threads[i];
        found = rd_rt.threads[i];
    }
    return found;
}

void rd_vthread_add_dtor(void (*fn)(void *), void *obj) {
    struct rd_dtor *d = rd_arena_alloc(&rd_rt.arena, sizeof *d);
    *d = (struct rd_dtor){fn, obj, rd_self->dtors};
    rd_self->dtors = d;
}

void rd_vthread_run_dtors(struct rd_vthread *v) {
    while (v->dtors) {
        struct rd_dtor *d = v->dtors;
        v->dtors = d->next;
        v->given = (uintptr_t)d->fn;
        d->fn(d->obj);
        v->given = 0;
    }
}

/* Is it memory that is gone, or goes with this thread: a stack, or a mapping? Freed blocks are seen to elsewhere.
 */
static bool is_gone(const struct rd_vthread *v, uint64_t addr) {
    rd_place region = rd_place_region(rd_place_of(addr));
    uint64_t value;
    if (region >= RD_PLACE_STACK && region < RD_PLACE_STACK + RD_TID_MAX) {
        rd_tid whose = (rd_tid)(region - RD_PLACE_STACK);
        return whose == v->tid || rd_rt.engine.world.threads[whose].state != RD_T_READY;
    }
    return !rd_rt_peek(addr, 1, &value);
}

/* Apart: a finding is large, and every thread that ends would write to a second page of its stack. */
static _Noreturn __attribute__((noinline, cold)) void tell(const struct rd_noted *n) {
    struct rd_finding f = rd_noted_finding(n);
    rd_rt_found(&f);
}

/*
 * Locks that nobody can give back any more. The execution goes on: whether somebody waits for one is another
 * matter. The main thread may end the process with locks held.
 */
static void end_with_locks(const struct rd_vthread *v) {
    struct rd_outcome *o = rd_rt.engine.rec.out;
    const struct rd_object *m;
    uint32_t from = 0;
    while (v->tid && (m = rd_thread_holds(&rd_rt.engine.world, v->tid, &from))) {
        struct rd_noted n = {.pc = m->mutex.taken_pc, .steps = o->steps, .tid = v->tid};
        n.key = rd_hash2(rd_hash2(RD_MISUSE, RD_OP_END), n.pc);
        if (is_gone(v, m->addr))
            continue;
        if (n.key == rd_rt.channel->execution.plan.noted_wanted)
            tell(&n);
        bool known = o->noted_count == RD_NOTED_MAX;
        for (uint32_t i = 0; i < o->noted_count; i++)
            known |= o->noted[i].key == n.key;
        if (!known)
            o->noted[o->noted_count++] = n;
    }
}

/* It is over: the next thread goes on. */
static _Noreturn void leave(struct rd_vthread *v) {
    rd_rt_enter();
    rd_rt_settle_write(v);
    end_with_locks(v);
    rd_engine_finish_thread(&rd_rt.engine, v->tid);
    rd_tid next = rd_engine_next(&rd_rt.engine);
    if (next == RD_TID_NONE) {
        rd_heap_look_stuck();
        rd_rt_over();
    }
    rd_rt.channel->live.running = next;
    struct rd_vthread *to = rd_rt.threads[next];
    rd_rt.backend->leave(v, to);
    RD_BUG("a finished thread goes on");
}

/* The thread's function has returned or was left by pthread_exit; control is with the program's code. */
static _Noreturn void finish(struct rd_vthread *v) {
    v->given = 0;
    rd_vthread_run_dtors(v);
    rd_key_run_dtors();
    if (v->omp)
        rd_omp_end(v->omp);
    if (rd_rt.engine.world.alive == 1)
        exit(0); /* the last thread ends the process, as POSIX says */
    leave(v);
}

void rd_vthread_quit(int status, uint64_t pc) {
    if (rd_rt.engine.world.alive == 1)
        rd_hook_exit(status, pc);
    leave(rd_self);
}

void rd_vthread_body(struct rd_vthread *v) {
    if (rd_self != v)
        rd_self = v;
    v->inside = 1;
    struct rd_result r;
    rd_engine_perform(&rd_rt.engine, v->tid, &r);
    v->inside = 0;
    v->base_frame = __builtin_frame_address(0);
    if (_setjmp(rd_jump_of(&v->base)) == 0) {
        if (r.signal) /* it was sent before the thread's first operation */
            rd_signal_run(r.signal);
        v->given = (uintptr_t)v->fn;
        if (!rd_place_is_seen(v->given))
            rd_sharing_all();
        v->retval = v->fn(v->arg);
    }
    finish(v);
}

int rd_main_wrapper(int argc, char **argv, char **envp) {
    struct rd_vthread *v = rd_self;
    v->base_frame = __builtin_frame_address(0);
    if (_setjmp(rd_jump_of(&v->base)) == 0) {
        int status = rd_rt.main(argc, argv, envp);
        const struct rd_config *c = rd_rt.channel ? &rd_rt.channel->config : NULL;
        exit(c && c->void_main ? c->expect_status : status);
    }
    finish(v);
}

/* What pthread_cleanup_push leaves on the stack in C without -fexceptions: glibc's __pthread_unwind_buf_t. */
struct rd_cleanup {
    struct rd_jump jump;
    struct rd_cleanup *prev; /* in glibc's private part */
};

static _Unwind_Reason_Code stop(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
                                struct _Unwind_Exception *exception, struct _Unwind_Context *context, void *arg) {
    (void)version;
    (void)class;
    (void)exception;
    struct rd_vthread *v = arg;
    uintptr_t at = _Unwind_GetCFA(context);
    bool bottom = (actions & _UA_END_OF_STACK) || at > (uintptr_t)v->base_frame;
    /* the frame that holds the newest buffer has been reached or passed: its handler runs now */
    if (v->cleanup && (bottom || at > (uintptr_t)v->cleanup)) {
        struct rd_cleanup *c = v->cleanup;
        v->cleanup = c->prev;
        longjmp(rd_jump_of(&c->jump), 1);
    }
    if (bottom)
        longjmp(rd_jump_of(&v->base), 1);
    return _URC_NO_REASON;
}

/* The forced unwind was caught and not thrown on: glibc ends the program then, and so do we. */
static void not_rethrown(_Unwind_Reason_Code reason, struct _Unwind_Exception *exception) {
    (void)reason;
    (void)exception;
    static const char text[] = "FATAL: exception not rethrown\n";
    ssize_t n = write(2, text, sizeof text - 1);
    (void)n;
    abort();
}

static _Noreturn void unwind_on(struct rd_vthread *v) {
    _Unwind_ForcedUnwind(&v->unwind, stop, v);
    longjmp(rd_jump_of(&v->base),
            1); /* no unwind information on the way: the frames are left without running anything */
}

void rd_vthread_exit(void *retval) {
    struct rd_vthread *v = rd_self;
    v->retval = retval;
    memset(&v->unwind, 0, sizeof v->unwind);
    v->unwind.exception_cleanup = not_rethrown;
    unwind_on(v);
}

#define EXPORT __attribute__((visibility("default")))

EXPORT void __pthread_register_cancel(struct rd_cleanup *c) {
    if (!rd_self) {
        ((void (*)(void *))rd_real_get(&rd_real.__pthread_register_cancel))(c);
        return;
    }
    c->prev = rd_self->cleanup;
    rd_self->cleanup = c;
}

EXPORT void __pthread_unregister_cancel(struct rd_cleanup *c) {
    if (rd_self)
        rd_self->cleanup = c->prev;
    else
        ((void (*)(void *))rd_real_get(&rd_real.__pthread_unregister_cancel))(c);
}

EXPORT _Noreturn void __pthread_unwind_next(struct rd_cleanup *c) {
    if (rd_self)
        unwind_on(rd_self);
    ((void (*)(void *))rd_real_get(&rd_real.__pthread_unwind_next))(c);
    __builtin_unreachable();
}
