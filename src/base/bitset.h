/* bitset.h - a fixed-size set of small integers (thread numbers). */
#ifndef RD_BITSET_H
#define RD_BITSET_H

#include "base/base.h"

enum { RD_BITS_MAX = 1024, RD_BITS_WORDS = RD_BITS_MAX / 64 };

struct rd_bits {
    uint64_t w[RD_BITS_WORDS];
};

static inline bool rd_bits_has(const struct rd_bits *b, unsigned i) { return b->w[i / 64] >> (i % 64) & 1; }
static inline void rd_bits_add(struct rd_bits *b, unsigned i) { b->w[i / 64] |= (uint64_t)1 << (i % 64); }
static inline void rd_bits_del(struct rd_bits *b, unsigned i) { b->w[i / 64] &= ~((uint64_t)1 << (i % 64)); }

/* The smallest that is not below `from`, or RD_BITS_MAX. */
static inline unsigned rd_bits_next(const struct rd_bits *b, unsigned from) {
    for (unsigned w = from / 64; w < RD_BITS_WORDS; w++) {
        uint64_t left = w == from / 64 ? b->w[w] >> (from % 64) << (from % 64) : b->w[w];
        if (left)
            return w * 64 + (unsigned)__builtin_ctzll(left);
    }
    return RD_BITS_MAX;
}

/* The smallest that is not below `from` but below `end`, or `end`; what is beyond that is not looked at. */
static inline unsigned rd_bits_within(const struct rd_bits *b, unsigned from, unsigned end) {
    for (; from < end; from = (from / 64 + 1) * 64) {
        uint64_t left = b->w[from / 64] >> (from % 64);
        if (left)
            return RD_MIN(from + (unsigned)__builtin_ctzll(left), end);
    }
    return end;
}

#endif
