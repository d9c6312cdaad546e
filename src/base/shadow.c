/* shadow.c - see shadow.h. */
#include "base/shadow.h"

static void fill(uint8_t *s, uint64_t from, uint64_t to, uint8_t what) {
    for (uint64_t g = from / RD_GRANULE; g < to / RD_GRANULE; g++)
        s[g] = what;
}

void rd_shadow_make(uint8_t *s, const struct rd_shadow_block *b) {
    uint64_t whole = b->asked / RD_GRANULE * RD_GRANULE, rest = b->asked % RD_GRANULE;
    RD_CHECK(b->at % RD_GRANULE == 0 && b->size % RD_GRANULE == 0 && b->asked <= b->size && b->head >= RD_GRANULE);
    fill(s, b->at - b->head, b->at - RD_GRANULE, RD_SHADOW_ZONE);
    fill(s, b->at - RD_GRANULE, b->at, RD_SHADOW_HEAD);
    if (b->again)
        fill(s, b->at, b->at + whole, RD_SHADOW_OPEN);
    fill(s, b->at + whole, b->at + b->size + b->zone, RD_SHADOW_ZONE);
    if (rest)
        s[(b->at + whole) / RD_GRANULE] = (uint8_t)rest;
}

void rd_shadow_free(uint8_t *s, const struct rd_shadow_block *b) {
    fill(s, b->at, b->at + RD_MIN(b->size, rd_shadow_freed_max), RD_SHADOW_FREED);
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
