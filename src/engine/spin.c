/* spin.c - see spin.h. */
#include "engine/spin_await.h"
#include "engine/spin_lines.h"

#include "trace/event.h"
#include "trace/place.h"

#include <string.h>

enum { FORCED_MAX = 100 }; /* iterations without a change that are allowed before the loop counts as endless */
enum { FEW = 4 };          /* first room for reads */
enum { SEVERAL = 8 };      /* with more threads than that, the lines that each has read are marked (spin_lines.h) */
enum { STORE_MAX = 16 };   /* length in bytes of a store that may be recognised as silent */

static bool is_rmw(unsigned kind) { return kind == RD_OP_ATOMIC_RMW || kind == RD_OP_ATOMIC_CAS; }

/* Returns whether the memory is on the thread's own stack, which is part of its local state. */
static bool on_own_stack(rd_tid tid, const struct rd_op *op) {
    return rd_place_region(op->place) == (unsigned)RD_PLACE_STACK + tid;
}

void rd_spin_init(struct rd_spin *s, struct rd_arena *a) { *s = (struct rd_spin){.arena = a}; }

/* Makes room for threads up to this one. With more than SEVERAL threads, marks the lines that each has read. */
static void reach(struct rd_spin *s, rd_tid tid) {
    uint32_t before = s->thread.count, groups = s->readers.count;
    while (s->thread.count <= tid)
        rd_vec_push(s->arena, &s->thread, NULL);
    while (s->thread.count > SEVERAL && s->readers.count <= tid / 64u)
        rd_vec_push(s->arena, &s->readers, rd_arena_zero(s->arena, sizeof(struct rd_spin_readers)));
    for (uint32_t t = 0; !groups && s->readers.count && t < before; t++)
        for (uint32_t i = 0; s->thread.at[t] && i < s->thread.at[t]->count; i++)
            rd_spin_mark(s, (rd_tid)t, &s->thread.at[t]->at[i]);
}

static struct rd_spin_thread *make(struct rd_spin *s, rd_tid tid) {
    struct rd_spin_thread *t = rd_arena_alloc(s->arena, sizeof *t);
    memset(t, 0, offsetof(struct rd_spin_thread, hold));
    if (s->thread.count <= tid)
        reach(s, tid);
    RD_CHECK(!s->thread.at[tid]);
    return s->thread.at[tid] = t;
}

static inline struct rd_spin_thread *of(struct rd_spin *s, rd_tid tid) {
    struct rd_spin_thread *t = tid < s->thread.count ? s->thread.at[tid] : NULL;
    return t ? t : make(s, tid);
}

/*
 * An operation of another thread, as it meets the entries. `reads`: it touches reads, because the memory or object
 * has changed; `locks`: it touches locks that were taken, because its thread noticed that the lock is held.
 */
struct contact {
    rd_place first, last;
    bool writes;   /* it writes memory; an operation on an object touches no reads of memory there: a wake-up of a
                      futex does not change the word */
    uint8_t touch; /* how it touches an object (enum rd_touch) */
    bool reads, locks;
};

/*
 * Returns whether the entry is touched. Two operations on an object that do not conflict (event.h) cannot change
 * each other's results: the inner lock of a recursive mutex, two failures to get a read lock.
 */
static inline bool meets(const struct contact *c, const struct rd_spin_read *r) {
    return r->first <= c->last && c->first <= r->last && (r->lock ? c->locks : c->reads) &&
           (c->writes || (!rd_spin_is_memory(r->kind) && rd_touch_conflict(r->touch, c->touch)));
}

/* Marks the reads of thread `of` as touched that overlap an operation of thread `by`. */
static inline void touch_reads(struct rd_spin *s, rd_tid by, uint32_t of, const struct contact *c) {
    struct rd_spin_thread *w = of < s->thread.count ? s->thread.at[of] : NULL;
    if (!w || of == by)
        return;
    struct rd_spin_read *end = w->at + w->count;
    for (struct rd_spin_read *r = w->at; r < end; r++)
        if (meets(c, r))
            r->touched = true;
}

/* Marks the operations of all other threads there as touched. */
static inline void touch_everywhere(struct rd_spin *s, rd_tid by, const struct contact *c) {
    for (uint32_t t = 0; !s->readers.count && t < s->thread.count; t++)
        touch_reads(s, by, t, c);
    for (uint32_t g = 0; RD_UNLIKELY(g < s->readers.count); g++)
        for (uint64_t left = rd_spin_readers_of(s->readers.at[g], c->first, c->last); left; left &= left - 1)
            touch_reads(s, by, g * 64 + (uint32_t)__builtin_ctzll(left), c);
}

static bool is_write(const struct rd_op *op) { return rd_op_flags(op->kind) & RD_F_WRITES; }

static void touch(struct rd_spin *s, rd_tid by, const struct rd_op *op, bool reads, bool locks) {
    struct contact c = {.writes = is_write(op), .touch = rd_event_touch(op), .reads = reads, .locks = locks};
    if (!op->place)
        return;
    rd_place_span(op->place, op->size, &c.first, &c.last);
    touch_everywhere(s, by, &c);
}

enum { BEGINS = 1, ONLY_WAITS = 2 };

/*
 * BEGINS: an iteration can begin with it; so it can with every operation that reads or yields. ONLY_WAITS: an
 * operation that waits until a lock is free, or frees it, cannot notice which thread held it, and how often.
 */
static const uint8_t traits[RD_OP_KINDS] = {
    [RD_OP_MUTEX_TRYLOCK] = BEGINS,
    [RD_OP_SPIN_TRYLOCK] = BEGINS,
    [RD_OP_RWLOCK_TRYRDLOCK] = BEGINS,
    [RD_OP_RWLOCK_TRYWRLOCK] = BEGINS,
    [RD_OP_SEM_TRYWAIT] = BEGINS,
    [RD_OP_MUTEX_LOCK] = BEGINS | ONLY_WAITS,
    [RD_OP_SPIN_LOCK] = BEGINS | ONLY_WAITS,
    [RD_OP_RWLOCK_RDLOCK] = BEGINS | ONLY_WAITS,
    [RD_OP_RWLOCK_WRLOCK] = BEGINS | ONLY_WAITS,
    [RD_OP_MUTEX_UNLOCK] = ONLY_WAITS,
    [RD_OP_SPIN_UNLOCK] = ONLY_WAITS,
    [RD_OP_RWLOCK_QUEUE] = ONLY_WAITS,
    [RD_OP_RWLOCK_UNLOCK] = ONLY_WAITS,
    [RD_OP_COND_WAIT] = ONLY_WAITS,
    [RD_OP_COND_WAKE] = ONLY_WAITS,
};

static inline bool begins_iteration(unsigned kind) {
    return traits[kind] & BEGINS || rd_op_flags(kind) & (RD_F_READS | RD_F_YIELD);
}
static inline bool only_waits(const struct rd_op *op) { return traits[op->kind] & ONLY_WAITS && !op->deadline; }

/* The thread has changed memory or an object: all reads of it by other threads are touched. */
static void change(struct rd_spin *s, rd_tid tid, const struct rd_op *op) {
    bool locks = !only_waits(op);
    s->changes++;
    touch(s, tid, op, true, locks);
    const struct rd_extents *x = rd_extents_of(op->order, op->place2);
    for (uint32_t i = 0; RD_UNLIKELY(x != NULL) && i < x->count; i++) {
        const struct rd_extent *at = &x->at[i];
        touch_everywhere(
            s, tid, &(struct contact){at->first, at->last, at->touch != RD_TOUCH_READ, at->touch, true, locks});
    }
    if (RD_UNLIKELY(op->kind == RD_OP_CALL && rd_access_mode_is_wide(op->order))) /* it may have written anywhere */
        touch_everywhere(s, tid, &(struct contact){0, UINT64_MAX, true, RD_TOUCH_WRITE, true, true});
    else if (RD_UNLIKELY(op->place2 && !x))
        touch_everywhere(s, tid, &(struct contact){op->place2, op->place2, false, RD_TOUCH_WRITE, true, locks});
}

/* Forgets the reads and locks of the thread: its current iteration is no wait. */
static void forget(struct rd_spin *s, rd_tid tid, struct rd_spin_thread *t) {
    rd_spin_unmark(s, tid, t);
    t->count = t->held = 0;
    t->checked = false;
}

static uint64_t bit_of(uint64_t local) { return 1ull << (local & 63); }
static uint64_t *word_of(struct rd_spin_thread *t, uint64_t local) {
    return &t->seen[(local >> 6) % RD_COUNT(t->seen)];
}

static void make_room(struct rd_spin *s, struct rd_spin_thread *t) {
    struct rd_spin_read *more = rd_arena_alloc(s->arena, (size_t)t->room * 4 * sizeof *more + FEW * sizeof *more);
    if (t->count)
        memcpy(more, t->at, t->count * sizeof *more);
    t->at = more;
    t->room = t->room * 4 + FEW;
}

/* There are too many reads: forgets the first half. */
static void halve(struct rd_spin *s, rd_tid tid, struct rd_spin_thread *t) {
    RD_CHECK(t->count == RD_SPIN_READS && t->room >= RD_SPIN_READS);
    rd_spin_unmark(s, tid, t);
    t->count = RD_SPIN_READS / 2;
    for (uint32_t i = 0; i < t->count; i++)
        t->at[i] = t->at[i + RD_SPIN_READS / 2];
    for (uint32_t i = 0; i < t->held; i++)
        t->hold[i].at -= RD_MIN(t->hold[i].at, (uint32_t)RD_SPIN_READS / 2);
    for (uint32_t i = 0; i < t->count; i++) {
        *word_of(t, t->at[i].local) |= bit_of(t->at[i].local);
        rd_spin_mark(s, tid, &t->at[i]);
    }
}

/* Keeps an operation that has changed nothing; `own`: it is a write to the thread's own stack. */
static void add_read(struct rd_spin *s, rd_tid tid, struct rd_spin_thread *t, const struct rd_op *op, bool own) {
    if (t->count == 0 || t->count == RD_SPIN_READS)
        memset(t->seen, 0, sizeof t->seen);
    if (t->count == RD_SPIN_READS)
        halve(s, tid, t);
    if (RD_UNLIKELY(t->count == t->room))
        make_room(s, t);
    RD_ASSERT(t->count < t->room && t->count < RD_SPIN_READS);
    *word_of(t, op->local) |= bit_of(op->local);
    struct rd_spin_read *r = &t->at[t->count++];
    *r = (struct rd_spin_read){.pc = op->pc, .local = op->local, .kind = op->kind, .own = own, .addr = op->addr};
    if (op->place)
        rd_place_span(op->place, op->size, &r->first, &r->last);
    r->touch = rd_event_touch(op);
    rd_spin_mark(s, tid, r);
}

/* Returns whether all locks that the thread holds were taken before the iteration that begins at entry `from`. */
static bool holds_nothing_of(const struct rd_spin_thread *t, uint32_t from) {
    for (uint32_t i = 0; i < t->held; i++)
        if (t->hold[i].at > from)
            return false;
    return true;
}

/* No call of rd_spin_unchanged() came for the last read-modify-write or store: it counts as a change. */
static void assume_change(struct rd_spin *s, rd_tid tid, struct rd_spin_thread *t) {
    t->undecided = false;
    forget(s, tid, t);
    change(s, tid, &t->undecided_op);
}

void rd_spin_over(struct rd_spin *s, rd_tid tid) {
    if (tid < s->thread.count && s->thread.at[tid] && s->thread.at[tid]->undecided)
        assume_change(s, tid, s->thread.at[tid]);
}

/* Looks for an earlier operation in the same local state. If there is one, the thread has to wait. */
static bool repeats(struct rd_spin_thread *t, const struct rd_op *op, struct rd_op *await) {
    for (uint32_t i = t->count; i-- > 0;) {
        const struct rd_spin_read *r = &t->at[i];
        if (r->local != op->local || r->pc != op->pc || r->kind != op->kind || r->own || !holds_nothing_of(t, i))
            continue;
        RD_ASSERT(t->count <= t->room && t->held <= RD_SPIN_HELD);
        t->loop_start = i;
        t->let_through = false;
        t->waits = rd_spin_describe(t, op, await);
        return t->waits;
    }
    return false;
}

bool rd_spin_arrives(struct rd_spin *s, rd_tid tid, const struct rd_op *op, struct rd_op *await) {
    struct rd_spin_thread *t = of(s, tid);
    if (RD_UNLIKELY(t->undecided))
        assume_change(s, tid, t);
    if (!op->local || t->after_await || !(*word_of(t, op->local) & bit_of(op->local)))
        return false;
    if (!begins_iteration(op->kind) || !repeats(t, op, await))
        return false;
    if (RD_LIKELY(!t->checked))
        return true;
    rd_spin_goes_on(s, tid);
    s->polls = true;
    return false;
}

void rd_spin_checked(struct rd_spin *s, rd_tid tid) {
    if (rd_spin_reads(s, tid))
        s->thread.at[tid]->checked = true;
}

void rd_spin_goes_on(struct rd_spin *s, rd_tid tid) {
    struct rd_spin_thread *t = of(s, tid);
    RD_CHECK(t->waits);
    t->waits = false;
    forget(s, tid, t);
}

/* The thread takes a lock, in code with a known local state. */
static void take(struct rd_spin *s, rd_tid tid, struct rd_spin_thread *t, const struct rd_op *op) {
    RD_CHECK(t->held < RD_SPIN_HELD);
    touch(s, tid, op, true, false);
    add_read(s, tid, t, op, false);
    t->at[t->count - 1].lock = true;
    t->hold[t->held++] = (struct rd_spin_hold){op->addr, t->count};
}

/* Gives a lock back. Returns false if its taking was forgotten, or no operation came in between: it is a change. */
static bool give(struct rd_spin *s, rd_tid tid, struct rd_spin_thread *t, const struct rd_op *op) {
    uint32_t i = t->held;
    while (i > 0 && t->hold[i - 1].addr != op->addr)
        i--;
    if (i == 0 || t->count <= t->hold[i - 1].at)
        return false;
    RD_CHECK(i <= t->held && t->held <= RD_SPIN_HELD);
    for (; i < t->held; i++)
        t->hold[i - 1] = t->hold[i];
    t->held--;
    touch(s, tid, op, true, false);
    return true;
}

/* A step on an object, or without memory. */
static void step_object(struct rd_spin *s, rd_tid tid, struct rd_spin_thread *t, const struct rd_op *op,
                        enum rd_spin_effect effect) {
    bool neutral = rd_op_flags(op->kind) & RD_F_YIELD || op->kind == RD_OP_FENCE;
    if (neutral || effect == RD_SPIN_NOTHING) {
        if (!neutral) /* it has failed: the thread has noticed that another one holds the lock */
            touch(s, tid, op, false, true);
        add_read(s, tid, t, op, false);
    } else if (effect == RD_SPIN_TAKES && op->local && t->held < RD_SPIN_HELD) {
        take(s, tid, t, op);
    } else if (effect != RD_SPIN_GIVES || !give(s, tid, t, op)) {
        forget(s, tid, t);
        change(s, tid, op);
    }
}

/*
 * Returns whether the operation may be a silent store: a store of few bytes, not to the thread's own stack. If the
 * thread has read nothing since its last change, no iteration can have begun, and the store counts as a change.
 */
static bool is_store(rd_tid tid, const struct rd_op *op) {
    bool one = op->kind == RD_OP_WRITE || op->kind == RD_OP_ATOMIC_STORE;
    return one && op->place && !op->place2 && op->size <= STORE_MAX && !on_own_stack(tid, op);
}

void rd_spin_step(struct rd_spin *s, rd_tid tid, const struct rd_op *op, enum rd_spin_effect effect) {
    struct rd_spin_thread *t = of(s, tid);
    RD_ASSERT(!t->undecided && t->count <= RD_MIN(t->room, (uint32_t)RD_SPIN_READS));
    if (RD_UNLIKELY(op->kind == RD_OP_AWAIT)) {
        t->waits = t->let_through = false;
        t->after_await = true;
        forget(s, tid, t);
        return;
    }
    t->after_await = false;
    if (!rd_spin_is_memory(op->kind)) {
        step_object(s, tid, t, op, effect);
    } else if (effect == RD_SPIN_NOTHING) {
        add_read(s, tid, t, op, false);
    } else if (is_rmw(op->kind) || (t->count && is_store(tid, op))) {
        t->undecided = true;
        t->undecided_op = *op;
        add_read(s, tid, t, op, false);
    } else if (rd_op_flags(op->kind) & RD_F_WRITES && on_own_stack(tid, op)) {
        touch(s, tid, op, true, false);
        add_read(s, tid, t, op, true);
    } else {
        forget(s, tid, t);
        change(s, tid, op);
    }
}

void rd_spin_forget(struct rd_spin *s, rd_tid tid) { forget(s, tid, of(s, tid)); }

void rd_spin_own(struct rd_spin *s, rd_tid tid) {
    if (rd_spin_reads(s, tid)) /* without the test each call would write to a page, which must then be put back */
        forget(s, tid, s->thread.at[tid]);
}

void rd_spin_unchanged(struct rd_spin *s, rd_tid tid) { of(s, tid)->undecided = false; }

rd_place rd_spin_stored(const struct rd_spin *s, rd_tid tid, uint64_t addr) {
    const struct rd_spin_thread *t = tid < s->thread.count ? s->thread.at[tid] : NULL;
    return t && t->undecided && !is_rmw(t->undecided_op.kind) && t->undecided_op.addr == addr
               ? t->undecided_op.place
               : 0;
}

bool rd_spin_ready(const struct rd_spin *s, rd_tid tid) {
    const struct rd_spin_thread *t = tid < s->thread.count ? s->thread.at[tid] : NULL;
    if (!t || !t->waits || t->let_through)
        return true;
    for (uint32_t i = t->loop_start; i < t->count; i++)
        if (t->at[i].touched)
            return true;
    return false;
}

bool rd_spin_news(const struct rd_spin *s, rd_tid tid) {
    const struct rd_spin_thread *t = tid < s->thread.count ? s->thread.at[tid] : NULL;
    for (uint32_t i = t ? t->loop_start : 0; t && i < t->count; i++)
        if (t->at[i].touched && !t->at[i].lock)
            return true;
    return false;
}

bool rd_spin_force(struct rd_spin *s) {
    struct rd_spin_thread *first = NULL;
    for (uint32_t i = 0; i < s->thread.count; i++) {
        struct rd_spin_thread *t = s->thread.at[i];
        if (!t || !t->waits || t->let_through)
            continue;
        if (t->forced_at != s->changes) {
            t->forced_at = s->changes;
            t->forced = 0;
        }
        if (t->forced < FORCED_MAX && (!first || t->forced < first->forced))
            first = t;
    }
    RD_CHECK(!first || first->forced < FORCED_MAX);
    if (first) {
        first->forced++;
        first->let_through = true;
    }
    return first;
}
