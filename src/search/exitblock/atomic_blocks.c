/* atomic_blocks.c - see atomic_blocks.h. */
#include "search/exitblock/atomic_blocks.h"

#include "trace/held.h"
#include "trace/place.h"

#include <string.h>

enum { GUARDS_MAX = 6 };

/* The locks that were held at every use of a condition so far. */
struct guard {
    rd_place lock[GUARDS_MAX];
    uint32_t count;
    bool used, open; /* open: no lock was held at all of them */
};

void rd_atomic_blocks_init(struct rd_atomic_blocks *b, struct rd_arena *a, const struct rd_params *params) {
    *b = (struct rd_atomic_blocks){.arena = a, .named = params->ranges, .named_count = params->range_count};
    for (uint32_t i = 0; i < params->range_count; i++)
        if (params->ranges[i].list == RD_NAMES_TRUST)
            b->trusted[b->trusted_count++] = params->ranges[i];
}

bool rd_atomic_blocks_tried(const struct rd_atomic_blocks *b, rd_place object) {
    return rd_map_get(&b->tried, object) != NULL;
}

bool rd_atomic_blocks_guards_unseen(const struct rd_atomic_blocks *b, rd_place lock) {
    const uint64_t *unseen = rd_map_get(&b->locks, lock);
    return unseen && *unseen;
}

bool rd_atomic_blocks_private(const struct rd_atomic_blocks *b, const struct rd_step *s) {
    switch (s->op) {
    case RD_OP_MUTEX_LOCK:
    case RD_OP_MUTEX_TRYLOCK:
    case RD_OP_MUTEX_UNLOCK:
    case RD_OP_SPIN_LOCK:
    case RD_OP_SPIN_TRYLOCK:
    case RD_OP_SPIN_UNLOCK:
    case RD_OP_RWLOCK_RDLOCK:
    case RD_OP_RWLOCK_TRYRDLOCK:
    case RD_OP_RWLOCK_QUEUE:
    case RD_OP_RWLOCK_WRLOCK:
    case RD_OP_RWLOCK_TRYWRLOCK:
    case RD_OP_RWLOCK_UNLOCK:
        return !rd_access_mode_is_wide(s->order) && rd_private_locks_has(&b->privates, s->place);
    default:
        return false;
    }
}

static bool tries(const struct rd_step *s) {
    switch (s->op) {
    case RD_OP_MUTEX_TRYLOCK:
    case RD_OP_SPIN_TRYLOCK:
    case RD_OP_RWLOCK_TRYRDLOCK:
    case RD_OP_RWLOCK_TRYWRLOCK:
    case RD_OP_SEM_TRYWAIT:
    case RD_OP_SEM_VALUE:
        return true;
    default:
        return s->timed && s->op != RD_OP_JOIN && s->op != RD_OP_COND_WAKE;
    }
}

static bool is_signal(unsigned op) { return op == RD_OP_COND_SIGNAL || op == RD_OP_COND_BROADCAST; }
static bool uses_condition(unsigned op) { return is_signal(op) || op == RD_OP_COND_WAIT; }

static struct guard *guard_of(const struct rd_atomic_blocks *b, rd_place condition) {
    uint64_t *slot = rd_map_get(&b->guards, condition);
    return slot ? (struct guard *)(uintptr_t)*slot : NULL;
}

static struct guard *make_guard(struct rd_atomic_blocks *b, rd_place condition) {
    struct guard *g = guard_of(b, condition);
    if (!g) {
        g = rd_arena_zero(b->arena, sizeof *g);
        *rd_map_put(&b->guards, b->arena, condition) = (uintptr_t)g;
    }
    return g;
}

/*
 * Makes map entries for all objects in the record, so that no map grows while temporary data is in the arena.
 * Returns whether an object was tried, or the end of a thread observed, for the first time.
 */
static bool note_objects(struct rd_atomic_blocks *b, const struct rd_record *r) {
    bool news = false;
    for (uint32_t i = 0; i < r->out->steps; i++) {
        const struct rd_step *s = &r->steps[i];
        if (s->place && tries(s) && !rd_atomic_blocks_tried(b, s->place)) {
            *rd_map_put(&b->tried, b->arena, s->place) = 1;
            news |= !rd_atomic_blocks_private(b, s);
            b->changes++;
        }
        rd_place lock;
        if (rd_lock_change(s, &lock) == RD_LOCK_RELEASED)
            rd_map_put(&b->locks, b->arena, lock);
        bool sees_death = s->op == RD_OP_TRYJOIN || (s->op == RD_OP_JOIN && s->timed);
        news |= sees_death && !b->deaths;
        b->deaths |= sees_death;
        if (uses_condition(s->op))
            make_guard(b, s->place);
    }
    b->changes += news;
    return news;
}

static bool has(const struct guard *g, rd_place lock) {
    for (uint32_t i = 0; i < g->count; i++)
        if (g->lock[i] == lock)
            return true;
    return false;
}

/* Keeps only the locks that the thread holds. Returns whether that changes the guard. */
static bool refine(struct guard *g, const struct rd_held_thread *t) {
    struct guard both = {.used = true};
    for (uint32_t i = 0; i < t->count && both.count < GUARDS_MAX; i++)
        if (!t->at[i].shared && (!g->used || has(g, t->at[i].lock)))
            both.lock[both.count++] = t->at[i].lock;
    both.open = g->open || both.count == 0;
    bool changed = !g->used || both.count != g->count;
    *g = both;
    return changed;
}

/*
 * A lock was released; `access` is the last step of the thread before which, or in which, it made an access, + 1.
 * Learns whether the critical section had an access.
 */
static bool learn_section(struct rd_atomic_blocks *b, const struct rd_hold *hold, uint32_t access) {
    uint64_t *unseen = rd_map_get(&b->locks, hold->lock);
    RD_CHECK(unseen); /* note_objects has made an entry for each lock that is released */
    if (*unseen || access >= hold->taken)
        return false;
    *unseen = 1;
    b->changes++;
    return b->footprints && !rd_private_locks_has(&b->privates, hold->lock);
}

/*
 * Returns whether the operation is a wait that is not for a lock: for a semaphore, the end of a thread, a once
 * routine, input.
 */
static bool waits(unsigned op) {
    const rd_place some = 1;
    return rd_op_flags(op) & RD_F_BLOCKS && op != RD_OP_BARRIER_LEAVE && !rd_lock_wanted(op, some, some);
}

/* Returns whether the library of this code has the number that it had when the name was looked up. */
static bool is_in_place(const struct rd_range *range, const struct rd_record *r) {
    int m = rd_place_module(range->first);
    return !range->library || !r->modules || m < 0 || (uint32_t)m >= r->module_count ||
           rd_library_hash(r->modules[m].path) == range->library;
}

bool rd_atomic_blocks_learn(struct rd_atomic_blocks *b, const struct rd_record *r) {
    enum rd_private_news privates = rd_private_locks_learn(&b->privates, b->arena, r);
    b->changes += privates != RD_PRIVATE_SAME;
    bool news = note_objects(b, r) || privates == RD_PRIVATE_LESS;
    bool was_misplaced = b->misplaced;
    for (uint32_t i = 0; i < b->named_count; i++)
        b->misplaced |= !is_in_place(&b->named[i], r);
    size_t mark = b->arena->used;
    struct rd_held held;
    rd_held_init(&held, b->arena, r);
    uint32_t *access = rd_arena_zero(b->arena, held.threads * sizeof *access);
    bool had_waits = b->waits, had_handlers = b->handlers;
    for (uint32_t i = 0; i < r->out->steps; i++) {
        const struct rd_step *s = &r->steps[i];
        if (s->op == RD_OP_READ || s->op == RD_OP_WRITE)
            access[s->tid] = i + 1;
        else if (s->silent)
            access[s->tid] = i;
        b->waits |= held.thread[s->tid].count && waits(s->op);
        b->handlers |= (s->flags & RD_STEP_SIGNALLED) || r->out->cancel_any;
        struct guard *g = uses_condition(s->op) ? guard_of(b, s->place) : NULL;
        if (g && !g->open) {
            bool used = g->used;
            b->changes += refine(g, &held.thread[s->tid]);
            news |= g->open && used; /* otherwise it was open from its first use on, and no block was too large */
        }
        if (rd_held_step(&held, s, i) == RD_LOCK_RELEASED)
            news |= learn_section(b, &held.thread[s->tid].last, access[s->tid]);
    }
    for (uint32_t t = 0; t < r->out->threads; t++)
        b->waits |= r->threads[t].state == RD_T_READY && held.thread[t].count && waits(r->threads[t].pending.kind);
    b->changes += b->waits != had_waits || b->handlers != had_handlers || b->misplaced != was_misplaced;
    b->arena->used = mark;
    return news;
}

/* Keeps only the locks that both guards have. Returns whether the guard has become open. */
static bool unite(struct guard *g, const struct guard *from) {
    struct guard both = {.used = true};
    RD_CHECK(g->count <= GUARDS_MAX && from->count <= GUARDS_MAX);
    if (!from->used)
        return false;
    for (uint32_t i = 0; i < from->count; i++)
        if (!g->used || has(g, from->lock[i]))
            both.lock[both.count++] = from->lock[i];
    both.open = g->open || from->open || both.count == 0;
    bool news = g->used && both.open && !g->open;
    *g = both;
    return news;
}

bool rd_atomic_blocks_merge(struct rd_atomic_blocks *b, const struct rd_atomic_blocks *from) {
    bool news = from->deaths && !b->deaths;
    news |= rd_private_locks_merge(&b->privates, b->arena, &from->privates) == RD_PRIVATE_LESS;
    b->deaths |= from->deaths;
    b->waits |= from->waits;
    b->handlers |= from->handlers;
    b->misplaced |= from->misplaced;
    for (uint32_t i = 0; i < from->tried.room; i++) {
        rd_place key = from->tried.slots[i].key;
        if (!key || rd_atomic_blocks_tried(b, key))
            continue;
        *rd_map_put(&b->tried, b->arena, key) = 1;
        news = true;
    }
    for (uint32_t i = 0; i < from->locks.room; i++) {
        const struct rd_map_slot *s = &from->locks.slots[i];
        uint64_t *unseen = s->key ? rd_map_put(&b->locks, b->arena, s->key) : NULL;
        if (!unseen || !s->value || *unseen)
            continue;
        *unseen = 1;
        news |= b->footprints;
    }
    for (uint32_t i = 0; i < from->guards.room; i++) {
        const struct rd_map_slot *s = &from->guards.slots[i];
        if (s->key)
            news |= unite(make_guard(b, s->key), (const struct guard *)(uintptr_t)s->value);
    }
    return news;
}

static bool trusted(const struct rd_atomic_blocks *b, rd_place pc) {
    for (uint32_t i = 0; i < b->trusted_count; i++)
        if (pc >= b->trusted[i].first && pc <= b->trusted[i].last)
            return true;
    return false;
}

enum rd_block_kind rd_atomic_blocks_kind(const struct rd_atomic_blocks *b, const struct rd_step *s) {
    const struct guard *g;
    if (rd_op_flags(s->op) & RD_F_VALUE)
        return RD_BLOCK_INSIDE;
    if (s->flags & (RD_STEP_GAVE_UP | RD_STEP_SIGNALLED) || s->timed)
        return RD_BLOCK_EXIT;
    if (rd_atomic_blocks_private(b, s))
        return RD_BLOCK_INSIDE;
    switch (s->op) {
    case RD_OP_READ:
    case RD_OP_WRITE:
    case RD_OP_START:
    case RD_OP_FENCE:
        return RD_BLOCK_INSIDE;
    case RD_OP_JOIN:
    case RD_OP_COND_WAKE:
    case RD_OP_BARRIER_LEAVE:
    case RD_OP_ONCE_BEGIN:
    case RD_OP_MUTEX_LOCK:
    case RD_OP_SPIN_LOCK:
    case RD_OP_RWLOCK_RDLOCK:
    case RD_OP_RWLOCK_WRLOCK:
    case RD_OP_SEM_WAIT:
        return s->result || rd_atomic_blocks_tried(b, s->place) ? RD_BLOCK_EXIT : RD_BLOCK_INSIDE;
    case RD_OP_MUTEX_UNLOCK:
    case RD_OP_SPIN_UNLOCK:
    case RD_OP_RWLOCK_UNLOCK:
        return rd_access_mode(s->order) == RD_ACCESS_OWN || trusted(b, s->pc) ? RD_BLOCK_INSIDE : RD_BLOCK_EXIT;
    case RD_OP_COND_SIGNAL:
    case RD_OP_COND_BROADCAST:
        g = guard_of(b, s->place);
        return g && !g->open ? RD_BLOCK_INSIDE : RD_BLOCK_EXIT;
    case RD_OP_CREATE:
        return s->result ? RD_BLOCK_EXIT : RD_BLOCK_BIRTH;
    case RD_OP_FREE:
        /*
         * A thread may take a block of memory out of shared data under a lock and free it without the lock. So no
         * lock of the locking discipline keeps other threads from using the block between this free and the next
         * release.
         */
        return RD_BLOCK_EXIT;
    default:
        return RD_BLOCK_EXIT;
    }
}

bool rd_atomic_blocks_end_before(unsigned op, bool timed, bool born) {
    if (timed)
        return true;
    switch (op) {
    case RD_OP_CREATE:
    case RD_OP_READ:
    case RD_OP_WRITE:
    case RD_OP_FENCE:
    case RD_OP_MUTEX_UNLOCK:
    case RD_OP_SPIN_UNLOCK:
    case RD_OP_RWLOCK_UNLOCK:
        return false;
    default:
        return born;
    }
}
