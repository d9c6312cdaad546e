/*
 * tid_set.h - a set of thread numbers whose operations cost as many words as its largest number needs: searches
 * have thousands of sets, and few programs have more than 64 threads. Numbers beyond `words` are not in the set,
 * and the words for them are undefined.
 */
#ifndef RD_BASE_TID_SET_H
#define RD_BASE_TID_SET_H

#include "base/bitset.h"

struct rd_tid_set {
    uint32_t words;
    uint64_t w[RD_BITS_WORDS];
};

static inline bool rd_tid_set_has(const struct rd_tid_set *s, unsigned i) {
    return i / 64 < s->words && (s->w[i / 64] >> (i % 64) & 1);
}

static inline void rd_tid_set_add(struct rd_tid_set *s, unsigned i) {
    RD_ASSERT(i < RD_BITS_MAX);
    while (s->words <= i / 64)
        s->w[s->words++] = 0;
    s->w[i / 64] |= (uint64_t)1 << (i % 64);
}

static inline void rd_tid_set_del(struct rd_tid_set *s, unsigned i) {
    if (i / 64 < s->words)
        s->w[i / 64] &= ~((uint64_t)1 << (i % 64));
}

static inline void rd_tid_set_copy(struct rd_tid_set *to, const struct rd_tid_set *from) {
    to->words = from->words;
    for (uint32_t i = 0; i < from->words; i++)
        to->w[i] = from->w[i];
}

/* Sets `to` to the intersection. `to` may be `a` or `b`. */
static inline void rd_tid_set_both(struct rd_tid_set *to, const struct rd_tid_set *a, const struct rd_tid_set *b) {
    to->words = RD_MIN(a->words, b->words);
    for (uint32_t i = 0; i < to->words; i++)
        to->w[i] = a->w[i] & b->w[i];
}

/* Adds the numbers of `more`. */
static inline void rd_tid_set_join(struct rd_tid_set *to, const struct rd_tid_set *more) {
    while (to->words < more->words)
        to->w[to->words++] = 0;
    for (uint32_t i = 0; i < more->words; i++)
        to->w[i] |= more->w[i];
}

/* Returns the smallest number in the set that is not below `from`, or RD_BITS_MAX. */
static inline unsigned rd_tid_set_next(const struct rd_tid_set *s, unsigned from) {
    for (; from / 64 < s->words; from = (from / 64 + 1) * 64) {
        uint64_t left = s->w[from / 64] >> (from % 64);
        if (left)
            return from + (unsigned)__builtin_ctzll(left);
    }
    return RD_BITS_MAX;
}

#endif
