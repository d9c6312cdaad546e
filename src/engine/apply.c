/*
 * apply.c - performs the operation of the chosen thread. The operation completes, times out, is cancelled, or a
 * signal comes first. Then all parts of the engine that follow the execution are told: the happens-before class,
 * the sleep set, the fairness rule, loops that wait, the check for stalls, and the record.
 */
#include "engine/apply.h"

#include "engine/focus.h"
#include "engine/profile_record.h"
#include "engine/verdict.h"

#include <errno.h>

uint8_t rd_engine_access_mode(struct rd_world *w, rd_tid tid, const struct rd_op *op) {
    unsigned k = op->kind;
    bool locks = k == RD_OP_MUTEX_LOCK || k == RD_OP_MUTEX_TRYLOCK || k == RD_OP_MUTEX_UNLOCK;
    bool waits = k == RD_OP_COND_WAIT || k == RD_OP_FUTEX_WAIT;
    /*
     * Whether a late wait may time out, and whether a wait may be chosen to wake by itself, depends on every
     * thread; the end of its owner frees a robust lock. So these operations are wide.
     */
    bool robust = (locks || k == RD_OP_MUTEX_DESTROY) && op->arg & RD_MUTEX_ROBUST;
    bool late = op->deadline && w->threads[tid].gave_up >= w->timeouts;
    if (late || (waits && w->spurious_left) || robust)
        return op->order | RD_ACCESS_WIDE;
    uint8_t wide = op->order & RD_ACCESS_WIDE;
    const struct rd_object *o = locks ? rd_world_look_near(w, tid, op->addr, RD_OBJ_MUTEX) : NULL;
    if (o && o->mutex.owner == tid)
        return wide | (k != RD_OP_MUTEX_UNLOCK || o->mutex.depth > 1 ? RD_ACCESS_OWN : RD_ACCESS_PLAIN);
    o = k == RD_OP_RWLOCK_UNLOCK ? rd_world_find(w, op->addr, RD_OBJ_RWLOCK) : NULL;
    return o && o->rwlock.writer.owner != tid ? RD_ACCESS_SHARED | wide : op->order;
}

/* The operation is a wait whose deadline comes before the event that it waits for: it times out. */
static void give_up(struct rd_engine *e, rd_tid tid, const struct rd_op *op, struct rd_result *r) {
    struct rd_world *w = &e->world;
    RD_CHECK(op->deadline != 0);
    if (e->recording && w->threads[tid].gave_up < w->timeouts)
        w->threads[tid].gave_up++; /* also when no other thread is enabled: see event.h */
    w->clock.now_ns = RD_MAX(w->clock.now_ns, op->deadline);
    rd_clock_moved(w);
    if (rd_models[op->kind].time_out)
        rd_models[op->kind].time_out(w, tid, op, r);
    else
        r->error = ETIMEDOUT;
}

/* The thread is cancelled before the operation. In a condition wait it ends only once it has its mutex back. */
static void cancel(struct rd_engine *e, rd_tid tid, const struct rd_op *op, struct rd_result *r) {
    if (rd_models[op->kind].time_out)
        rd_models[op->kind].time_out(&e->world, tid, op, r);
    RD_ASSERT(e->world.threads[tid].cancel_asked && !e->world.threads[tid].cancel_off);
    e->world.threads[tid].cancel_off = true;
    e->world.threads[tid].cancel_waits = op->kind == RD_OP_COND_WAKE;
    r->error = ECANCELED;
    r->cancelled = op->kind != RD_OP_COND_WAKE;
}

/* Wakes the sleeping threads whose pending operation depends on the event, which has just happened. */
static void wake_sleeping(struct rd_engine *e, const struct rd_event *happened) {
    const struct rd_outcome *o = e->rec.out;
    if (o->prefix_used < e->plan.prefix_count)
        return;
    for (uint32_t t = 0; t < e->world.count; t++) {
        if (!rd_bits_has(&e->sleeping, t))
            continue;
        struct rd_event next = rd_event_of_op((rd_tid)t, &e->world.threads[t].pending, RD_TID_NONE);
        if (rd_event_dependent(&next, happened)) {
            RD_CHECK(e->asleep > 0);
            rd_bits_del(&e->sleeping, t);
            e->asleep--;
        }
    }
}

/*
 * Returns whether the model may perform the operation: it is enabled. Descriptors are asked only once, before the
 * choice; and an operation that was not announced is not compared.
 */
static bool may_perform(const struct rd_world *w, rd_tid tid, const struct rd_op *op) {
    const struct rd_model *m = &rd_models[op->kind];
    return op != &w->threads[tid].pending || rd_io_waits(w, tid) || !m->enabled || m->enabled(w, tid, op);
}

/* Performs the operation in this way. Returns the flags of its step: RD_STEP_GAVE_UP, RD_STEP_SIGNALLED. */
__attribute__((always_inline)) static inline unsigned apply(struct rd_engine *e, rd_tid tid, const struct rd_op *op,
                                                            uint32_t way, struct rd_result *r) {
    *r = (struct rd_result){.misuse_tid = RD_TID_NONE};
    bool point = rd_op_flags(op->kind) & RD_F_POINT;
    bool cancelled = point && e->world.threads[tid].cancel_asked && rd_model_cancelled(&e->world, tid);
    bool late = op->deadline && point && !rd_model_ready(&e->world, tid);
    bool signalled = point && rd_model_signal(&e->world, tid) != 0;
    bool wakes = op->kind == RD_OP_COND_WAKE || op->kind == RD_OP_FUTEX_WOKEN;
    const struct rd_waiter *waiter = &e->world.threads[tid].waiter;
    bool spurious = RD_UNLIKELY(wakes) && waiter->spurious && !waiter->signalled && !signalled;
    if (cancelled)
        cancel(e, tid, op, r);
    else if (signalled)
        rd_signal_deliver(&e->world, tid, r);
    else if (late)
        give_up(e, tid, op, r);
    else if (!rd_model_uses_destroyed(&e->world, op, r) && rd_models[op->kind].perform) {
        RD_ASSERT(may_perform(&e->world, tid, op));
        rd_models[op->kind].perform(&e->world, tid, op, way, r);
    }
    RD_ASSERT(!r->gate || op->kind == RD_OP_BARRIER_ARRIVE || op->kind == RD_OP_FUTEX_WAKE ||
              op->kind == RD_OP_FUTEX_WAKE_TOO);
    bool gave_up = late || cancelled || spurious;
    unsigned flags = (gave_up ? RD_STEP_GAVE_UP : 0) | (signalled && !cancelled ? RD_STEP_SIGNALLED : 0);
    if (point) {
        rd_tid created = op->kind == RD_OP_CREATE && r->error == 0 && !signalled ? (rd_tid)r->value : RD_TID_NONE;
        struct rd_event event;
        RD_ASSERT(created == RD_TID_NONE || created < e->world.count);
        rd_event_set_op(&event, tid, op, created);
        if (RD_UNLIKELY(r->gate))
            rd_event_set_gate(&event, r->gate);
        rd_hb_class_event(&e->hb_class, &event);
        if (e->asleep)
            wake_sleeping(e, &event);
    }
    if (r->misuse)
        rd_verdict_misuse(e, tid, op, r);
    return flags;
}

/* The effect of an operation on loops that wait (spin.h), by kind: when it succeeds, and when it fails. */
static const struct {
    uint8_t done, failed;
} effects[RD_OP_KINDS] = {
    [RD_OP_READ] = {RD_SPIN_NOTHING, RD_SPIN_NOTHING},
    [RD_OP_ATOMIC_LOAD] = {RD_SPIN_NOTHING, RD_SPIN_NOTHING},
    [RD_OP_ACQUIRE] = {RD_SPIN_NOTHING, RD_SPIN_NOTHING},
    [RD_OP_MUTEX_TRYLOCK] = {RD_SPIN_CHANGES, RD_SPIN_NOTHING},
    [RD_OP_SPIN_TRYLOCK] = {RD_SPIN_CHANGES, RD_SPIN_NOTHING},
    [RD_OP_RWLOCK_TRYRDLOCK] = {RD_SPIN_CHANGES, RD_SPIN_NOTHING},
    [RD_OP_RWLOCK_TRYWRLOCK] = {RD_SPIN_CHANGES, RD_SPIN_NOTHING},
    [RD_OP_SEM_TRYWAIT] = {RD_SPIN_CHANGES, RD_SPIN_NOTHING},
    [RD_OP_MUTEX_LOCK] = {RD_SPIN_TAKES, RD_SPIN_CHANGES},
    [RD_OP_SPIN_LOCK] = {RD_SPIN_TAKES, RD_SPIN_CHANGES},
    [RD_OP_RWLOCK_RDLOCK] = {RD_SPIN_TAKES, RD_SPIN_CHANGES},
    [RD_OP_RWLOCK_WRLOCK] = {RD_SPIN_TAKES, RD_SPIN_CHANGES},
    [RD_OP_MUTEX_UNLOCK] = {RD_SPIN_GIVES, RD_SPIN_CHANGES},
    [RD_OP_SPIN_UNLOCK] = {RD_SPIN_GIVES, RD_SPIN_CHANGES},
    [RD_OP_RWLOCK_UNLOCK] = {RD_SPIN_GIVES, RD_SPIN_CHANGES},
};

/* Tells spin.c the effect of the operation. */
static inline void tell_spin(struct rd_engine *e, rd_tid tid, const struct rd_op *op, unsigned flags,
                             const struct rd_result *r) {
    if (RD_UNLIKELY(flags & RD_STEP_SIGNALLED)) { /* the effect of the handler is not known */
        rd_spin_forget(&e->spin, tid);
        return;
    }
    unsigned effect = r->error == 0 ? effects[op->kind].done : effects[op->kind].failed;
    if (effect == RD_SPIN_TAKES && op->deadline)
        effect = RD_SPIN_CHANGES;
    rd_spin_step(&e->spin, tid, op, (enum rd_spin_effect)effect);
}

void rd_engine_finish_thread(struct rd_engine *e, rd_tid tid) {
    RD_CHECK(e->chosen == RD_TID_NONE);
    rd_thread_finish(&e->world, tid);
    rd_spin_over(&e->spin, tid);
    e->rec.threads[tid].state = RD_T_FINISHED;
}

/* Records the value of a step, which searches and reports need besides its error. */
static inline void note_value(struct rd_step *s, const struct rd_op *op, const struct rd_result *r) {
    bool signalled = s->flags & RD_STEP_SIGNALLED; /* the operation was not performed */
    switch (op->kind) {
    case RD_OP_CREATE:
        s->value = signalled ? RD_TID_NONE : r->error ? op->arg : r->value;
        break;
    case RD_OP_JOIN:
    case RD_OP_TRYJOIN:
        s->value = r->error || signalled ? op->arg : r->value;
        break;
    case RD_OP_FUTEX_WAKE:
        s->value = rd_futex_value(r->value, r->gate);
        break;
    case RD_OP_BARRIER_ARRIVE:
        s->value = r->gate;
        break;
    case RD_OP_BARRIER_LEAVE:
        s->value = op->arg;
        break;
    case RD_OP_FUTEX_WOKEN:
        s->value = s->flags & RD_STEP_VALUE2 ? s->value : op->arg;
        break;
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

static void enabled_bits(const struct rd_engine *e, struct rd_bits *b) {
    for (uint32_t w = 0; w < (e->world.count + 63) / 64; w++)
        b->w[w] = 0;
    for (uint32_t t = 0; t < e->world.count; t++)
        if (rd_model_enabled(&e->world, (rd_tid)t))
            rd_bits_add(b, t);
}

/* The threads that are enabled before and after a step, for the fairness rule. */
struct around {
    struct rd_bits before, after;
};

static void fair_begin(const struct rd_engine *e, struct around *a) {
    a->before = (struct rd_bits){{0}}; /* all words: the step may create a thread with a higher number */
    enabled_bits(e, &a->before);
}

static void fair_end(struct rd_engine *e, rd_tid tid, const struct rd_op *op, unsigned flags, struct around *a) {
    struct rd_op done = *op;
    bool waited = op->kind == RD_OP_AWAIT && !rd_spin_news(&e->spin, tid);
    if (flags & RD_STEP_SIGNALLED || waited)
        done.kind = RD_OP_NONE; /* the thread has not yielded yet, or its loop goes on without a change to see */
    enabled_bits(e, &a->after);
    rd_fair_step(&e->fair, e->world.arena, tid, &done, &a->before, &a->after, e->world.count);
}

void rd_engine_perform(struct rd_engine *e, rd_tid tid, struct rd_result *r) {
    const struct rd_op *op = &e->world.threads[tid].pending; /* no operation changes its own thread's `pending` */
    uint32_t step = e->rec.out->steps;
    uint32_t ways = 1, way = 0;
    RD_CHECK(tid == e->chosen);
    e->chosen = RD_TID_NONE;
    if (rd_models[op->kind].ways && !rd_model_signal(&e->world, tid))
        ways = rd_models[op->kind].ways(&e->world, tid, op);
    if (RD_UNLIKELY(e->recording && ways > 1))
        way = rd_engine_way(e, tid, ways);
    RD_CHECK(way < ways);
    bool fair = RD_UNLIKELY(e->fair.yielders || rd_op_flags(op->kind) & RD_F_YIELD) && e->recording;
    struct around around;
    if (fair)
        fair_begin(e, &around);
    unsigned flags = apply(e, tid, op, way, r);
    if (RD_UNLIKELY(ways > 1))
        rd_hb_class_way(&e->hb_class, tid, way);
    if (fair)
        fair_end(e, tid, op, flags, &around);
    e->current = tid;
    r->again = op->kind == RD_OP_AWAIT && !r->signal && !r->cancelled;
    if (RD_UNLIKELY(e->focus != NULL))
        rd_focus_done(e, op);
    if (RD_UNLIKELY(e->profiler != NULL) && !(flags & RD_STEP_SIGNALLED))
        rd_profiler_add(e->profiler, tid, op);
    if (RD_UNLIKELY(!e->recording))
        return;
    tell_spin(e, tid, op, flags, r);
    if (RD_UNLIKELY(step == 0))
        return;
    if (RD_UNLIKELY(step > e->stall.start) && !e->last_unasked)
        rd_stall_note(e, op, flags & RD_STEP_SIGNALLED, r);
    if (RD_UNLIKELY(step > e->cycle.first))
        rd_livelock_cycle_note(e, step - 1, op, flags & RD_STEP_SIGNALLED, r);
    RD_ASSERT(e->rec.steps[step - 1].tid == tid && e->rec.steps[step - 1].op == op->kind);
    struct rd_step *s = &e->rec.steps[step - 1];
    s->result = (uint8_t)RD_MIN(r->error, 255);
    s->flags |= (uint8_t)flags;
    note_value(s, op, r);
}

void rd_engine_instant(struct rd_engine *e, rd_tid tid, const struct rd_op *op, struct rd_result *r) {
    RD_CHECK(!e->recording || !(rd_op_flags(op->kind) & RD_F_POINT));
    apply(e, tid, op, 0, r);
}
