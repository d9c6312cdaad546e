/*
 * vthread.c - the life of a thread of the program: its body, its end, pthread_exit.
 *
 * glibc's code for the end of a thread never runs, because with the virtual backend it would end the one kernel
 * thread. This file does its work: it runs the C++ thread_local destructors, then the destructors of
 * thread-specific data; then control goes to the next thread. pthread_exit is a forced unwind with a stop function
 * of this file: it runs C++ destructors and cleanup attributes frame by frame. pthread_cleanup_push in C without
 * -fexceptions leaves jump buffers on the stack; the stop function jumps to each when the unwind has come to its
 * frame.
 */
#include "rt/thread/vthread.h"

#include "rt/access/shared_access.h"
#include "rt/address/place_of_address.h"
#include "rt/debugger.h"
#include "rt/end_execution.h"
#include "rt/heap/program_heap.h"
#include "rt/hook/called_by_runtime.h"
#include "rt/hook/hook.h"
#include "rt/hook/omp/omp.h"
#include "rt/inside.h"
#include "rt/layout.h"
#include "rt/libc/libc_functions.h"
#include "rt/raw.h"
#include "rt/thread/scheduling_point.h"
#include "rt/state.h"
#include "rt/thread/ctx.h"
#include "trace/place.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

__thread struct rd_vthread *rd_self __attribute__((tls_model("initial-exec")));

struct rd_vthread *rd_vthread_new(rd_tid tid) {
    RD_CHECK(tid < RD_TID_MAX);
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
    RD_CHECK(!rd_self && !rd_rt.threads[0]);
    struct rd_vthread *v = rd_vthread_new(0);
    v->tp = rd_ctx_thread_pointer();
    v->handle = pthread_self();
    v->kernel_tid = (int)rd_raw(SYS_gettid);
    rd_place_main_bounds(&v->stack_low, &v->stack_top);
    rd_self = v;
}

/*
 * Threads that run one after the other on one stack that the program provides have the same handle. POSIX lets the
 * program use a handle until the thread was joined or detached, so the handle is that of the thread that was not.
 */
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
        v->callback = (uintptr_t)d->fn;
        d->fn(d->obj);
        v->callback = 0;
    }
}

/*
 * Returns whether the memory is gone, or goes with this thread: a stack, or a mapping. The heap handles blocks that
 * are freed.
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

/*
 * Ends the execution with the noted finding. Not inline: a finding is large, and with one in its frame every thread
 * that ends would write to a second page of its stack.
 */
static _Noreturn __attribute__((noinline, cold)) void report_noted(const struct rd_noted *n) {
    struct rd_finding f = rd_noted_finding(n);
    rd_rt_found(&f);
}

/*
 * Notes the locks that the ending thread still holds: no thread can release them any more. The execution goes on; a
 * thread that waits for such a lock is a finding of its own. The main thread may end the process with locks held.
 */
static void note_held_locks(const struct rd_vthread *v) {
    struct rd_outcome *o = rd_rt.engine.rec.out;
    RD_CHECK(o->noted_count <= RD_NOTED_MAX);
    const struct rd_object *m;
    uint32_t from = 0;
    while (v->tid && (m = rd_thread_holds(&rd_rt.engine.world, v->tid, &from))) {
        struct rd_noted n = {.pc = m->mutex.taken_pc, .steps = o->steps, .tid = v->tid};
        n.key = rd_hash2(rd_hash2(RD_MISUSE, RD_OP_END), n.pc);
        if (is_gone(v, m->addr))
            continue;
        if (n.key == rd_rt.channel->execution.plan.noted_wanted)
            report_noted(&n);
        bool known = o->noted_count == RD_NOTED_MAX;
        for (uint32_t i = 0; i < o->noted_count; i++)
            known |= o->noted[i].key == n.key;
        if (!known)
            o->noted[o->noted_count++] = n;
    }
}

/* Ends the thread in the model, and passes the baton to the next one. */
static _Noreturn void leave(struct rd_vthread *v) {
    RD_CHECK(v == rd_self);
    rd_rt_enter();
    rd_rt_settle_write(v);
    note_held_locks(v);
    rd_engine_finish_thread(&rd_rt.engine, v->tid);
    rd_tid next = rd_engine_next(&rd_rt.engine);
    if (next == RD_TID_NONE) {
        rd_heap_look_stuck();
        rd_rt_over();
    }
    rd_rt.channel->live.running = next;
    RD_CHECK(next < rd_rt.engine.world.count && next != v->tid); /* a thread that has ended is not enabled */
    struct rd_vthread *to = rd_rt.threads[next];
    rd_rt.backend->leave(v, to);
    RD_BUG("a finished thread goes on");
}

/* The thread's function has returned, or pthread_exit has left it: runs the thread's destructors and ends it. */
static _Noreturn void finish(struct rd_vthread *v) {
    RD_CHECK(rd_rt.engine.world.alive > 0); /* this thread counts until leave() */
    v->callback = 0;
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
    RD_CHECK(v->tid > 0 && v == rd_rt.threads[v->tid]);
    if (rd_self != v)
        rd_self = v;
    v->inside = 1;
    struct rd_result r;
    if (RD_UNLIKELY(rd_rt.debugged))
        rd_debugger_before_step();
    rd_engine_perform(&rd_rt.engine, v->tid, &r);
    v->inside = 0;
    v->base_frame = __builtin_frame_address(0);
    if (_setjmp(rd_jump_of(&v->base)) == 0) {
        if (r.signal) /* another thread sent it before this thread's first operation */
            rd_signal_run(r.signal);
        v->callback = (uintptr_t)v->fn;
        if (!rd_place_is_seen(v->callback))
            rd_sharing_all();
        v->retval = v->fn(v->arg);
    }
    finish(v);
}

int rd_main_wrapper(int argc, char **argv, char **envp) {
    struct rd_vthread *v = rd_self;
    RD_CHECK(v && v->tid == 0); /* __libc_start_main calls this function only under control */
    v->base_frame = __builtin_frame_address(0);
    if (_setjmp(rd_jump_of(&v->base)) == 0) {
        int status = rd_rt.main(argc, argv, envp);
        const struct rd_config *c = rd_rt.channel ? &rd_rt.channel->config : NULL;
        exit(c && c->void_main ? c->expect_status : status);
    }
    finish(v);
}

/* glibc's __pthread_unwind_buf_t, which pthread_cleanup_push leaves on the stack in C without -fexceptions. */
struct rd_cleanup {
    struct rd_jump jump;
    struct rd_cleanup *prev; /* in glibc's private part */
};
static_assert(sizeof(struct rd_cleanup) <= sizeof(__pthread_unwind_buf_t), "it fits into the program's buffer");
static_assert(offsetof(struct rd_cleanup, prev) == offsetof(__pthread_unwind_buf_t, __pad), "after the registers");

static _Unwind_Reason_Code stop(int version, _Unwind_Action actions, _Unwind_Exception_Class class,
                                struct _Unwind_Exception *exception, struct _Unwind_Context *context, void *arg) {
    (void)version;
    (void)class;
    (void)exception;
    struct rd_vthread *v = arg;
    uintptr_t at = _Unwind_GetCFA(context);
    bool bottom = (actions & _UA_END_OF_STACK) || at > (uintptr_t)v->base_frame;
    /* the unwind has come to the frame that holds the newest buffer, or is beyond it: its handler runs now */
    if (v->cleanup && (bottom || at > (uintptr_t)v->cleanup)) {
        struct rd_cleanup *c = v->cleanup;
        v->cleanup = c->prev;
        longjmp(rd_jump_of(&c->jump), 1);
    }
    if (bottom)
        longjmp(rd_jump_of(&v->base), 1);
    return _URC_NO_REASON;
}

/* A handler has caught the forced unwind and not rethrown it: ends the program, as glibc does. */
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
