/* enabled.h - inside the engine: the list of enabled threads, and the fingerprint of their pending operations. */
#ifndef RD_ENGINE_ENABLED_H
#define RD_ENGINE_ENABLED_H

#include "engine/engine.h"
#include "trace/place.h"

/* Returns the place as it counts in fingerprints: addresses outside every known region differ from process to
 * process. */
static inline rd_place rd_enabled_stable(rd_place p) {
    return rd_place_region(p) == RD_PLACE_OTHER ? RD_PLACE_OTHER : p;
}

/* Makes room in the lists for more threads. */
static inline void rd_enabled_grow(struct rd_engine *e) {
    struct rd_arena *a = e->world.arena;
    e->room = RD_MAX(e->world.count, RD_MAX(e->room * 2, 8u));
    e->enabled = rd_arena_alloc(a, e->room * sizeof *e->enabled);
    e->listed_hash = rd_arena_alloc(a, e->room * sizeof *e->listed_hash);
    e->cand = rd_arena_alloc(a, e->room * sizeof *e->cand);
    e->awake_cand = NULL;
    e->listed = false;
}

/* Returns which of the 64 threads from number `first` on are enabled. */
static inline uint64_t rd_enabled_group(const struct rd_world *w, uint32_t first) {
    const struct rd_thread_group *g = &w->group[first / 64];
    uint64_t set = g->never_blocks;
    RD_ASSERT(first % 64 == 0 && !(g->never_blocks & g->may_block));
    for (uint64_t left = g->may_block; left; left &= left - 1)
        if (rd_model_goes_on(w, (rd_tid)(first + (unsigned)__builtin_ctzll(left))))
            set |= left & -left;
    return set;
}

/* Updates the list. `first` is the result of rd_enabled_group() for thread 0. Returns the length of the list. */
uint32_t rd_enabled_relist(struct rd_engine *e, uint64_t first);

/*
 * Returns whether the invariants at the head of enabled.c hold, and the first n of e->enabled are in ascending
 * order. It walks over all threads.
 */
bool rd_enabled_is_sound(const struct rd_engine *e, uint32_t n);

/* Fills e->enabled, in ascending order, and returns its length. Most steps leave the list as it was. */
static inline uint32_t rd_enabled_collect(struct rd_engine *e) {
    uint64_t first = rd_enabled_group(&e->world, 0);
    if (RD_LIKELY(e->listed && first == e->listed_set.w[0] && e->world.count <= 64))
        return e->listed_count;
    return rd_enabled_relist(e, first);
}

/* The thread has announced another operation, with this hash. */
static inline void rd_enabled_announced(struct rd_engine *e, rd_tid tid, uint64_t hash) {
    if (RD_LIKELY(e->listed && tid < e->room && rd_bits_has(&e->listed_set, tid))) {
        e->hash_sum += hash - e->listed_hash[tid];
        e->listed_hash[tid] = hash;
    }
}

/* Returns the first step at which a limit can be reached: before it rd_engine_next looks at none of them. */
static inline uint32_t rd_enabled_quiet_until(const struct rd_engine *e) {
    const struct rd_engine_limits *l = &e->limits;
    uint32_t first = RD_MIN(l->steps_max, RD_MAX(e->rec.steps_max, 1u) - 1);
    first = RD_MIN(first, e->stall.due);
    first = e->rec.out->steps < l->fair_after ? RD_MIN(first, l->fair_after) : first;
    first = e->cycle.due ? RD_MIN(first, e->cycle.due) : first;
    return e->plan.steps_max_cut ? RD_MIN(first, e->plan.steps_max_cut) : first;
}

/*
 * Returns the fingerprint of the first n of e->enabled, never 0: a hash of the sum of the hashes of their pending
 * operations. The engine keeps the sum, so a step costs the same however many threads there are.
 */
static inline uint32_t rd_enabled_fingerprint(struct rd_engine *e, uint32_t n) {
    uint64_t hash_sum = e->hash_sum;
    if (RD_UNLIKELY(!e->listed)) {
        hash_sum = 0;
        for (uint32_t i = 0; i < n; i++)
            hash_sum += e->world.threads[e->enabled[i]].pending_hash;
    }
    uint64_t h = rd_hash2(n, hash_sum);
    uint32_t fp = (uint32_t)(h ^ h >> 32);
    return fp ? fp : 1;
}

#endif
