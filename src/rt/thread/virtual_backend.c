/*
 * virtual_backend.c - the virtual backend: one kernel thread runs every thread of the program and switches stack
 * and thread pointer itself. A carrier parks for ever, and the virtual thread uses the carrier's stack below the
 * parked frame. In a forked child only the memory of a carrier exists, not its kernel thread; the memory is enough.
 */
#include "rt/isolate/snapshot.h"
#include "rt/state.h"
#include "rt/thread/backend.h"
#include "rt/thread/carrier.h"
#include "rt/thread/ctx.h"
#include "rt/thread/vthread.h"

#include <errno.h>
#include <signal.h>

static uint32_t pooled; /* threads 1 to `pooled` have a carrier with a stack of the standard size */

static void enter(void *v) { rd_vthread_body(v); }

static void *park(void *arg) {
    struct rd_vthread *v = arg;
    v->tp = rd_ctx_thread_pointer();
    v->sp = rd_ctx_prepare(RD_CARRIER_BASE(), enter, v);
    rd_self = v; /* here, before the snapshot: if executions wrote it, its page would have to be restored */
    static uint32_t never;
    rd_ctx_park(&v->ready, &never);
}

/* Starts a carrier, and waits until it has parked. It blocks all signals: they are for the thread that runs the
 * program. */
static int start(struct rd_vthread *v, const pthread_attr_t *attr) {
    sigset_t all, before;
    RD_CHECK(!v->ready); /* else the wait below would end before the carrier has parked */
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int error = rd_carrier_start(v, attr, park);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    while (!error && !__atomic_load_n(&v->ready, __ATOMIC_ACQUIRE))
        rd_carrier_wait(&v->ready, 0);
    return error;
}

/* A carrier with a stack of another size, which waits for a thread that asks for one. */
struct rd_spare {
    size_t size;
    void *sp, *tp, *stack_low, *stack_top;
    pthread_t handle;
};

int rd_virtual_provide(rd_tid tid, size_t size) {
    RD_CHECK(!rd_snapshot_running()); /* an execution would not leave the carrier behind */
    struct rd_vthread *v = rd_vthread_new(tid), usual = *v;
    pthread_attr_t attr;
    pthread_attr_init(&attr);
    v->ready = 0;
    int error = pthread_attr_setstacksize(&attr, size);
    error = error ? error : start(v, &attr);
    pthread_attr_destroy(&attr);
    struct rd_spare *spare = rd_arena_alloc(&rd_rt.arena, sizeof *spare);
    *spare = (struct rd_spare){size, v->sp, v->tp, v->stack_low, v->stack_top, v->handle};
    *v = usual;
    v->spare = error ? NULL : spare;
    return error;
}

/* Lets the thread use its second carrier, if that has a stack of this size. */
static bool use_spare(struct rd_vthread *v, size_t size) {
    const struct rd_spare *s = v->spare;
    if (!s || s->size != size)
        return false;
    v->sp = s->sp;
    v->tp = s->tp;
    v->stack_low = s->stack_low;
    v->stack_top = s->stack_top;
    v->handle = s->handle;
    return true;
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
    void *provided;
    if (!attr && v->ready)
        return 0; /* asking libc for the standard size would take a lock */
    bool standard = rd_carrier_stack(attr, &provided, &size);
    if (standard ? v->ready : !provided && use_spare(v, size))
        return 0;
    if (rd_snapshot_running()) {
        if (provided || (!standard && v->spare))
            rd_snapshot_unfit("a thread brings its own stack, or one of different sizes");
        if (!standard)
            rd_snapshot_stack(v->tid, size);
        rd_snapshot_carriers(v->tid + 1u + v->tid / 4u); /* more than needed: each request repeats the execution */
    }
    v->ready = 0;
    return start(v, attr);
}

static void pass(struct rd_vthread *from, struct rd_vthread *to) {
    RD_ASSERT(from == rd_self && from != to && to->sp && to->tp);
    rd_ctx_switch(&from->sp, to->sp, to->tp);
}

static void leave(struct rd_vthread *from, struct rd_vthread *to) {
    pass(from, to);
    RD_BUG("a finished thread was resumed");
}

const struct rd_backend_ops rd_backend_virtual = {"virtual", pool, carrier, pass, leave};
