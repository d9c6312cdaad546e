/*
 * lockchain.c - reverse lock chain analysis: lock cycles that an execution came close to without running into them.
 *
 * A thread cannot get lock l, because o holds it. If the lock that o released last was taken by o while it held l,
 * and the waiting thread holds that one now, the two take the locks in opposite orders: had o been a little later,
 * both would wait for ever. The same through several threads. (Bruening and Chapin, "Systematic testing of
 * multithreaded programs", 2000; there every lock is nested. Here the lock released last counts only if it was
 * taken under the one that is waited for, hand-over-hand locking is no cycle; and the waiting thread must not have
 * let others go on since, or it may be waiting there only because of what it saw them do.)
 */
#include "detect/detect.h"

#include "base/bitset.h"
#include "base/text.h"
#include "trace/held.h"

/* What a thread is about to do: its next step, or what was pending when the execution ended. */
struct pending {
    rd_place lock, pc; /* lock 0: it does not want one */
    bool shared;
};

struct chain {
    struct rd_held held;
    const struct rd_record *r;
    struct pending *next;
    uint32_t *last_exit; /* by thread: step + 1 of its last operation that lets others go on */
    uint32_t *next_step; /* by step: the thread's next one; the count of steps: none */
    struct rd_bits seen;
    rd_tid from;                 /* who waits */
    rd_tid holder;               /* who holds what it waits for */
    uint64_t sum;                /* over the places of the chain */
    rd_place held_pc;            /* where the holder took it */
    uint32_t length;             /* threads of the cycle */
    uint32_t circle[RD_TID_MAX]; /* steps + 1 at which they took what they want; 0: it is pending */
    uint32_t *pending;           /* by thread: step + 1 of what it is about to do; 0: it never did */
    uint32_t since;              /* the first of the steps at which the owners took what they released last */
};

static struct pending of_step(const struct rd_step *s) {
    rd_place second = s->flags & RD_STEP_VALUE2 ? s->value : 0;
    return (struct pending){rd_lock_wanted(s->op, s->place, second), s->pc, s->op == RD_OP_RWLOCK_RDLOCK};
}

static struct pending at_end(const struct rd_record *r, uint32_t tid) {
    if (tid >= r->out->threads || r->threads[tid].state != RD_T_READY)
        return (struct pending){0};
    const struct rd_op *op = &r->threads[tid].pending;
    /* a waiter that nobody has signalled does not want its mutex yet */
    bool waits = op->kind == RD_OP_COND_WAKE;
    rd_place lock = waits ? 0 : rd_lock_wanted(op->kind, op->place, op->place2);
    return (struct pending){lock, op->pc, op->kind == RD_OP_RWLOCK_RDLOCK};
}

/* Does a thread other than `tid` hold it against this way of taking it? Its number, from `after` on. */
static rd_tid owner_after(const struct chain *c, rd_place lock, bool shared, rd_tid tid, uint32_t after) {
    for (uint32_t o = after; o < c->held.threads; o++) {
        const struct rd_hold *h = o == tid ? NULL : rd_held_by(&c->held, (rd_tid)o, lock);
        if (h && !(h->shared && shared))
            return (rd_tid)o;
    }
    return RD_TID_NONE;
}

/* Does a chain from o, which holds `lock`, lead back to the thread that waits? */
static bool leads_back(struct chain *c, rd_tid o, rd_place lock) {
    const struct rd_hold *hold = rd_held_by(&c->held, o, lock), *last = &c->held.thread[o].last;
    if (rd_bits_has(&c->seen, o) || !last->lock || last->lock == lock || last->taken <= hold->taken)
        return false;
    rd_bits_add(&c->seen, o);
    /* whoever has let others go on since then may have waited for just that: it is no other order of the same */
    c->since = RD_MIN(c->since, last->taken);
    if (c->last_exit[c->from] >= c->since)
        return false;
    const struct rd_hold *own = rd_held_by(&c->held, c->from, last->lock);
    c->circle[c->length++] = last->taken;
    c->sum += rd_circle_part(hold->pc, last->pc);
    if (own && !(own->shared && last->shared)) {
        c->sum += rd_circle_part(own->pc, c->next[c->from].pc);
        return true;
    }
    rd_tid next = owner_after(c, last->lock, last->shared, o, 0);
    for (; next != RD_TID_NONE; next = owner_after(c, last->lock, last->shared, o, next + 1u))
        if (leads_back(c, next, last->lock))
            return true;
    c->length--;
    c->sum -= rd_circle_part(hold->pc, last->pc);
    return false;
}

static bool cycle(struct chain *c, rd_tid tid) {
    const struct pending *p = &c->next[tid];
    if (!p->lock || rd_held_by(&c->held, tid, p->lock))
        return false;
    rd_tid o = owner_after(c, p->lock, p->shared, tid, 0);
    for (; o != RD_TID_NONE; o = owner_after(c, p->lock, p->shared, tid, o + 1u)) {
        c->seen = (struct rd_bits){{0}};
        c->from = tid;
        c->sum = 0;
        c->circle[0] = c->pending[tid];
        c->length = 1;
        c->since = UINT32_MAX;
        if (!leads_back(c, o, p->lock))
            continue;
        c->holder = o;
        c->held_pc = rd_held_by(&c->held, o, p->lock)->pc;
        return true;
    }
    return false;
}

static void describe(const struct chain *c, struct rd_finding *f) {
    *f = (struct rd_finding){.kind = RD_PREDICTED_DEADLOCK, .tid = c->from, .pc = c->next[c->from].pc};
    f->other_tid = c->holder;
    f->other_pc = c->held_pc;
    f->key = rd_circle_key(c->length, c->sum);
    f->circle_count = c->length <= RD_CIRCLE_MAX ? c->length : 0;
    for (uint32_t i = 0; i < f->circle_count; i++)
        f->circle[i] = c->circle[i];
    struct rd_text t;
    rd_text_init(&t, f->message, sizeof f->message);
    rd_text_dec(&t, c->length);
    rd_text_str(&t, " threads take the same locks in an order that leads in a circle: under another schedule each "
                    "can wait for the next for ever");
}

static bool lets_go_on(const struct rd_step *s) {
    unsigned flags = rd_op_flags(s->op);
    bool plain = s->op == RD_OP_READ || s->op == RD_OP_WRITE || s->op == RD_OP_START;
    return !plain && !(flags & RD_F_BLOCKS);
}

static void begin(struct chain *c, struct rd_arena *a, const struct rd_record *r) {
    uint32_t steps = r->out->steps;
    *c = (struct chain){.r = r};
    rd_held_init(&c->held, a, r);
    c->next = rd_arena_zero(a, c->held.threads * sizeof *c->next);
    c->last_exit = rd_arena_zero(a, c->held.threads * sizeof *c->last_exit);
    c->next_step = rd_arena_alloc(a, (steps + 1) * sizeof *c->next_step);
    uint32_t *first = rd_arena_alloc(a, c->held.threads * sizeof *first);
    for (uint32_t t = 0; t < c->held.threads; t++)
        first[t] = steps;
    for (uint32_t i = steps; i-- > 0;) {
        if (rd_op_flags(r->steps[i].op) & RD_F_VALUE)
            continue;
        c->next_step[i] = first[r->steps[i].tid];
        first[r->steps[i].tid] = i;
    }
    c->pending = rd_arena_alloc(a, c->held.threads * sizeof *c->pending);
    for (uint32_t t = 0; t < c->held.threads; t++) {
        c->next[t] = first[t] < steps ? of_step(&r->steps[first[t]]) : at_end(r, t);
        c->pending[t] = first[t] < steps ? first[t] + 1 : 0;
    }
}

bool rd_detect_lockchain(struct rd_arena *scratch, const struct rd_record *r, const struct rd_known *known,
                         struct rd_finding *f) {
    struct chain c;
    begin(&c, scratch, r);
    for (uint32_t i = 0; i < r->out->steps; i++) {
        const struct rd_step *s = &r->steps[i];
        if (rd_op_flags(s->op) & RD_F_VALUE)
            continue;
        bool same = rd_held_step(&c.held, s, i) == RD_LOCK_SAME;
        if (lets_go_on(s))
            c.last_exit[s->tid] = i + 1;
        uint32_t n = c.next_step[i];
        c.next[s->tid] = n < r->out->steps ? of_step(&r->steps[n]) : at_end(r, s->tid);
        c.pending[s->tid] = n < r->out->steps ? n + 1 : 0;
        for (uint32_t t = same ? s->tid : 0; t < (same ? s->tid + 1u : c.held.threads); t++) {
            if (!cycle(&c, (rd_tid)t))
                continue;
            describe(&c, f);
            if (!rd_known_has(known, f->key))
                return true;
        }
    }
    return false;
}
