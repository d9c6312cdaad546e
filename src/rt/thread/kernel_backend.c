/*
 * kernel_backend.c - the kernel backend: every thread of the program is a kernel thread, and a baton says whose
 * turn it is. Slower, but a debugger sees the threads as they are. The scheduler is the same.
 */
#include "base/text.h"
#include "rt/call/inline_syscalls.h"
#include "rt/end_execution.h"
#include "rt/raw.h"
#include "rt/state.h"
#include "rt/thread/backend.h"
#include "rt/thread/carrier.h"
#include "rt/thread/ctx.h"
#include "rt/thread/vthread.h"

#include <sys/prctl.h>
#include <unistd.h>

static int ending; /* kernel number of the thread that handed the baton on and ends; 0: none */

/* A debugger shows who is there: the thread that has ended must be gone (and seen off by it) before others go on.
 */
static void see_off(void) {
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
    see_off();
}

static void hand(struct rd_vthread *v) {
    __atomic_store_n(&v->baton, 1, __ATOMIC_RELEASE);
    rd_carrier_wake(&v->baton);
}

static void enter(void *v) { rd_vthread_body(v); }

/* What a debugger shows: the number that reports use, until the program gives the thread a name. */
static void name_thread(const struct rd_vthread *v) {
    char name[16];
    struct rd_text t;
    rd_text_init(&t, name, sizeof name);
    rd_text_str(&t, "T");
    rd_text_dec(&t, v->tid);
    prctl(PR_SET_NAME, name);
}

/* Until it has the baton, the new thread runs beside another one: it may not use what that one changes. */
static void *run(void *arg) {
    struct rd_vthread *v = arg;
    v->kernel_tid = (int)rd_raw(SYS_gettid);
    name_thread(v);
    v->tp = rd_ctx_thread_pointer();
    v->sp = rd_ctx_prepare(RD_CARRIER_BASE(), enter, v);
    rd_finding_thread(v->tid);
    rd_inline_syscalls_arm_thread();
    await(v);
    void *unused;
    rd_ctx_switch(&unused, v->sp, v->tp); /* further down on the same stack; nobody comes back here */
    return NULL;
}

static void pool(uint32_t count) { (void)count; }

static int carrier(struct rd_vthread *v, const pthread_attr_t *attr) { return rd_carrier_start(v, attr, run); }

static void pass(struct rd_vthread *from, struct rd_vthread *to) {
    hand(to);
    await(from);
}

/* The kernel thread ends without glibc's help: its destructors have run already, and its stack is ours. */
static void leave(struct rd_vthread *from, struct rd_vthread *to) {
    rd_self = NULL; /* from here on this thread is nobody */
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
