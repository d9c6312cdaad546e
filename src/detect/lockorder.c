/*
 * lockorder.c - deadlocks that an execution shows although it did not run into them: circles in the order in which
 * threads take locks. A lock is taken while another one is held: an edge. A circle of edges of different threads,
 * each of which takes what the next one holds, can become a deadlock, unless
 *
 *   - two of the threads hold a lock in common at these moments that excludes them (a gate),
 *   - one of the edges comes before another in every schedule: by create, join, semaphores, barriers, atomics,
 *     signals of conditions. What locks themselves order does not count: another schedule orders it otherwise,
 *   - a read lock is taken that the next one holds for reading, too.
 *
 * A writer that waits for a read-write lock that prefers writers keeps readers out although it holds nothing yet:
 * it is one of a circle like who holds something. A semaphore that is used as a lock is one (trace/semlock.h).
 *
 * Operations that give up (try, timed) wait for nobody, but what they have taken is held. Whether data keeps the
 * threads apart cannot be seen here: a circle is a suspicion, until an execution shows it (explore/confirm.c).
 */
#include "detect/detect.h"

#include "base/text.h"
#include "detect/sync.h"
#include "trace/held.h"
#include "trace/semlock.h"

enum { EDGES_MAX = 4096, VISITS_MAX = 200000 };

struct edge {
    struct edge *next; /* of those that hold the same lock, the newest first */
    rd_place held, wanted, held_pc, pc;
    bool held_shared, want_shared;
    bool queued; /* what it "holds" is its place in the queue of writers: only readers wait for that */
    rd_tid tid;
    uint32_t step, taken;          /* taken: of what it holds, + 1 */
    uint32_t when;                 /* the thread's stretch when it got what it wanted */
    const struct rd_vclock *since; /* its clock when it took what it holds */
    const struct rd_hold *holds;   /* everything it holds */
    uint32_t hold_count;
};

/* A thread's clock when it took a lock that it holds. */
struct since {
    rd_place lock;
    const struct rd_vclock *clock;
};

struct since_list {
    RD_VEC(struct since);
};

/* What a thread is about to write, and waits for: lock 0 for nothing. */
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
    struct rd_map by_lock;    /* held lock -> struct edge * */
    struct rd_map seen;       /* hash of an edge -> 1: the same in every respect is there */
    struct edge *all[EDGES_MAX];
    uint32_t count, visits;
    const struct edge *path[RD_CIRCLE_MAX];
    uint32_t length;
};

/* ---- edges ---- */

static const struct rd_vclock *since_of(const struct lockorder *l, rd_tid tid, rd_place lock) {
    static const struct rd_vclock start; /* from before the first step: it has heard of nothing */
    for (uint32_t i = 0; i < l->since[tid].count; i++)
        if (l->since[tid].at[i].lock == lock)
            return l->since[tid].at[i].clock;
    return &start;
}

static struct since from_now(struct lockorder *l, rd_tid tid, rd_place lock) {
    struct rd_vclock *clock = rd_arena_zero(l->arena, sizeof *clock);
    rd_vclock_copy(clock, l->arena, &l->sync.thread[tid].now);
    return (struct since){lock, clock};
}

static void note_taken(struct lockorder *l, rd_tid tid, rd_place lock) {
    struct since now = from_now(l, tid, lock);
    rd_vec_push(l->arena, &l->since[tid], now);
}

static void note_released(struct lockorder *l, rd_tid tid) {
    struct since_list *list = &l->since[tid];
    uint32_t kept = 0;
    for (uint32_t i = 0; i < list->count; i++)
        if (rd_held_by(&l->held, tid, list->at[i].lock))
            list->at[kept++] = list->at[i];
    list->count = kept;
}

/* The same thread did the same before, and nothing was ordered since then: no other circles. */
static bool is_repeated(struct lockorder *l, const struct edge *e) {
    uint64_t h = rd_hash2(rd_hash2(e->held, e->wanted), rd_hash2(e->held_pc, e->pc));
    h = rd_hash2(rd_hash2(h, e->tid * 8u + e->queued * 4u + e->held_shared * 2u + e->want_shared), e->when);
    h = rd_vclock_hash(e->since, h);
    for (uint32_t i = 0; i < e->hold_count; i++)
        h += rd_mix(rd_hash2(e->holds[i].lock, e->holds[i].shared));
    uint64_t *slot = rd_map_put(&l->seen, l->arena, h);
    return (*slot)++ > 0;
}

static void add_edge(struct lockorder *l, struct edge *e) {
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
    e->next = (struct edge *)(uintptr_t)*slot;
    struct edge *kept = rd_arena_alloc(l->arena, sizeof *kept);
    *kept = *e;
    *slot = (uintptr_t)kept;
    l->all[l->count++] = kept;
}

static void add_edges(struct lockorder *l, const struct rd_step *s, uint32_t step, rd_place wanted) {
    const struct rd_held_thread *t = &l->held.thread[s->tid];
    const struct queued *q = &l->queued[s->tid];
    struct edge e = {.wanted = wanted, .pc = s->pc, .tid = s->tid, .step = step};
    e.want_shared = s->op == RD_OP_RWLOCK_RDLOCK;
    e.when = rd_sync_now(&l->sync, s->tid);
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

/* What orders threads whatever the schedule; locks do not, and a signal does order the wake-up. */
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

/* A writer gets in line: from here on no more readers are let in. */
static void note_queued(struct lockorder *l, const struct rd_step *s, uint32_t step) {
    if (s->op == RD_OP_RWLOCK_QUEUE && !(s->flags & RD_STEP_SIGNALLED))
        l->queued[s->tid] = (struct queued){from_now(l, s->tid, s->place), step};
}

/* May it have to wait for this lock? Who reads already is let in again, unless a writer can be in line. */
static bool may_wait(const struct lockorder *l, const struct rd_step *s, rd_place lock) {
    rd_place second = s->flags & RD_STEP_VALUE2 ? s->value : 0;
    if (!rd_lock_wanted(s->op, s->place, second) || s->timed)
        return false;
    const struct rd_hold *own = rd_held_by(&l->held, s->tid, lock);
    bool reads_again = own && own->shared && s->op == RD_OP_RWLOCK_RDLOCK;
    return !own || (reads_again && rd_map_get(&l->preferring, lock));
}

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

/* ---- circles ---- */

/* Is one of them over before the other begins, in every schedule? */
static bool ordered(const struct edge *a, const struct edge *b) {
    return a->when <= rd_vclock_get(b->since, a->tid) || b->when <= rd_vclock_get(a->since, b->tid);
}

static bool gated(const struct edge *a, const struct edge *b) {
    for (uint32_t i = 0; i < a->hold_count; i++)
        for (uint32_t k = 0; k < b->hold_count; k++)
            if (a->holds[i].lock == b->holds[k].lock && !(a->holds[i].shared && b->holds[k].shared))
                return true;
    return false;
}

static bool fits(const struct lockorder *l, const struct edge *e) {
    for (uint32_t i = 0; i < l->length; i++)
        if (l->path[i]->tid == e->tid || ordered(l->path[i], e) || gated(l->path[i], e))
            return false;
    return true;
}

/* Does who wants a lock in the one way wait for who holds it in the other? */
static bool blocks(const struct edge *holder, const struct edge *who) {
    if (holder->queued)
        return who->want_shared;
    return !(holder->held_shared && who->want_shared);
}

static uint64_t key_of(const struct lockorder *l) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < l->length; i++)
        sum += rd_circle_part(l->path[i]->held_pc, l->path[i]->pc);
    return rd_circle_key(l->length, sum);
}

/* Does a circle begin with the path? The first thread has the lowest number, so that each is met once. */
static bool closes(struct lockorder *l) {
    const struct edge *first = l->path[0], *last = l->path[l->length - 1];
    if (++l->visits > VISITS_MAX)
        return false;
    if (l->length > 1 && last->wanted == first->held && blocks(first, last) && !rd_known_has(l->known, key_of(l)))
        return true;
    if (l->length == RD_CIRCLE_MAX)
        return false;
    const uint64_t *slot = rd_map_get(&l->by_lock, last->wanted);
    for (const struct edge *e = slot ? (const struct edge *)(uintptr_t)*slot : NULL; e; e = e->next) {
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
    const struct edge *last = l->path[0];
    bool early = false;
    for (uint32_t i = 0; i < l->length; i++) {
        const struct edge *e = l->path[i];
        early |= e->taken == 0;
        if (e->step > last->step)
            last = e;
    }
    *f = (struct rd_finding){.kind = RD_PREDICTED_DEADLOCK, .tid = last->tid, .pc = last->pc, .key = key_of(l)};
    /* what was held from the start shows only when it is released */
    f->step = early ? l->r->out->steps : last->step + 1;
    f->circle_count = l->length;
    for (uint32_t i = 0; i < l->length; i++) {
        f->circle[i] = l->path[i]->step + 1;
        if (l->path[i] == last) { /* who holds what it takes */
            const struct edge *next = l->path[(i + 1) % l->length];
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
