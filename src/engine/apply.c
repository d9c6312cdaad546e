/* apply.c - what the chosen thread's operation does: it completes, gives up, is cancelled, or a signal comes first.
 */
#include "engine/apply.h"

#include "engine/verdict.h"

#include <errno.h>

uint8_t rd_engine_how(const struct rd_world *w, rd_tid tid, const struct rd_op *op) {
    unsigned k = op->kind;
    bool locks = k == RD_OP_MUTEX_LOCK || k == RD_OP_MUTEX_TRYLOCK || k == RD_OP_MUTEX_UNLOCK;
    bool wakes = k == RD_OP_COND_WAKE || k == RD_OP_FUTEX_WOKEN;
    /* whether it may give up, or wake by itself, depends on everybody; the end of a thread gives a robust lock away
     */
    if (op->deadline || (wakes && w->spurious_left) || (locks && op->arg & RD_MUTEX_ROBUST))
        return RD_HOW_WIDE;
    const struct rd_object *o = locks ? rd_world_find(w, op->addr, RD_OBJ_MUTEX) : NULL;
    if (o && o->mutex.owner == tid)
        return k != RD_OP_MUTEX_UNLOCK || o->mutex.depth > 1 ? RD_HOW_OWN : RD_HOW_PLAIN;
    o = k == RD_OP_RWLOCK_UNLOCK ? rd_world_find(w, op->addr, RD_OBJ_RWLOCK) : NULL;
    return o && o->rwlock.writer.owner != tid ? RD_HOW_SHARED : op->order;
}

/* Does it give up although others can go on: by themselves, or because their time comes first? */
static bool early(const struct rd_world *w, const struct rd_op *op) {
    bool others = false;
    for (uint32_t t = 0; t < w->count && !others; t++)
        others = rd_model_ready(w, (rd_tid)t) ||
                 (w->threads[t].pending.deadline < op->deadline && rd_model_may_time_out(w, (rd_tid)t));
    return others && op->deadline > w->clock.now_ns;
}

/* The wait has a deadline, and what it waits for has not come. */
static void give_up(struct rd_engine *e, rd_tid tid, const struct rd_op *op, struct rd_result *r) {
    struct rd_world *w = &e->world;
    if (w->timeouts_left && early(w, op))
        w->timeouts_left--;
    w->clock.now_ns = RD_MAX(w->clock.now_ns, op->deadline);
    if (rd_models[op->kind].time_out)
        rd_models[op->kind].time_out(w, tid, op, r);
    else
        r->error = ETIMEDOUT;
}

/* The thread ends here. Nothing has happened to the object, except that a condition wait has its mutex back. */
static void cancel(struct rd_engine *e, rd_tid tid, const struct rd_op *op, struct rd_result *r) {
    if (rd_models[op->kind].time_out)
        rd_models[op->kind].time_out(&e->world, tid, op, r);
    e->world.threads[tid].cancel_off = true;
    r->error = ECANCELED;
    r->cancelled = true;
}

/* Those whose next operation depends on what has just happened wake up. */
static void wake(struct rd_engine *e, const struct rd_event *happened) {
    const struct rd_outcome *o = e->rec.out;
    if (e->plan.sparse || o->prefix_used < e->plan.prefix_count)
        return;
    for (uint32_t t = 0; t < e->world.count; t++) {
        if (!rd_bits_has(&e->sleeping, t))
            continue;
        struct rd_event next = rd_event_of_op((rd_tid)t, &e->world.threads[t].pending, RD_TID_NONE);
        if (rd_event_dependent(&next, happened)) {
            rd_bits_del(&e->sleeping, t);
            e->asleep--;
        }
    }
}

unsigned rd_engine_apply(struct rd_engine *e, rd_tid tid, const struct rd_op *op, uint32_t way,
                         struct rd_result *r) {
    uint32_t spurious = e->world.spurious_left;
    *r = (struct rd_result){.misuse_tid = RD_TID_NONE};
    bool point = rd_op_flags(op->kind) & RD_F_POINT;
    bool cancelled = point && e->world.threads[tid].cancel_asked && rd_model_cancelled(&e->world, tid);
    bool late = op->deadline && point && !rd_model_ready(&e->world, tid);
    bool signalled = point && rd_model_signal(&e->world, tid) != 0;
    if (cancelled)
        cancel(e, tid, op, r);
    else if (signalled)
        rd_signal_deliver(&e->world, tid, r);
    else if (late)
        give_up(e, tid, op, r);
    else if (!rd_model_uses_destroyed(&e->world, op, r) && rd_models[op->kind].perform)
        rd_models[op->kind].perform(&e->world, tid, op, way, r);
    e->world.ops++;
    e->world.threads[tid].ops++;
    bool allowed = late || cancelled || spurious != e->world.spurious_left;
    unsigned flags = (allowed ? RD_STEP_LATE : 0) | (signalled && !cancelled ? RD_STEP_SIGNALLED : 0);
    if (point) {
        rd_tid made = op->kind == RD_OP_CREATE && r->error == 0 && !signalled ? (rd_tid)r->value : RD_TID_NONE;
        struct rd_event event = rd_event_of_op(tid, op, made);
        rd_order_event(&e->order, &event);
        if (e->asleep)
            wake(e, &event);
    }
    if (r->misuse)
        rd_verdict_misuse(e, tid, op, r);
    return flags;
}

void rd_engine_spin(struct rd_engine *e, rd_tid tid, const struct rd_op *op, unsigned flags,
                    const struct rd_result *r) {
    if (flags & RD_STEP_SIGNALLED) { /* its handler may do anything */
        rd_spin_forget(&e->spin, tid);
        return;
    }
    enum rd_spin_effect effect = RD_SPIN_CHANGES;
    switch (op->kind) {
    case RD_OP_READ:
    case RD_OP_ATOMIC_LOAD:
    case RD_OP_ACQUIRE:
        effect = RD_SPIN_NOTHING;
        break;
    case RD_OP_MUTEX_TRYLOCK:
    case RD_OP_SPIN_TRYLOCK:
    case RD_OP_RWLOCK_TRYRDLOCK:
    case RD_OP_RWLOCK_TRYWRLOCK:
    case RD_OP_SEM_TRYWAIT:
        effect = r->error == 0 ? RD_SPIN_CHANGES : RD_SPIN_NOTHING;
        break;
    case RD_OP_MUTEX_LOCK:
    case RD_OP_SPIN_LOCK:
    case RD_OP_RWLOCK_RDLOCK:
    case RD_OP_RWLOCK_WRLOCK:
        effect = r->error == 0 && !op->deadline ? RD_SPIN_TAKES : RD_SPIN_CHANGES;
        break;
    case RD_OP_MUTEX_UNLOCK:
    case RD_OP_SPIN_UNLOCK:
    case RD_OP_RWLOCK_UNLOCK:
        effect = r->error == 0 ? RD_SPIN_GIVES : RD_SPIN_CHANGES;
        break;
    default:
        break;
    }
    rd_spin_step(&e->spin, tid, op, effect);
}

void rd_engine_finish_thread(struct rd_engine *e, rd_tid tid) {
    rd_thread_finish(&e->world, tid);
    rd_spin_over(&e->spin, tid);
    e->rec.threads[tid].state = RD_T_FINISHED;
}

void rd_engine_note(struct rd_step *s, const struct rd_op *op, const struct rd_result *r) {
    bool signalled = s->flags & RD_STEP_SIGNALLED; /* nothing was done yet */
    switch (op->kind) {
    case RD_OP_CREATE:
        s->value = signalled ? RD_TID_NONE : r->error ? op->arg : r->value;
        break;
    case RD_OP_JOIN:
    case RD_OP_TRYJOIN:
        s->value = r->error || signalled ? op->arg : r->value;
        break;
    case RD_OP_FUTEX_WAKE:
    case RD_OP_BARRIER_ARRIVE:
    case RD_OP_SEM_WAIT:
    case RD_OP_SEM_TRYWAIT:
    case RD_OP_SEM_POST:
    case RD_OP_SEM_VALUE:
    case RD_OP_CHOOSE:
        s->value = r->value;
        break;
    case RD_OP_CANCEL:
    case RD_OP_DETACH:
    case RD_OP_SIGNAL_SEND:
        s->value = op->arg;
        break;
    default:
        break;
    }
}
