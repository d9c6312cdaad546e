/*
 * kernel_backend.c - the kernel backend: every thread of the program is a kernel thread, and runs while it has the
 * baton. This is slower than the virtual backend, but a debugger sees the threads as they are.
 */
#include "base/text.h"
#include "rt/call/inline_syscalls.h"
#include "rt/debugger.h"
#include "rt/end_execution.h"
#include "rt/raw.h"
#include "rt/state.h"
#include "rt/thread/backend.h"
#include "rt/thread/carrier.h"
#include "rt/thread/ctx.h"
#include "rt/thread/vthread.h"

#include <sys/prctl.h>
#include <unistd.h>

static int ending; /* kernel number of the thread that has passed the baton on and ends; 0: none */

/*
 * Under a debugger, waits until the kernel thread that has ended is gone, and the debugger has noticed that: the
 * list of threads that it shows must be the program's.
 */
static void await_end(void) {
    int tid = __atomic_exchange_n(&ending, 0, __ATOMIC_ACQUIRE);
    long pid = rd_raw(SYS_getpid);
    while (tid && rd_rt.channel->config.debugger && rd_raw(SYS_tgkill, pid, tid, 0) == 0)
        rd_raw(SYS_sched_yield);
}

static void await(struct rd_vthread *v) {
    while (!__atomic_load_n(&v->baton, __ATOMIC_ACQUIRE))
        rd_carrier_wait(&v->baton, 0);
    __atomic_store_n(&v->baton, 0, __ATOMIC_RELAXED);
    rd_rt.channel->live.running_task = v->kernel_tid;
    await_end();
}

static void hand(struct rd_vthread *v) {
    RD_CHECK(!__atomic_load_n(&v->baton, __ATOMIC_RELAXED)); /* there is one baton, and the caller has it */
    __atomic_store_n(&v->baton, 1, __ATOMIC_RELEASE);
    rd_carrier_wake(&v->baton);
}

static void enter(void *v) { rd_vthread_body(v); }

/* Names the kernel thread, for the debugger, by the number that reports use, until the program gives it a name. */
static void name_thread(const struct rd_vthread *v) {
    char name[16];
    struct rd_text t;
    rd_text_init(&t, name, sizeof name);
    rd_text_str(&t, "T");
    rd_text_dec(&t, v->tid);
    prctl(PR_SET_NAME, name);
}

/* Until it has the baton, the new kernel thread runs at the same time as another one: it must not use rd_rt. */
static void *run(void *arg) {
    struct rd_vthread *v = arg;
    v->kernel_tid = (int)rd_raw(SYS_gettid);
    name_thread(v);
    rd_debugger_thread(v);
    v->tp = rd_ctx_thread_pointer();
    v->sp = rd_ctx_prepare(RD_CARRIER_BASE(), enter, v);
    rd_finding_thread(v->tid);
    rd_inline_syscalls_arm_thread();
    await(v);
    void *unused;
    rd_ctx_switch(&unused, v->sp, v->tp); /* to a frame further down on the same stack; does not return */
    return NULL;
}

static void pool(uint32_t count) { (void)count; }

static int carrier(struct rd_vthread *v, const pthread_attr_t *attr) { return rd_carrier_start(v, attr, run); }

static void pass(struct rd_vthread *from, struct rd_vthread *to) {
    RD_CHECK(from == rd_self && from != to);
    hand(to);
    await(from);
}

/* The kernel thread ends without glibc: rd_vthread_body has run the destructors, and the stack is the runtime's. */
static void leave(struct rd_vthread *from, struct rd_vthread *to) {
    RD_CHECK(from == rd_self && from != to);
    rd_self = NULL; /* from here on this kernel thread is no thread of the program */
    if (from->tid)
        __atomic_store_n(&ending, from->kernel_tid, __ATOMIC_RELEASE);
    hand(to);
    if (from->tid == 0)
        for (;;)
            await(from); /* the process's first thread stays, so that debuggers keep the process whole */
    for (;;)
        rd_raw(SYS_exit, 0);
}

const struct rd_backend_ops rd_backend_kernel = {"kernel", pool, carrier, pass, leave};
