/* rng.h - a small counter-based generator: the n-th number of a seed is a pure function of both. */
#ifndef RD_BASE_RNG_H
#define RD_BASE_RNG_H

#include "base/base.h"

struct rd_rng {
    uint64_t state;
};

static inline void rd_rng_seed(struct rd_rng *r, uint64_t seed) { r->state = rd_mix(seed + 0x9e3779b97f4a7c15u); }

static inline uint64_t rd_rng_next(struct rd_rng *r) {
    r->state += 0x9e3779b97f4a7c15u;
    uint64_t z = r->state;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

/* Uniform in [0, n), without bias: the numbers that would favour small results are drawn again. */
static inline uint32_t rd_rng_below(struct rd_rng *r, uint32_t n) {
    RD_CHECK(n > 0);
    uint64_t limit = UINT64_MAX - UINT64_MAX % n;
    uint64_t x;
    do
        x = rd_rng_next(r);
    while (x >= limit);
    return (uint32_t)(x % n);
}

#endif
