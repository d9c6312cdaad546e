/*
 * vclock.h - vector clocks. A clock maps a thread to the number of its events that are known; threads beyond
 * its length count 0, so clocks stay as short as the threads they have heard of.
 */
#ifndef RD_VCLOCK_H
#define RD_VCLOCK_H

#include "base/arena.h"

struct rd_vclock {
    uint32_t *at;
    uint32_t count, room;
};

static inline uint32_t rd_vclock_get(const struct rd_vclock *c, uint32_t tid) {
    return tid < c->count ? c->at[tid] : 0;
}

void rd_vclock_set(struct rd_vclock *c, struct rd_arena *a, uint32_t tid, uint32_t value);
void rd_vclock_join(struct rd_vclock *c, struct rd_arena *a, const struct rd_vclock *other);
void rd_vclock_copy(struct rd_vclock *c, struct rd_arena *a, const struct rd_vclock *other);
/* A hash that does not depend on trailing zeroes. */
uint64_t rd_vclock_hash(const struct rd_vclock *c, uint64_t seed);

#endif
