/* vclock.c - see vclock.h. */
#include "base/vclock.h"

#include <string.h>

static void reach(struct rd_vclock *c, struct rd_arena *a, uint32_t count) {
    if (count <= c->count)
        return;
    if (count > c->room) {
        uint32_t room = RD_MAX(count, c->room * 2 + 4);
        uint32_t *fresh = rd_arena_alloc(a, room * sizeof *fresh);
        if (c->count)
            memcpy(fresh, c->at, c->count * sizeof *fresh);
        c->at = fresh;
        c->room = room;
    }
    memset(c->at + c->count, 0, (count - c->count) * sizeof *c->at);
    c->count = count;
}

void rd_vclock_set(struct rd_vclock *c, struct rd_arena *a, uint32_t tid, uint32_t value) {
    reach(c, a, tid + 1);
    c->at[tid] = value;
}

void rd_vclock_join(struct rd_vclock *c, struct rd_arena *a, const struct rd_vclock *other) {
    reach(c, a, other->count);
    for (uint32_t i = 0; i < other->count; i++)
        if (other->at[i] > c->at[i])
            c->at[i] = other->at[i];
}

void rd_vclock_copy(struct rd_vclock *c, struct rd_arena *a, const struct rd_vclock *other) {
    reach(c, a, other->count);
    c->count = other->count;
    if (other->count)
        memcpy(c->at, other->at, other->count * sizeof *c->at);
}

uint64_t rd_vclock_hash(const struct rd_vclock *c, uint64_t seed) {
    for (uint32_t i = 0; i < c->count; i++)
        if (c->at[i])
            seed = rd_hash2(seed, (uint64_t)i << 32 | c->at[i]);
    return seed;
}
