/*
 * signal.c - signals between threads. A signal that is sent waits at its target (a thread, or the process: then any
 * thread may take it) until the target, when it is chosen, finds it unblocked: its handler runs before the pending
 * operation. A wait for signals takes one from the set it names. Only signals that have a handler are sent here;
 * the runtime does what the default action is.
 *
 * op->arg of `send`: the thread, or RD_TID_NONE for the process; op->size: the signal. op->arg of `wait`: the set.
 * op->arg of `mask`: the new mask.
 */
#include "model/model.h"

#include <errno.h>

int rd_model_signal(const struct rd_world *w, rd_tid tid) {
    const struct rd_thread *t = &w->threads[tid];
    uint64_t due = (t->signals | w->signals) & ~t->signals_off;
    /* a wait for signals takes them itself */
    if (t->pending.kind == RD_OP_SIGNAL_WAIT)
        due &= ~t->pending.arg;
    return due ? __builtin_ctzll(due) : 0;
}

static void take(struct rd_world *w, rd_tid tid, int sig) {
    uint64_t bit = (uint64_t)1 << sig;
    if (w->threads[tid].signals & bit)
        w->threads[tid].signals &= ~bit;
    else
        w->signals &= ~bit;
}

void rd_signal_deliver(struct rd_world *w, rd_tid tid, struct rd_result *r) {
    r->signal = rd_model_signal(w, tid);
    r->error = EINTR;
    take(w, tid, r->signal);
}

RD_MODEL_PERFORM(rd_signal_send) {
    (void)tid;
    (void)way;
    uint64_t bit = (uint64_t)1 << op->size;
    if (op->arg == RD_TID_NONE)
        w->signals |= bit;
    else if (op->arg >= RD_TID_MAX || w->threads[op->arg].state == RD_T_UNUSED)
        r->error = ESRCH;
    else if (w->threads[op->arg].state == RD_T_READY)
        w->threads[op->arg].signals |= bit;
}

RD_MODEL_ENABLED(rd_signal_wait_enabled) { return ((w->threads[tid].signals | w->signals) & op->arg) != 0; }

RD_MODEL_PERFORM(rd_signal_wait) {
    (void)way;
    int sig = __builtin_ctzll((w->threads[tid].signals | w->signals) & op->arg);
    take(w, tid, sig);
    r->value = (uint64_t)sig;
}

RD_MODEL_ENABLED(rd_signal_never) {
    (void)w;
    (void)tid;
    (void)op;
    return false;
}

RD_MODEL_PERFORM(rd_signal_mask) {
    (void)way;
    (void)r;
    w->threads[tid].signals_off = op->arg;
}
