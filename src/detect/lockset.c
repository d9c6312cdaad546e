/*
 * lockset.c - the locking discipline of Eraser (Savage et al., "Eraser: a dynamic data race detector for
 * multithreaded programs", TOCS 1997), checked on one recorded execution: each piece of shared memory that is
 * written has a lock that all its accesses hold.
 *
 * As in Eraser, a piece of memory has a state and a candidate set of locks. Memory that one thread uses is
 * exclusive to it (OWN). With the first access of another thread it becomes SHARED (read only) or MODIFIED, its
 * candidate set is the set of locks that this thread holds, and each later access intersects the set with the locks
 * held then; a read lock protects reads only. A piece that is MODIFIED with an empty set is a violation.
 *
 * Two things differ from Eraser, which knows no happens-before relation:
 *   - Create and join, barriers, semaphores, conditions, atomics, once and the like hand memory over. When these
 *     alone order all accesses so far before an access, the piece is exclusive to the thread of that access again.
 *   - An access that is not ordered after a conflicting one even by all synchronisation, locks included, is a
 *     violation by itself (a race).
 * For these each thread and each object has two clocks: `hand` with the synchronisation that hands memory over, and
 * `full` with locks as well. Atomic accesses need no lock.
 *
 * Pieces are the parts into which the ends of all accesses of the execution cut the memory: each access covers
 * whole pieces, and neighbouring variables share none.
 */
#include "detect/detect.h"

#include "base/sort.h"

#include "base/map.h"
#include "base/text.h"
#include "base/vclock.h"
#include "trace/held.h"
#include "trace/event.h"

#include <string.h>

enum { LOCKS_MAX = 8 }; /* locks of a candidate set; further ones are forgotten */

/* The states of Eraser. VIRGIN: not accessed yet; OWN: exclusive to its owner. */
enum lockset_state { VIRGIN, OWN, SHARED, MODIFIED };

/* The bytes between two cuts. */
struct lockset_piece {
    uint8_t state;  /* enum lockset_state */
    rd_tid owner;   /* OWN: the thread that the piece is exclusive to */
    uint32_t count; /* size of the candidate set, which the piece has once it is shared */
    rd_place lock[LOCKS_MAX];
    struct rd_vclock
        used; /* by thread: the epoch of its last access since the piece was last handed over; 0: none */
    struct rd_vclock wrote;        /* by thread: the epoch of its last write since then; 0: none */
    uint32_t last_write, last_use; /* steps, + 1; 0: none */
    uint32_t bare;                 /* the last access since then under no lock at all: step + 1; 0: none */
};

/* Vector clocks of a thread or an object. `hand` has only synchronisation that hands memory over, `full` all. */
struct lockset_clocks {
    struct rd_vclock hand, full;
};

struct lockset {
    struct rd_arena *arena;
    const struct rd_record *r;
    struct rd_held held;
    struct lockset_clocks *thread;
    struct rd_map objects; /* place -> struct lockset_clocks */
    uint64_t *cut;         /* addresses, ascending: piece k is from cut[k] to cut[k + 1] */
    uint32_t cuts;
    struct lockset_piece *piece;
    bool (*counts)(const void *ctx, rd_place lock); /* NULL: all locks count */
    const void *ctx;
};

/* True if the step is an access that needs a lock. */
static bool is_plain(const struct rd_step *s) {
    return (s->op == RD_OP_READ || s->op == RD_OP_WRITE) && s->size > 0 && !(s->flags & RD_STEP_SIGNALLED);
}

/* ---- pieces ---- */

static bool is_ascending(const uint64_t *at, uint32_t count) {
    for (uint32_t i = 1; i < count; i++)
        if (at[i - 1] >= at[i])
            return false;
    return true;
}

/* Sets the cuts: where an access of the record begins, and after its last byte. */
static void cut_memory(struct lockset *l) {
    const struct rd_record *r = l->r;
    l->cut = rd_arena_alloc(l->arena, (2 * (size_t)r->out->steps + 1) * sizeof *l->cut);
    uint32_t n = 0;
    for (uint32_t i = 0; i < r->out->steps; i++) {
        if (!is_plain(&r->steps[i]))
            continue;
        struct rd_event e = rd_event_of_step(&r->steps[i]);
        l->cut[n++] = e.first;
        l->cut[n++] = e.last + 1;
    }
    rd_sort(l->cut, n, a, b, *a < *b);
    for (uint32_t i = 0; i < n; i++)
        if (l->cuts == 0 || l->cut[l->cuts - 1] != l->cut[i])
            l->cut[l->cuts++] = l->cut[i];
    RD_ASSERT(is_ascending(l->cut, l->cuts));
    l->piece = rd_arena_zero(l->arena, (l->cuts + 1) * sizeof *l->piece);
}

/* The piece that begins at this address or is around it. */
static uint32_t piece_at(const struct lockset *l, uint64_t address) {
    uint32_t low = 0, high = l->cuts;
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (l->cut[middle] <= address)
            low = middle;
        else
            high = middle;
    }
    RD_ASSERT(l->cut[low] == address);
    return low;
}

/* ---- clocks ---- */

/* The clocks of the object with this name; they begin empty. */
static struct lockset_clocks *object(struct lockset *l, rd_place place) {
    uint64_t *slot = rd_map_put(&l->objects, l->arena, place);
    if (!*slot)
        *slot = (uintptr_t)rd_arena_zero(l->arena, sizeof(struct lockset_clocks));
    return (struct lockset_clocks *)(uintptr_t)*slot;
}

/* Joins the clocks; `hand`: the synchronisation hands memory over. */
static void join(struct lockset *l, struct lockset_clocks *to, const struct lockset_clocks *from, bool hand) {
    rd_vclock_join(&to->full, l->arena, &from->full);
    if (hand)
        rd_vclock_join(&to->hand, l->arena, &from->hand);
}

/* True for operations that acquire and do not release. */
static bool only_takes(unsigned op) {
    return op == RD_OP_COND_WAKE || op == RD_OP_SEM_WAIT || op == RD_OP_SEM_TRYWAIT || op == RD_OP_ATOMIC_LOAD ||
           op == RD_OP_BARRIER_LEAVE || op == RD_OP_ONCE_BEGIN || op == RD_OP_FUTEX_WOKEN || op == RD_OP_IO_RECEIVE;
}

/* True for operations that release and do not acquire. */
static bool only_gives(unsigned op) {
    return op == RD_OP_COND_SIGNAL || op == RD_OP_COND_BROADCAST || op == RD_OP_SEM_POST ||
           op == RD_OP_ATOMIC_STORE || op == RD_OP_ONCE_END || op == RD_OP_FUTEX_WAKE || op == RD_OP_IO_SEND;
}

/* Creation before the first step of the thread, its last step before the join. */
static void order_threads(struct lockset *l, const struct rd_step *s) {
    bool other = s->value < l->held.threads && s->value != s->tid && !s->result;
    if (s->op == RD_OP_CREATE && other)
        join(l, &l->thread[s->value], &l->thread[s->tid], true);
    if ((s->op == RD_OP_JOIN || s->op == RD_OP_TRYJOIN) && other)
        join(l, &l->thread[s->tid], &l->thread[s->value], true);
}

/* Joins the clocks of the thread with those of the objects that the step, which is no plain access, synchronises
 * at. */
static void order(struct lockset *l, const struct rd_step *s, enum rd_lock_change change) {
    RD_ASSERT(!is_plain(s) && s->tid < l->held.threads);
    rd_place lock;
    struct lockset_clocks *t = &l->thread[s->tid];
    order_threads(l, s);
    rd_lock_change(s, &lock);
    if (change == RD_LOCK_TAKEN || change == RD_LOCK_SHARED)
        join(l, t, object(l, lock), false);
    else if (change == RD_LOCK_RELEASED)
        join(l, object(l, lock), t, false);
    bool locks = rd_lock_change(s, &lock) != RD_LOCK_SAME && s->op != RD_OP_COND_WAKE;
    if (!s->place || locks || is_plain(s) || s->op == RD_OP_COND_WAIT || s->op == RD_OP_SLEEP)
        return;
    rd_place gate = rd_event_gate(s);
    struct lockset_clocks *o = object(l, only_takes(s->op) ? gate : s->place);
    if (!only_gives(s->op))
        join(l, t, o, true);
    if (only_takes(s->op))
        return;
    join(l, o, t, true);
    if (gate != s->place)
        join(l, object(l, gate), o, true);
}

/* Begins the next epoch of the thread: no other clock has its number yet. */
static void tick(struct lockset *l, rd_tid tid) {
    struct lockset_clocks *t = &l->thread[tid];
    uint32_t n = rd_vclock_get(&t->full, tid) + 1;
    rd_vclock_set(&t->full, l->arena, tid, n);
    rd_vclock_set(&t->hand, l->arena, tid, n);
}

/* True if each of these events happens before the next step of a thread with this clock. */
static bool all_before(const struct rd_vclock *events, const struct rd_vclock *clock) {
    for (uint32_t t = 0; t < events->count; t++)
        if (events->at[t] > rd_vclock_get(clock, t))
            return false;
    return true;
}

/* ---- the rule ---- */

/* True if the lock, as it is held, protects an access: a read lock protects no write. */
static bool protects(const struct lockset *l, const struct rd_hold *h, bool write) {
    return (!h->shared || !write) && (!l->counts || l->counts(l->ctx, h->lock));
}

/* Intersects the candidate set with the locks that the thread holds now. `first`: the
 * piece has no set yet. */
static void refine(struct lockset *l, struct lockset_piece *p, rd_tid tid, bool write, bool first) {
    const struct rd_held_thread *t = &l->held.thread[tid];
    RD_ASSERT(p->state == OWN || p->state == SHARED || p->state == MODIFIED);
    rd_place both[LOCKS_MAX];
    uint32_t n = 0;
    for (uint32_t i = 0; i < t->count && n < LOCKS_MAX; i++) {
        bool in = first;
        for (uint32_t k = 0; k < p->count && !in; k++)
            in = p->lock[k] == t->at[i].lock;
        if (in && protects(l, &t->at[i], write))
            both[n++] = t->at[i].lock;
    }
    memcpy(p->lock, both, n * sizeof *both);
    p->count = n;
}

/* An access of the thread to a piece, by the rules above. True: it violates the discipline. */
static bool use(struct lockset *l, struct lockset_piece *p, rd_tid tid, bool write) {
    struct lockset_clocks *now = &l->thread[tid];
    RD_ASSERT(p->state <= MODIFIED && p->count <= LOCKS_MAX);
    if (p->state == VIRGIN || all_before(&p->used, &now->hand)) {
        p->state = OWN;
        p->owner = tid;
        p->used.count = p->bare = 0;
        if (write) /* this access stands for the accesses before it; a read does not stand for the writes */
            p->wrote.count = 0;
        return false;
    }
    if (p->state == OWN && p->owner == tid)
        return false;
    if (!all_before(write ? &p->used : &p->wrote, &now->full))
        return true;
    bool first = p->state == OWN;
    refine(l, p, tid, write, first);
    if (write)
        p->state = MODIFIED;
    else if (first)
        p->state = SHARED;
    return p->state == MODIFIED && p->count == 0;
}

/* True if the thread holds no lock that protects the access. */
static bool is_bare(const struct lockset *l, rd_tid tid, bool write) {
    const struct rd_held_thread *t = &l->held.thread[tid];
    for (uint32_t i = 0; i < t->count; i++)
        if (protects(l, &t->at[i], write))
            return false;
    return true;
}

/* Notes the access in the piece. */
static void leave_mark(struct lockset *l, struct lockset_piece *p, uint32_t step, bool write) {
    rd_tid tid = l->r->steps[step].tid;
    if (is_bare(l, tid, write))
        p->bare = step + 1;
    uint32_t n = rd_vclock_get(&l->thread[tid].full, tid);
    RD_ASSERT(n > 0 && n == rd_vclock_get(&l->thread[tid].hand, tid));
    RD_ASSERT(p->state != VIRGIN && step + 1 > p->last_use);
    rd_vclock_set(&p->used, l->arena, tid, n);
    p->last_use = step + 1;
    if (write) {
        rd_vclock_set(&p->wrote, l->arena, tid, n);
        p->last_write = step + 1;
    }
}

/* The other access of the report: the last write of the piece if by another thread, else the last access of another
 * thread that overlaps this one; NULL: none. */
static const struct rd_step *counterpart(const struct lockset *l, const struct lockset_piece *p, uint32_t step) {
    const struct rd_step *steps = l->r->steps;
    uint32_t at = p->last_write && steps[p->last_write - 1].tid != steps[step].tid ? p->last_write : p->last_use;
    for (; at > 0; at--) {
        const struct rd_step *s = &steps[at - 1];
        struct rd_event a = rd_event_of_step(s), b = rd_event_of_step(&steps[step]);
        if (is_plain(s) && s->tid != steps[step].tid && a.first <= b.last && b.first <= a.last)
            return s;
    }
    return NULL;
}

/* If one of the two accesses was under no lock at all, the report blames that one. */
static void describe(const struct lockset *l, const struct lockset_piece *p, uint32_t step, uint64_t address,
                     struct rd_finding *f) {
    const struct rd_step *s = &l->r->steps[step], *other = counterpart(l, p, step);
    if (p->bare && l->r->steps[p->bare - 1].tid != s->tid && !is_bare(l, s->tid, s->op == RD_OP_WRITE)) {
        other = s;
        s = &l->r->steps[p->bare - 1];
    }
    RD_CHECK(!other || other->tid != s->tid);
    *f = (struct rd_finding){.kind = RD_LOCK_DISCIPLINE, .tid = s->tid, .pc = s->pc, .other_tid = RD_TID_NONE};
    if (other) {
        f->other_tid = other->tid;
        f->other_pc = other->pc;
    }
    f->key = rd_hash2(RD_LOCK_DISCIPLINE, address);
    struct rd_text t;
    rd_text_init(&t, f->message, sizeof f->message);
    rd_text_str(&t, s->op == RD_OP_WRITE ? "written" : "read");
    rd_text_str(&t, " without a lock that all uses of this memory hold");
}

/* Looks for the first violation that is not known. */
static bool look(struct lockset l, const struct rd_known *known, struct rd_finding *f) {
    struct rd_arena *scratch = l.arena;
    const struct rd_record *r = l.r;
    rd_held_init(&l.held, scratch, r);
    l.thread = rd_arena_zero(scratch, l.held.threads * sizeof *l.thread);
    cut_memory(&l);
    for (uint32_t t = 0; t < l.held.threads; t++)
        tick(&l, (rd_tid)t);
    for (uint32_t i = 0; i < r->out->steps; i++) {
        const struct rd_step *s = &r->steps[i];
        if (rd_op_flags(s->op) & RD_F_VALUE)
            continue;
        if (!is_plain(s)) {
            order(&l, s, rd_held_step(&l.held, s, i));
            tick(&l, s->tid);
            continue;
        }
        struct rd_event e = rd_event_of_step(s);
        bool write = s->op == RD_OP_WRITE, wrong = false;
        for (uint32_t k = piece_at(&l, e.first); k + 1 < l.cuts && l.cut[k] <= e.last; k++) {
            struct lockset_piece *p = &l.piece[k];
            if (use(&l, p, s->tid, write) && !wrong) {
                describe(&l, p, i, l.cut[k], f);
                wrong = !rd_known_has(known, f->key);
            }
            leave_mark(&l, p, i, write);
        }
        if (wrong)
            return true;
    }
    return false;
}

bool rd_detect_lockset(struct rd_arena *scratch, const struct rd_record *r, const struct rd_known *known,
                       struct rd_finding *f) {
    return look((struct lockset){.arena = scratch, .r = r}, known, f);
}

bool rd_detect_lockset_of(struct rd_arena *scratch, const struct rd_record *r,
                          bool (*counts)(const void *ctx, rd_place lock), const void *ctx, struct rd_finding *f) {
    return look((struct lockset){.arena = scratch, .r = r, .counts = counts, .ctx = ctx}, NULL, f);
}
