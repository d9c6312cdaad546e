/*
 * lockorder.c - predicted deadlocks: cycles in the lock order graph of one recorded execution, after GoodLock
 * (Havelund, "Using runtime analysis to guide model checking of Java programs", SPIN 2000) and its extension to any
 * number of threads with guards and segments (Agarwal, Wang and Stoller, "Detecting potential deadlocks with static
 * analysis and run-time monitoring", 2005; Bensalem and Havelund, "Dynamic deadlock analysis of multi-threaded
 * programs", 2005).
 *
 * A thread that takes a lock while it holds another one makes an edge from the held lock to the wanted one. Edges
 * of different threads, each of which wants the lock that the next one holds, are a cycle: under another schedule
 * each of the threads can wait for the next one for ever. A cycle is not reported if
 *
 *   - two of its threads hold another lock in common, at least one of them not as readers (a guard, or gate lock):
 *     the two are never in the cycle at the same time,
 *   - one edge comes before another in every schedule: by create, join, semaphores, barriers, atomics, signals of
 *     conditions. The clocks are those of sync.h without locks, because another schedule takes locks in another
 *     order,
 *   - a thread wants a read lock that the next one holds as a reader.
 *
 * A writer that waits for a read-write lock that prefers writers keeps readers out before it holds the lock. So its
 * place in the queue is an edge as well, from the lock to itself (`queued`), for which only readers wait. A
 * semaphore that is used as a lock counts as a mutex (trace/semlock.h).
 *
 * Operations that give up (try, timed) wait for no thread, so they make no edge to the lock that they take; but
 * that lock is held afterwards. Whether data keeps the threads apart is not visible here. So a cycle is a
 * prediction until an execution shows it (explore/confirm.c).
 */
#include "detect/detect.h"

#include "base/text.h"
#include "detect/sync.h"
#include "trace/held.h"
#include "trace/semlock.h"

/* Bounds on the work for one execution: edges that are kept, and paths that are tried. */
enum { EDGES_MAX = 4096, VISITS_MAX = 200000 };

/* A thread wants one lock while it holds another one. */
struct lock_edge {
    struct lock_edge *next;        /* the next older edge from the same held lock */
    rd_place held, wanted;         /* the two locks */
    rd_place held_pc, pc;          /* the places in the code that took the one and want the other */
    bool held_shared, want_shared; /* as a reader */
    bool queued; /* the thread does not hold the lock yet, it is in the queue of its writers: only readers wait for
                    it */
    rd_tid tid;
    uint32_t step;                 /* at which the thread took the wanted lock */
    uint32_t taken;                /* the step at which it took the held lock, + 1; 0: before the first step */
    uint32_t epoch;                /* of the thread at `step` */
    const struct rd_vclock *since; /* the clock of the thread when it took the held lock */
    const struct rd_hold *holds;   /* all locks that the thread holds at `step` */
    uint32_t hold_count;
};

/* The clock of a thread when it took a lock that it holds. */
struct since {
    rd_place lock;
    const struct rd_vclock *clock;
};

struct since_list {
    RD_VEC(struct since);
};

/* The read-write lock in whose queue of writers the thread is, and since which step; lock 0: it is in none. */
struct queued {
    struct since since;
    uint32_t step;
};

struct lockorder {
    struct rd_arena *arena;
    const struct rd_record *r;
    const struct rd_known *known;
    struct rd_held held;
    struct rd_sync sync;
    struct rd_semlocks sems;
    struct since_list *since; /* by thread */
    struct queued *queued;    /* by thread */
    struct rd_map preferring; /* read-write locks that let writers go first */
    struct rd_map by_lock;    /* held lock -> struct lock_edge *, the newest edge from it */
    struct rd_map seen;       /* hash of an edge (is_repeated) -> number of edges that have it */
    struct lock_edge *all[EDGES_MAX];
    uint32_t count;                              /* of `all` */
    uint32_t visits;                             /* paths tried so far */
    const struct lock_edge *path[RD_CIRCLE_MAX]; /* each edge wants the lock that the next one holds */
    uint32_t length;
};

/* ---- edges ---- */

/* The clock of the thread when it took the lock, which it holds. */
static const struct rd_vclock *since_of(const struct lockorder *l, rd_tid tid, rd_place lock) {
    RD_ASSERT(rd_held_by(&l->held, tid, lock));
    static const struct rd_vclock start; /* taken before the first step: nothing happens before that */
    for (uint32_t i = 0; i < l->since[tid].count; i++)
        if (l->since[tid].at[i].lock == lock)
            return l->since[tid].at[i].clock;
    return &start;
}

/* The lock with a copy of the clock that the thread has now. */
static struct since from_now(struct lockorder *l, rd_tid tid, rd_place lock) {
    struct rd_vclock *clock = rd_arena_zero(l->arena, sizeof *clock);
    rd_vclock_copy(clock, l->arena, &l->sync.thread[tid].now);
    return (struct since){lock, clock};
}

static void note_taken(struct lockorder *l, rd_tid tid, rd_place lock) {
    RD_ASSERT(rd_held_by(&l->held, tid, lock));
    struct since now = from_now(l, tid, lock);
    rd_vec_push(l->arena, &l->since[tid], now);
}

static void note_released(struct lockorder *l, rd_tid tid) {
    struct since_list *list = &l->since[tid];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->count; i++)
        if (rd_held_by(&l->held, tid, list->at[i].lock))
            list->at[kept++] = list->at[i];
    RD_ASSERT(kept <= l->held.thread[tid].count);
    list->count = kept;
}

/* True if the thread has made an equal edge with equal clocks and locks held: this one closes no other cycles. */
static bool is_repeated(struct lockorder *l, const struct lock_edge *e) {
    uint64_t h = rd_hash2(rd_hash2(e->held, e->wanted), rd_hash2(e->held_pc, e->pc));
    h = rd_hash2(rd_hash2(h, e->tid * 8u + e->queued * 4u + e->held_shared * 2u + e->want_shared), e->epoch);
    h = rd_vclock_hash(e->since, h);
    for (uint32_t i = 0; i < e->hold_count; i++)
        h += rd_mix(rd_hash2(e->holds[i].lock, e->holds[i].shared));
    uint64_t *slot = rd_map_put(&l->seen, l->arena, h);
    return (*slot)++ > 0;
}

/* True if the edge is from a lock that its thread holds, or queues for, to a lock that it may have to wait for. */
static bool is_edge(const struct lock_edge *e) {
    bool held = e->queued && e->held == e->wanted;
    for (uint32_t i = 0; i < e->hold_count; i++)
        held |= e->holds[i].lock == e->held;
    return held && e->taken <= e->step + 1 && e->epoch > 0;
}

/* Keeps a copy of the edge, unless it is repeated or there are too many. */
static void add_edge(struct lockorder *l, struct lock_edge *e) {
    const struct rd_held_thread *t = &l->held.thread[e->tid];
    e->holds = t->at;
    e->hold_count = t->count;
    if (l->count == EDGES_MAX || is_repeated(l, e))
        return;
    struct rd_hold *holds = rd_arena_alloc(l->arena, RD_MAX(t->count, 1u) * sizeof *holds);
    for (uint32_t k = 0; k < t->count; k++)
        holds[k] = t->at[k];
    e->holds = holds;
    uint64_t *slot = rd_map_put(&l->by_lock, l->arena, e->held);
    e->next = (struct lock_edge *)(uintptr_t)*slot;
    struct lock_edge *kept = rd_arena_alloc(l->arena, sizeof *kept);
    *kept = *e;
    *slot = (uintptr_t)kept;
    l->all[l->count++] = kept;
    RD_ASSERT(is_edge(kept));
}

/* The thread of the step took `wanted`: one edge from each lock that it holds, and from its place in the queue. */
static void add_edges(struct lockorder *l, const struct rd_step *s, uint32_t step, rd_place wanted) {
    const struct rd_held_thread *t = &l->held.thread[s->tid];
    const struct queued *q = &l->queued[s->tid];
    struct lock_edge e = {.wanted = wanted, .pc = s->pc, .tid = s->tid, .step = step};
    e.want_shared = s->op == RD_OP_RWLOCK_RDLOCK;
    e.epoch = rd_sync_now(&l->sync, s->tid);
    for (uint32_t i = 0; i < t->count; i++) {
        e.held = t->at[i].lock;
        e.held_pc = t->at[i].pc;
        e.held_shared = t->at[i].shared;
        e.taken = t->at[i].taken;
        e.since = since_of(l, s->tid, e.held);
        add_edge(l, &e);
    }
    if (s->op == RD_OP_RWLOCK_WRLOCK && q->since.lock == wanted) {
        e.held = wanted;
        e.held_pc = s->pc;
        e.held_shared = false;
        e.queued = true;
        e.taken = q->step + 1;
        e.since = q->since.clock;
        add_edge(l, &e);
    }
}

/* Adds the step to the clocks, if it orders threads in every schedule. Locks do not; a signal orders the wake-up,
 * so both are added as operations on a semaphore. */
static void order(struct lockorder *l, const struct rd_step *s) {
    struct rd_step gate = *s;
    rd_place lock;
    switch (s->op) {
    case RD_OP_COND_SIGNAL:
    case RD_OP_COND_BROADCAST:
        gate.op = RD_OP_SEM_POST;
        rd_sync_step(&l->sync, &gate);
        break;
    case RD_OP_COND_WAKE:
        gate.op = RD_OP_SEM_WAIT;
        rd_sync_step(&l->sync, &gate);
        break;
    default:
        if (rd_lock_change(s, &lock) == RD_LOCK_SAME)
            rd_sync_step(&l->sync, s);
    }
}

/* A writer enters the queue of a read-write lock that prefers writers: from this step on readers wait for it. */
static void note_queued(struct lockorder *l, const struct rd_step *s, uint32_t step) {
    if (s->op == RD_OP_RWLOCK_QUEUE && !(s->flags & RD_STEP_SIGNALLED))
        l->queued[s->tid] = (struct queued){from_now(l, s->tid, s->place), step};
}

/* True if the operation can wait for this lock. A thread that holds it does not wait, and a reader that locks it
 * for reading again waits only where writers can be in the queue. */
static bool may_wait(const struct lockorder *l, const struct rd_step *s, rd_place lock) {
    rd_place second = s->flags & RD_STEP_VALUE2 ? s->value : 0;
    if (!rd_lock_wanted(s->op, s->place, second) || s->timed)
        return false;
    const struct rd_hold *own = rd_held_by(&l->held, s->tid, lock);
    bool reads_again = own && own->shared && s->op == RD_OP_RWLOCK_RDLOCK;
    return !own || (reads_again && rd_map_get(&l->preferring, lock));
}

/* Makes the edges of the whole record. */
static void collect(struct lockorder *l) {
    for (uint32_t i = 0; i < l->r->out->steps; i++) {
        struct rd_step copy;
        const struct rd_step *s = rd_semlocks_step(&l->sems, &l->r->steps[i], &copy);
        if (s->op == RD_OP_READ || s->op == RD_OP_WRITE || rd_step_is_way(s))
            continue;
        order(l, s);
        note_queued(l, s, i);
        rd_place lock;
        enum rd_lock_change change = rd_lock_change(s, &lock);
        if (change == RD_LOCK_SAME)
            continue;
        if (may_wait(l, s, lock))
            add_edges(l, s, i, lock);
        change = rd_held_step(&l->held, s, i);
        if (change == RD_LOCK_TAKEN || change == RD_LOCK_SHARED)
            note_taken(l, s->tid, lock);
        else if (change == RD_LOCK_RELEASED)
            note_released(l, s->tid);
    }
}

/* ---- cycles ---- */

/* True if one thread has what it wants before the other takes the lock that it holds, in every schedule. */
static bool ordered(const struct lock_edge *a, const struct lock_edge *b) {
    RD_ASSERT(a->tid != b->tid);
    return a->epoch <= rd_vclock_get(b->since, a->tid) || b->epoch <= rd_vclock_get(a->since, b->tid);
}

/* True if both threads hold a common lock (a guard) that excludes them from these two edges at the same time. */
static bool gated(const struct lock_edge *a, const struct lock_edge *b) {
    for (uint32_t i = 0; i < a->hold_count; i++)
        for (uint32_t k = 0; k < b->hold_count; k++)
            if (a->holds[i].lock == b->holds[k].lock && !(a->holds[i].shared && b->holds[k].shared))
                return true;
    return false;
}

/* True if the edge can be at the same time as all edges of the path. */
static bool fits(const struct lockorder *l, const struct lock_edge *e) {
    for (uint32_t i = 0; i < l->length; i++)
        if (l->path[i]->tid == e->tid || ordered(l->path[i], e) || gated(l->path[i], e))
            return false;
    return true;
}

/* True if the thread `waiter`, which wants the lock, waits for the thread `holder`. */
static bool blocks(const struct lock_edge *holder, const struct lock_edge *waiter) {
    RD_ASSERT(waiter->wanted == holder->held);
    if (holder->queued)
        return waiter->want_shared;
    return !(holder->held_shared && waiter->want_shared);
}

static uint64_t key_of(const struct lockorder *l) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < l->length; i++)
        sum += rd_circle_part(l->path[i]->held_pc, l->path[i]->pc);
    return rd_circle_key(l->length, sum);
}

/*
 * Extends the path to a cycle that is not known; true with the cycle as the path. The first edge of a cycle is that
 * of its thread with the lowest number, so that each cycle is met once.
 */
static bool closes(struct lockorder *l) {
    const struct lock_edge *first = l->path[0], *last = l->path[l->length - 1];
    RD_ASSERT(l->length >= 1 && l->length <= RD_CIRCLE_MAX);
    if (++l->visits > VISITS_MAX)
        return false;
    if (l->length > 1 && last->wanted == first->held && blocks(first, last) && !rd_known_has(l->known, key_of(l)))
        return true;
    if (l->length == RD_CIRCLE_MAX)
        return false;
    const uint64_t *slot = rd_map_get(&l->by_lock, last->wanted);
    for (const struct lock_edge *e = slot ? (const struct lock_edge *)(uintptr_t)*slot : NULL; e; e = e->next) {
        if (e->tid <= first->tid || !blocks(e, last) || !fits(l, e))
            continue;
        l->path[l->length++] = e;
        if (closes(l))
            return true;
        l->length--;
    }
    return false;
}

static void describe(const struct lockorder *l, struct rd_finding *f) {
    const struct lock_edge *last = l->path[0];
    bool early = false;
    RD_CHECK(l->length >= 2 && l->length <= RD_CIRCLE_MAX);
    for (uint32_t i = 0; i < l->length; i++) {
        const struct lock_edge *e = l->path[i];
        RD_CHECK(e->wanted == l->path[(i + 1) % l->length]->held);
        early |= e->taken == 0;
        if (e->step > last->step)
            last = e;
    }
    *f = (struct rd_finding){.kind = RD_PREDICTED_DEADLOCK, .tid = last->tid, .pc = last->pc, .key = key_of(l)};
    /* that a lock was held from the start shows only in its release: all steps belong to the finding */
    f->step = early ? l->r->out->steps : last->step + 1;
    f->circle_count = l->length;
    for (uint32_t i = 0; i < l->length; i++) {
        f->circle[i] = l->path[i]->step + 1;
        if (l->path[i] == last) { /* the other thread of the finding holds the lock that `last` wants */
            const struct lock_edge *next = l->path[(i + 1) % l->length];
            f->other_tid = next->tid;
            f->other_pc = next->held_pc;
        }
    }
    struct rd_text t;
    rd_text_init(&t, f->message, sizeof f->message);
    rd_text_dec(&t, l->length);
    rd_text_str(&t, " threads take locks in an order that leads in a circle: under another schedule each can wait "
                    "for the next for ever");
}

bool rd_detect_lockorder(struct rd_arena *scratch, const struct rd_record *r, const struct rd_known *known,
                         struct rd_finding *f) {
    struct lockorder *l = rd_arena_zero(scratch, sizeof *l);
    l->arena = scratch;
    l->r = r;
    l->known = known;
    rd_held_init(&l->held, scratch, r);
    rd_sync_init(&l->sync, scratch, l->held.threads, r->cxx20);
    rd_semlocks_init(&l->sems, scratch, r->steps, r->out->steps);
    l->since = rd_arena_zero(scratch, l->held.threads * sizeof *l->since);
    l->queued = rd_arena_zero(scratch, l->held.threads * sizeof *l->queued);
    for (uint32_t i = 0; i < r->out->steps; i++)
        if (r->steps[i].op == RD_OP_RWLOCK_QUEUE)
            *rd_map_put(&l->preferring, scratch, r->steps[i].place) = 1;
    collect(l);
    for (uint32_t i = 0; i < l->count; i++) {
        l->path[0] = l->all[i];
        l->length = 1;
        if (closes(l)) {
            describe(l, f);
            return true;
        }
    }
    return false;
}
