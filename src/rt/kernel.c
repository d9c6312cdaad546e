/*
 * kernel.c - the kernel backend: every thread of the program is a kernel thread, and a baton says whose turn it
 * is. Slower, but a debugger sees the threads as they are. The scheduler is the same.
 */
#include "base/text.h"
#include "rt/carrier.h"
#include "rt/ctx.h"
#include "rt/rt.h"

#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static void await(struct rd_vthread *v) {
    while (!__atomic_load_n(&v->baton, __ATOMIC_ACQUIRE))
        rd_futex_wait(&v->baton, 0);
    __atomic_store_n(&v->baton, 0, __ATOMIC_RELAXED);
}

static void hand(struct rd_vthread *v) {
    __atomic_store_n(&v->baton, 1, __ATOMIC_RELEASE);
    rd_futex_wake(&v->baton);
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

static void *run(void *arg) {
    struct rd_vthread *v = arg;
    v->kernel_tid = (int)syscall(SYS_gettid);
    name_thread(v);
    v->tp = rd_ctx_thread_pointer();
    v->sp = rd_ctx_prepare(RD_CARRIER_BASE(), enter, v);
    rd_finding_thread(v->tid);
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
    hand(to);
    if (from->tid == 0)
        for (;;)
            await(from); /* the process's first thread stays, so that debuggers keep the process whole */
    for (;;)
        syscall(SYS_exit, 0);
}

const struct rd_backend_ops rd_backend_kernel = {"kernel", pool, carrier, pass, leave};
