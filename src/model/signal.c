/*
 * signal.c - signals between threads. A signal that was sent is pending at its target, which is a thread or the
 * process; any thread may take a signal of the process. When the target is chosen and does not block the signal,
 * its handler runs before the pending operation. A wait for signals takes one of the signals in its set. Only
 * signals that have a handler, or that the target blocks, come here; the runtime takes default actions.
 *
 * op->arg of `send` is the thread, or RD_TID_NONE for the process, and op->size the signal; op->arg of `wait` is
 * the set, op->arg of `mask` the new mask.
 *
 * Invariant: `signals_more` counts only signals whose bit is set.
 */
#include "model/primitives.h"

#include <errno.h>

/* Takes one signal out of a set of pending ones; a real-time signal may be pending several times. */
static void take_from(uint64_t *signals, uint8_t *more, int sig) {
    RD_CHECK(sig > 0 && sig < RD_SIGNALS && *signals >> sig & 1);
    if (sig >= RD_SIGNAL_QUEUED && more[sig - RD_SIGNAL_QUEUED])
        more[sig - RD_SIGNAL_QUEUED]--;
    else
        *signals &= ~((uint64_t)1 << sig);
}

static void take(struct rd_world *w, rd_tid tid, int sig) {
    struct rd_thread *t = &w->threads[tid];
    if (t->signals >> sig & 1)
        take_from(&t->signals, t->signals_more, sig);
    else
        take_from(&w->signals, w->signals_more, sig);
}

int rd_signal_take(struct rd_world *w, rd_tid tid, uint64_t set) {
    uint64_t due = (w->threads[tid].signals | w->signals) & set;
    int sig = due ? __builtin_ctzll(due) : 0;
    RD_ASSERT(!(due & 1)); /* there is no signal 0 */
    if (sig)
        take(w, tid, sig);
    return sig;
}

void rd_signal_deliver(struct rd_world *w, rd_tid tid, struct rd_result *r) {
    r->signal = rd_model_signal(w, tid);
    r->error = EINTR;
    take(w, tid, r->signal);
}

static int make_pending(uint64_t *signals, uint8_t *more, uint32_t sig) {
    RD_CHECK(sig > 0 && sig < RD_SIGNALS);
    RD_ASSERT(*signals >> sig & 1 || sig < RD_SIGNAL_QUEUED || more[sig - RD_SIGNAL_QUEUED] == 0);
    if (!(*signals >> sig & 1))
        *signals |= (uint64_t)1 << sig;
    else if (sig >= RD_SIGNAL_QUEUED && more[sig - RD_SIGNAL_QUEUED] == UINT8_MAX)
        return EAGAIN;
    else if (sig >= RD_SIGNAL_QUEUED)
        more[sig - RD_SIGNAL_QUEUED]++;
    return 0;
}

RD_MODEL_PERFORM(rd_signal_send) {
    (void)tid;
    (void)way;
    if (op->arg == RD_TID_NONE) {
        r->error = make_pending(&w->signals, w->signals_more, op->size);
        return;
    }
    struct rd_thread *t = op->arg < w->count ? &w->threads[op->arg] : NULL;
    if (!t || t->state == RD_T_UNUSED)
        r->error = ESRCH;
    else if (t->state == RD_T_READY)
        r->error = make_pending(&t->signals, t->signals_more, op->size);
}

RD_MODEL_ENABLED(rd_signal_wait_enabled) { return ((w->threads[tid].signals | w->signals) & op->arg) != 0; }

RD_MODEL_PERFORM(rd_signal_wait) {
    (void)way;
    r->value = (uint64_t)rd_signal_take(w, tid, op->arg);
    RD_CHECK(r->value != 0);
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
