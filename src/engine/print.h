/* print.h - inside the engine: the list of who can go on, and the fingerprint of what they are about to do. */
#ifndef RD_PRINT_H
#define RD_PRINT_H

#include "engine/engine.h"
#include "trace/place.h"

/* Addresses outside every known region are not the same in every process: they do not count. */
static inline rd_place rd_print_stable(rd_place p) {
    return rd_place_region(p) == RD_PLACE_OTHER ? RD_PLACE_OTHER : p;
}

/* There are more threads than there is room for. */
static inline void rd_print_room(struct rd_engine *e) {
    struct rd_arena *a = e->world.arena;
    e->room = RD_MAX(e->world.count, RD_MAX(e->room * 2, 8u));
    e->printed = 0;
    e->enabled = rd_arena_alloc(a, e->room * sizeof *e->enabled);
    e->print = rd_arena_alloc(a, e->room * sizeof *e->print);
    e->cand = rd_arena_alloc(a, e->room * sizeof *e->cand);
    e->listed = 0;
}

static inline uint32_t rd_print_list(rd_tid *to, uint32_t n, uint32_t first, uint64_t who) {
    for (; who; who &= who - 1)
        to[n++] = (rd_tid)(first + (unsigned)__builtin_ctzll(who));
    return n;
}

static inline uint64_t rd_print_group(const struct rd_world *w, uint32_t first) {
    const struct rd_thread_group *g = &w->group[first / 64];
    uint64_t who = g->free;
    for (uint64_t left = g->asks; left; left &= left - 1)
        if (rd_model_goes_on(w, (rd_tid)(first + (unsigned)__builtin_ctzll(left))))
            who |= left & -left;
    return who;
}

/* Fills e->enabled, in ascending order. Mostly it is as it was. */
static inline uint32_t rd_print_collect(struct rd_engine *e) {
    const struct rd_world *w = &e->world;
    uint64_t who = rd_print_group(w, 0);
    if (RD_LIKELY(who && who == e->listed && w->count <= 64))
        return e->listed_count;
    uint32_t n = rd_print_list(e->enabled, 0, 0, who);
    for (uint32_t first = 64; first < w->count; first += 64)
        n = rd_print_list(e->enabled, n, first, rd_print_group(w, first));
    e->listed = w->count <= 64 ? who : 0;
    return e->listed_count = n;
}

/* The first step at which one of the limits may have to do with what happens. pre: rd_round_begin */
static inline uint32_t rd_print_quiet(const struct rd_engine *e) {
    const struct rd_engine_limits *l = &e->limits;
    uint32_t first = RD_MIN(l->fair_after, l->steps_max);
    first = RD_MIN(first, RD_MAX(e->rec.steps_max, 1u) - 1);
    first = RD_MIN(first, RD_MAX(e->round.first, (uint32_t)RD_TID_MAX) - RD_TID_MAX);
    first = e->round.due ? RD_MIN(first, e->round.due) : first;
    return e->plan.steps_max_cut ? RD_MIN(first, e->plan.steps_max_cut) : first;
}

/*
 * Of the first n of e->enabled. Mostly they are those of the step before but for the thread that made it: what
 * comes before that one is known.
 */
static inline uint32_t rd_print_of(struct rd_engine *e, uint32_t n) {
    const struct rd_thread *threads = e->world.threads;
    struct rd_print *p = e->print;
    uint32_t same = 0;
    if (n == e->printed)
        while (same < n && p[same].of == threads[e->enabled[same]].pending_hash)
            same++;
    uint64_t h = same ? p[same - 1].hash : n;
    for (uint32_t i = same; i < n; i++) {
        uint64_t of = threads[e->enabled[i]].pending_hash;
        h = rd_hash2(h, of);
        p[i] = (struct rd_print){of, h};
    }
    e->printed = n;
    uint32_t fp = (uint32_t)(h ^ h >> 32);
    return fp ? fp : 1;
}

#endif
