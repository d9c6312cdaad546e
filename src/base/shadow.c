/* shadow.c - see shadow.h. */
#include "base/shadow.h"

#include <string.h>

/* Most ranges are a few shadow bytes: two overlapping stores cost less than a call of memset. */
static void fill(uint8_t *s, uint64_t from, uint64_t to, uint8_t state) {
    uint8_t *at = s + from / RD_GRANULE;
    uint64_t n = to / RD_GRANULE - from / RD_GRANULE, many = state * 0x0101010101010101u;
    if (n > 16) {
        memset(at, state, n);
    } else if (n >= 8) {
        memcpy(at, &many, 8);
        memcpy(at + n - 8, &many, 8);
    } else if (n >= 4) {
        memcpy(at, &many, 4);
        memcpy(at + n - 4, &many, 4);
    } else if (n) {
        at[0] = state;
        at[n / 2] = state;
        at[n - 1] = state;
    }
}

void rd_shadow_make(uint8_t *s, const struct rd_shadow_block *b) {
    uint64_t whole = b->asked / RD_GRANULE * RD_GRANULE, rest = b->asked % RD_GRANULE;
    RD_CHECK(b->at % RD_GRANULE == 0 && b->size % RD_GRANULE == 0 && b->asked <= b->size && b->head >= RD_GRANULE);
    fill(s, b->at - b->head, b->at - RD_GRANULE, RD_SHADOW_ZONE);
    fill(s, b->at - RD_GRANULE, b->at, RD_SHADOW_HEAD);
    if (b->reused)
        fill(s, b->at, b->at + whole, RD_SHADOW_OPEN);
    fill(s, b->at + whole, b->at + b->size + b->zone, RD_SHADOW_ZONE);
    if (rest)
        s[(b->at + whole) / RD_GRANULE] = (uint8_t)rest;
}

void rd_shadow_free(uint8_t *s, const struct rd_shadow_block *b) {
    RD_CHECK(b->at % RD_GRANULE == 0 && b->size % RD_GRANULE == 0);
    fill(s, b->at, b->at + b->size, RD_SHADOW_FREED);
}

uint64_t rd_shadow_usable(const uint8_t *s, uint64_t at, uint64_t count) {
    uint64_t done = 0;
    while (done < count) {
        uint64_t in = (at + done) % RD_GRANULE, state = s[(at + done) / RD_GRANULE];
        uint64_t end = state == RD_SHADOW_OPEN ? RD_GRANULE : state < RD_GRANULE ? state : 0;
        if (in >= end)
            return done;
        done += end - in;
        if (end < RD_GRANULE)
            return RD_MIN(done, count);
    }
    return count;
}

uint64_t rd_shadow_block_before(const uint8_t *s, uint64_t at, uint64_t far) {
    for (uint64_t g = at / RD_GRANULE, n = 0; g > 0 && n <= far; g--, n++)
        if (s[g - 1] == RD_SHADOW_HEAD)
            return g * RD_GRANULE;
    return UINT64_MAX;
}

/* Returns the index of the first block that ends after this address, or the number of blocks. */
static uint32_t first_after(const struct rd_freed_blocks *g, uint64_t at) {
    uint32_t low = 0, high = g->count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        if (g->end[middle] <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

bool rd_freed_blocks_add(struct rd_freed_blocks *g, uint64_t at, uint64_t size) {
    uint32_t i = first_after(g, at), behind = g->count - i;
    if (g->count == RD_FREED_BLOCKS_MAX)
        return false;
    RD_CHECK(i == g->count || at + size <= g->at[i]); /* no two overlap */
    memmove(&g->at[i + 1], &g->at[i], behind * sizeof *g->at);
    memmove(&g->end[i + 1], &g->end[i], behind * sizeof *g->end);
    g->at[i] = at;
    g->end[i] = at + size;
    g->count++;
    return true;
}

void rd_freed_blocks_remove(struct rd_freed_blocks *g, uint64_t at) {
    uint32_t i = first_after(g, at);
    if (i == g->count || g->at[i] != at)
        return;
    g->count--;
    memmove(&g->at[i], &g->at[i + 1], (g->count - i) * sizeof *g->at);
    memmove(&g->end[i], &g->end[i + 1], (g->count - i) * sizeof *g->end);
}

uint64_t rd_freed_blocks_find(const struct rd_freed_blocks *g, uint64_t at, uint64_t count) {
    uint32_t i = first_after(g, at);
    return i < g->count && g->at[i] < at + count ? g->at[i] : UINT64_MAX;
}
