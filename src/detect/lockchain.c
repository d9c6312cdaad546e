/*
 * lockchain.c - reverse lock chain analysis (Bruening and Chapin, "Systematic testing of multithreaded programs",
 * 2000): lock cycles that an execution came close to. The search `exitblock` runs it over each of its executions.
 *
 * A thread w cannot get lock l, because thread o holds it. Suppose that o took the lock that it released last, m,
 * while it held l, and that w holds m now: then the two take l and m in opposite orders, and if o had been a little
 * later, both would wait for ever. The chain goes on through other threads: a third thread can hold m, and so on.
 *
 * In the paper all locks are nested. Here the last released lock counts only if it was taken while the lock that is
 * waited for was held, so hand-over-hand locking is no cycle. And w must not have let others go on since the owners
 * took these locks (last_exit): otherwise w may wait there only because of what it saw the owners do.
 */
#include "detect/detect.h"

#include "base/bitset.h"
#include "base/text.h"
#include "trace/held.h"

/* The lock that a thread wants with its next step, or with its pending operation at the end of the execution. */
struct wanted_lock {
    rd_place lock; /* 0: the next step takes no lock */
    rd_place pc;
    bool shared; /* as a reader */
};

struct lock_chain {
    struct rd_held held; /* after the steps so far */
    const struct rd_record *r;
    bool (*counts)(const void *ctx, rd_place lock); /* false: the lock keeps no thread waiting; NULL: all count */
    const void *ctx;
    struct wanted_lock *next; /* by thread */
    uint32_t *last_exit;      /* by thread: step + 1 of its last operation after which others can go on; 0: none */
    uint32_t *next_step;      /* by step: the next step of its thread; the number of steps: none */
    uint32_t *pending;        /* by thread: step + 1 of its next step; 0: it has none */
    /* the chain that is being followed */
    struct rd_bits seen; /* its owners */
    rd_tid from;         /* the thread that waits, w */
    rd_tid holder;       /* the owner of the lock that w wants, o */
    rd_place held_pc;    /* where the holder took that lock */
    uint64_t sum;        /* of rd_circle_part over its threads */
    uint32_t length;     /* its threads */
    uint32_t
        circle[RD_TID_MAX]; /* by position: step + 1 at which the thread took the lock that it wants; 0: it waits */
    uint32_t since;         /* the first step + 1 at which an owner took the lock that it released last */
};

static struct wanted_lock of_step(const struct rd_step *s) {
    rd_place second = s->flags & RD_STEP_VALUE2 ? s->value : 0;
    return (struct wanted_lock){rd_lock_wanted(s->op, s->place, second), s->pc, s->op == RD_OP_RWLOCK_RDLOCK};
}

static struct wanted_lock at_end(const struct rd_record *r, uint32_t tid) {
    if (tid >= r->out->threads || r->threads[tid].state != RD_T_READY)
        return (struct wanted_lock){0};
    const struct rd_op *op = &r->threads[tid].pending;
    /* a waiter at a condition without a signal does not want its mutex yet */
    bool waits = op->kind == RD_OP_COND_WAKE;
    rd_place lock = waits ? 0 : rd_lock_wanted(op->kind, op->place, op->place2);
    return (struct wanted_lock){lock, op->pc, op->kind == RD_OP_RWLOCK_RDLOCK};
}

/* The first thread from number `after` on, other than `tid`, that holds the lock so that `tid` cannot take it (as a
 * reader if shared); RD_TID_NONE: there is none. */
static rd_tid owner_after(const struct lock_chain *c, rd_place lock, bool shared, rd_tid tid, uint32_t after) {
    for (uint32_t o = after; o < c->held.threads; o++) {
        const struct rd_hold *h = o == tid ? NULL : rd_held_by(&c->held, (rd_tid)o, lock);
        if (h && !(h->shared && shared))
            return (rd_tid)o;
    }
    return RD_TID_NONE;
}

/* True if a chain from o, which holds `lock`, leads back to the thread that waits. The chain is in c then. */
static bool leads_back(struct lock_chain *c, rd_tid o, rd_place lock) {
    const struct rd_hold *hold = rd_held_by(&c->held, o, lock), *last = &c->held.thread[o].last;
    if (rd_bits_has(&c->seen, o) || !last->lock || last->lock == lock || last->taken <= hold->taken)
        return false;
    rd_bits_add(&c->seen, o);
    /* if w has let others go on since, it may wait only because of what it saw: that is no other order of these
     * steps */
    c->since = RD_MIN(c->since, last->taken);
    if (c->last_exit[c->from] >= c->since)
        return false;
    const struct rd_hold *own = rd_held_by(&c->held, c->from, last->lock);
    RD_ASSERT(c->length < RD_TID_MAX);
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

/* True if the thread wants a lock and a chain leads back to it. */
static bool cycle(struct lock_chain *c, rd_tid tid) {
    const struct wanted_lock *p = &c->next[tid];
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

static void describe(const struct lock_chain *c, struct rd_finding *f) {
    *f = (struct rd_finding){.kind = RD_PREDICTED_DEADLOCK, .tid = c->from, .pc = c->next[c->from].pc};
    f->other_tid = c->holder;
    f->other_pc = c->held_pc;
    f->key = rd_circle_key(c->length, c->sum);
    RD_CHECK(c->length >= 2 && c->from != c->holder);
    f->circle_count = c->length <= RD_CIRCLE_MAX ? c->length : 0;
    for (uint32_t i = 0; i < f->circle_count; i++)
        f->circle[i] = c->circle[i];
    struct rd_text t;
    rd_text_init(&t, f->message, sizeof f->message);
    rd_text_dec(&t, c->length);
    rd_text_str(&t, " threads take the same locks in an order that leads in a circle: under another schedule each "
                    "can wait for the next for ever");
}

/* True for an exit of an atomic block: every operation but plain accesses, the start of a thread, operations that
 * can block, and those on a lock that does not count. */
static bool lets_go_on(const struct lock_chain *c, const struct rd_step *s) {
    unsigned flags = rd_op_flags(s->op);
    rd_place lock;
    if (c->counts && s->op != RD_OP_COND_WAIT && rd_lock_change(s, &lock) != RD_LOCK_SAME &&
        !c->counts(c->ctx, lock))
        return false;
    bool plain = s->op == RD_OP_READ || s->op == RD_OP_WRITE || s->op == RD_OP_START;
    return !plain && !(flags & RD_F_BLOCKS);
}

/* Sets the state before the first step. */
static void begin(struct lock_chain *c, struct rd_arena *a, const struct rd_record *r) {
    uint32_t steps = r->out->steps;
    c->r = r;
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
    return rd_detect_lockchain_of(scratch, r, NULL, NULL, known, f);
}

bool rd_detect_lockchain_of(struct rd_arena *scratch, const struct rd_record *r,
                            bool (*counts)(const void *ctx, rd_place lock), const void *ctx,
                            const struct rd_known *known, struct rd_finding *f) {
    struct lock_chain c = {.counts = counts, .ctx = ctx};
    begin(&c, scratch, r);
    for (uint32_t i = 0; i < r->out->steps; i++) {
        const struct rd_step *s = &r->steps[i];
        if (rd_op_flags(s->op) & RD_F_VALUE)
            continue;
        /* a step that changes no lock can close a chain only for its own thread, which now wants another lock */
        bool same = rd_held_step(&c.held, s, i) == RD_LOCK_SAME;
        if (lets_go_on(&c, s))
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
