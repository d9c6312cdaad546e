/* print.h - inside the engine: the list of who can go on, and the fingerprint of what they are about to do. */
#ifndef RD_PRINT_H
#define RD_PRINT_H

#include "engine/engine.h"

/* There are more threads than there is room for. */
static inline void rd_print_room(struct rd_engine *e) {
    struct rd_arena *a = e->world.arena;
    e->room = RD_MAX(e->world.count, RD_MAX(e->room * 2, 8u));
    e->printed = 0;
    e->enabled = rd_arena_alloc(a, e->room * sizeof *e->enabled);
    e->print = rd_arena_alloc(a, e->room * sizeof *e->print);
    e->cand = rd_arena_alloc(a, e->room * sizeof *e->cand);
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
