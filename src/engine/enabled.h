/* enabled.h - inside the engine: the list of who can go on, and the fingerprint of what they are about to do. */
#ifndef RD_ENGINE_ENABLED_H
#define RD_ENGINE_ENABLED_H

#include "engine/engine.h"
#include "trace/place.h"

/* Addresses outside every known region are not the same in every process: they do not count. */
static inline rd_place rd_enabled_stable(rd_place p) {
    return rd_place_region(p) == RD_PLACE_OTHER ? RD_PLACE_OTHER : p;
}

/* There are more threads than there is room for. */
static inline void rd_enabled_room(struct rd_engine *e) {
    struct rd_arena *a = e->world.arena;
    e->room = RD_MAX(e->world.count, RD_MAX(e->room * 2, 8u));
    e->enabled = rd_arena_alloc(a, e->room * sizeof *e->enabled);
    e->summed = rd_arena_alloc(a, e->room * sizeof *e->summed);
    e->cand = rd_arena_alloc(a, e->room * sizeof *e->cand);
    e->some = NULL;
    e->listed = false;
}

static inline uint64_t rd_enabled_group(const struct rd_world *w, uint32_t first) {
    const struct rd_thread_group *g = &w->group[first / 64];
    uint64_t who = g->free;
    for (uint64_t left = g->asks; left; left &= left - 1)
        if (rd_model_goes_on(w, (rd_tid)(first + (unsigned)__builtin_ctzll(left))))
            who |= left & -left;
    return who;
}

/* enabled.c: the list is not what it was. `first` is the first word of who can go on now. */
uint32_t rd_enabled_relist(struct rd_engine *e, uint64_t first);

/* Fills e->enabled, in ascending order. Mostly it is as it was. */
static inline uint32_t rd_enabled_collect(struct rd_engine *e) {
    uint64_t first = rd_enabled_group(&e->world, 0);
    if (RD_LIKELY(e->listed && first == e->who.w[0] && e->world.count <= 64))
        return e->listed_count;
    return rd_enabled_relist(e, first);
}

/* The thread is about to do something else. */
static inline void rd_enabled_announced(struct rd_engine *e, rd_tid tid, uint64_t hash) {
    if (RD_LIKELY(e->listed && tid < e->room && rd_bits_has(&e->who, tid))) {
        e->sum += hash - e->summed[tid];
        e->summed[tid] = hash;
    }
}

/* The first step from now on at which one of the limits may have to do with what happens. */
static inline uint32_t rd_enabled_quiet(const struct rd_engine *e) {
    const struct rd_engine_limits *l = &e->limits;
    uint32_t first = RD_MIN(l->steps_max, RD_MAX(e->rec.steps_max, 1u) - 1);
    first = RD_MIN(first, e->stall.due);
    first = e->rec.out->steps < l->fair_after ? RD_MIN(first, l->fair_after) : first;
    first = e->cycle.due ? RD_MIN(first, e->cycle.due) : first;
    return e->plan.steps_max_cut ? RD_MIN(first, e->plan.steps_max_cut) : first;
}

/*
 * Of the first n of e->enabled: the sum of the hashes of what each is about to do. What a step changes of it is
 * little, however many there are.
 */
static inline uint32_t rd_enabled_of(struct rd_engine *e, uint32_t n) {
    uint64_t sum = e->sum;
    if (RD_UNLIKELY(!e->listed)) {
        sum = 0;
        for (uint32_t i = 0; i < n; i++)
            sum += e->world.threads[e->enabled[i]].pending_hash;
    }
    uint64_t h = rd_hash2(n, sum);
    uint32_t fp = (uint32_t)(h ^ h >> 32);
    return fp ? fp : 1;
}

#endif
