/* bitset.h - a fixed-size set of small integers (thread numbers). */
#ifndef RD_BASE_BITSET_H
#define RD_BASE_BITSET_H

#include "base/base.h"

enum { RD_BITS_MAX = 1024, RD_BITS_WORDS = RD_BITS_MAX / 64 };

struct rd_bits {
    uint64_t w[RD_BITS_WORDS];
};

static inline bool rd_bits_has(const struct rd_bits *b, unsigned i) {
    RD_ASSERT(i < RD_BITS_MAX);
    return b->w[i / 64] >> (i % 64) & 1;
}
static inline void rd_bits_add(struct rd_bits *b, unsigned i) {
    RD_ASSERT(i < RD_BITS_MAX);
    b->w[i / 64] |= (uint64_t)1 << (i % 64);
}
static inline void rd_bits_del(struct rd_bits *b, unsigned i) { b->w[i / 64] &= ~((uint64_t)1 << (i % 64)); }

#endif
