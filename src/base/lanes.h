/*
 * lanes.h - rows of numbers, four at a time on any processor: what compilers do not make of a loop by themselves at
 * the level that is used here. A row is a whole number of eights; its numbers are below 2^31.
 */
#ifndef RD_LANES_H
#define RD_LANES_H

#include "base/base.h"

#include <string.h>

typedef int32_t rd_lanes __attribute__((vector_size(16)));
enum { RD_LANES = sizeof(rd_lanes) / sizeof(int32_t) };

static inline rd_lanes rd_lanes_load(const uint32_t *from) {
    rd_lanes x;
    memcpy(&x, from, sizeof x);
    return x;
}

/* The greater of each two, in the first row. */
static inline void rd_lanes_max(uint32_t *to, const uint32_t *other, uint32_t count) {
    for (uint32_t i = 0; i < count; i += RD_LANES) {
        rd_lanes a = rd_lanes_load(to + i), b = rd_lanes_load(other + i), greater = b > a;
        a = (a & ~greater) | (b & greater);
        memcpy(to + i, &a, sizeof a);
    }
}

/* Is any number of the first row as great as that of the other one? */
static inline bool rd_lanes_reach(const uint32_t *row, const uint32_t *other, uint32_t count) {
    for (uint32_t i = 0; i < count; i += 2 * RD_LANES) {
        rd_lanes low = rd_lanes_load(row + i) >= rd_lanes_load(other + i);
        rd_lanes high = rd_lanes_load(row + i + RD_LANES) >= rd_lanes_load(other + i + RD_LANES);
        rd_lanes either = low | high;
        uint64_t any[2];
        memcpy(any, &either, sizeof any);
        if (any[0] | any[1])
            return true;
    }
    return false;
}

#endif
