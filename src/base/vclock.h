/*
 * vclock.h - vector clocks. A clock maps each thread to the number of its events that happened before. Threads
 * beyond its length have 0, so a clock is only as long as the largest number of a thread with such an event needs.
 */
#ifndef RD_BASE_VCLOCK_H
#define RD_BASE_VCLOCK_H

#include "base/arena.h"

struct rd_vclock {
    uint32_t *at;
    uint32_t count, room;
};

static inline uint32_t rd_vclock_get(const struct rd_vclock *c, uint32_t tid) {
    return tid < c->count ? c->at[tid] : 0;
}

/* Makes the clock at least `count` threads long. pre (rd_vclock_grow): it is shorter. */
void rd_vclock_grow(struct rd_vclock *c, struct rd_arena *a, uint32_t count);

static inline void rd_vclock_reach(struct rd_vclock *c, struct rd_arena *a, uint32_t count) {
    if (RD_UNLIKELY(count > c->count))
        rd_vclock_grow(c, a, count);
}

static inline void rd_vclock_set(struct rd_vclock *c, struct rd_arena *a, uint32_t tid, uint32_t value) {
    rd_vclock_reach(c, a, tid + 1);
    c->at[tid] = value;
}

static inline void rd_vclock_join(struct rd_vclock *c, struct rd_arena *a, const struct rd_vclock *other) {
    rd_vclock_reach(c, a, other->count);
    for (uint32_t i = 0; i < other->count; i++)
        c->at[i] = RD_MAX(c->at[i], other->at[i]);
}

static inline void rd_vclock_copy(struct rd_vclock *c, struct rd_arena *a, const struct rd_vclock *other) {
    rd_vclock_reach(c, a, other->count);
    c->count = other->count;
    for (uint32_t i = 0; i < other->count; i++)
        c->at[i] = other->at[i];
}

/*
 * Returns a hash that does not depend on trailing zeroes: a sum of products, which a processor computes in
 * parallel. The factors are pseudo-random 64-bit numbers, so two different clocks have the same sum with a
 * probability of about 2^-64.
 */
static inline uint64_t rd_vclock_hash(const struct rd_vclock *c, uint64_t seed) {
    uint64_t sum = 0, factor = 0x9e3779b97f4a7c15u;
    for (uint32_t i = 0; i < c->count; i++) {
        sum += c->at[i] * (factor ^ factor >> 29);
        factor *= 0xd1342543de82ef95u;
    }
    return rd_hash2(seed, sum);
}

#endif
