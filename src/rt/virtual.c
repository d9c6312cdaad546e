/*
 * virtual.c - the virtual backend: one kernel thread runs every thread of the program and switches stack and
 * thread pointer itself. A carrier parks for ever; its stack is used below the parked frame. Carriers made before
 * a fork are memory only in the child, and memory is all that is needed.
 */
#include "rt/carrier.h"
#include "rt/ctx.h"
#include "rt/snapshot.h"

#include <errno.h>
#include <signal.h>

static uint32_t pooled; /* threads 1..pooled have a carrier of the standard size */

static void enter(void *v) { rd_vthread_body(v); }

static void *park(void *arg) {
    struct rd_vthread *v = arg;
    v->tp = rd_ctx_thread_pointer();
    v->sp = rd_ctx_prepare(RD_CARRIER_BASE(), enter, v);
    __atomic_store_n(&v->ready, 1, __ATOMIC_RELEASE);
    rd_carrier_wake(&v->ready);
    static uint32_t never;
    for (;;)
        rd_carrier_wait(&never, 0);
    return NULL;
}

/* Signals are for the one thread that runs the program. */
static int start(struct rd_vthread *v, const pthread_attr_t *attr) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = rd_carrier_start(v, attr, park);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    while (!error && !__atomic_load_n(&v->ready, __ATOMIC_ACQUIRE))
        rd_carrier_wait(&v->ready, 0);
    return error;
}

static void pool(uint32_t count) {
    for (; pooled < count && pooled + 1 < RD_TID_MAX; pooled++) {
        struct rd_vthread *v = rd_vthread_new((rd_tid)(pooled + 1));
        if (start(v, NULL) != 0)
            return;
    }
}

static int carrier(struct rd_vthread *v, const pthread_attr_t *attr) {
    size_t size;
    void *given;
    bool standard = rd_carrier_stack(attr, &given, &size);
    if (standard && v->ready)
        return 0;
    if (rd_snapshot_running()) {
        if (!standard)
            rd_snapshot_unfit("a thread has a stack of its own, or of another size than usual");
        rd_snapshot_carriers(v->tid + 1u);
    }
    v->ready = 0;
    return start(v, attr);
}

static void pass(struct rd_vthread *from, struct rd_vthread *to) { rd_ctx_switch(&from->sp, to->sp, to->tp); }

static void leave(struct rd_vthread *from, struct rd_vthread *to) {
    pass(from, to);
    RD_BUG("a finished thread was resumed");
}

const struct rd_backend_ops rd_backend_virtual = {"virtual", pool, carrier, pass, leave};
