/*
 * vclock.h - vector clocks. A clock maps a thread to the number of its events that are known; threads beyond
 * its length count 0, so clocks stay as short as the threads they have heard of.
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

/* Makes it at least so long. */
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

/* A hash that does not depend on trailing zeroes. */
/*
 * A sum of products, which a processor computes all at once: the factors are odd and random, so two clocks with the
 * same sum would be an accident of 64 bits. Entries that are 0 do not count.
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
