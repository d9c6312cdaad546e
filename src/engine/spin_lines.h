/*
 * spin_lines.h - inside spin.c: which threads have read a line of memory, if there are many threads. A write is
 * compared only with the reads of these threads.
 */
#ifndef RD_ENGINE_SPIN_LINES_H
#define RD_ENGINE_SPIN_LINES_H

#include "engine/spin.h"

enum { RD_SPIN_LINE_BITS = 6 }; /* a line has 64 bytes */
enum { RD_SPIN_LONG = 8 };      /* an operation on this many lines counts for every line */

static inline bool rd_spin_is_long(rd_place first, rd_place last) {
    return (last >> RD_SPIN_LINE_BITS) - (first >> RD_SPIN_LINE_BITS) >= RD_SPIN_LONG;
}
static inline uint32_t rd_spin_line_of(rd_place line) {
    return (uint32_t)(line * 0x9e3779b97f4a7c15u >> 32) % RD_SPIN_LINES;
}

/* Marks the lines that the thread has read. */
static inline void rd_spin_mark(struct rd_spin *s, rd_tid tid, const struct rd_spin_read *r) {
    if (RD_LIKELY(!s->readers.count))
        return;
    RD_ASSERT(tid / 64u < s->readers.count);
    struct rd_spin_readers *of = s->readers.at[tid / 64];
    uint64_t bit = (uint64_t)1 << tid % 64;
    if (!r->first)
        return; /* the operation names no memory */
    if (rd_spin_is_long(r->first, r->last))
        of->anywhere |= bit;
    else
        for (rd_place l = r->first >> RD_SPIN_LINE_BITS; l <= r->last >> RD_SPIN_LINE_BITS; l++)
            of->line[rd_spin_line_of(l)] |= bit;
}

/* Removes the marks of all lines that the thread has read. */
static inline void rd_spin_unmark(struct rd_spin *s, rd_tid tid, const struct rd_spin_thread *t) {
    if (RD_LIKELY(!s->readers.count))
        return;
    RD_ASSERT(tid / 64u < s->readers.count);
    struct rd_spin_readers *of = s->readers.at[tid / 64];
    uint64_t others = ~((uint64_t)1 << tid % 64);
    for (uint32_t i = 0; i < t->count; i++) {
        const struct rd_spin_read *r = &t->at[i];
        if (rd_spin_is_long(r->first, r->last))
            of->anywhere &= others;
        else
            for (rd_place l = r->first >> RD_SPIN_LINE_BITS; l <= r->last >> RD_SPIN_LINE_BITS; l++)
                of->line[rd_spin_line_of(l)] &= others;
    }
}

/* Returns the threads that may have read there: at least all that have. */
static inline uint64_t rd_spin_readers_of(const struct rd_spin_readers *of, rd_place first, rd_place last) {
    if (rd_spin_is_long(first, last))
        return UINT64_MAX;
    uint64_t threads = of->anywhere;
    for (rd_place l = first >> RD_SPIN_LINE_BITS; l <= last >> RD_SPIN_LINE_BITS; l++)
        threads |= of->line[rd_spin_line_of(l)];
    return threads;
}

#endif
