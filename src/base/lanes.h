/*
 * lanes.h - rows of numbers, four at a time on any processor: what compilers do not make of a loop by themselves at
 * the level that is used here. A row is a whole number of fours; its numbers are below 2^31.
 */
#ifndef RD_BASE_LANES_H
#define RD_BASE_LANES_H

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

/* How many numbers of the first row are as great as those of the other one? */
static inline uint32_t rd_lanes_reach(const uint32_t *row, const uint32_t *other, uint32_t count) {
    rd_lanes sum = {0};
    for (uint32_t i = 0; i < count; i += RD_LANES)
        sum -= rd_lanes_load(row + i) >= rd_lanes_load(other + i);
    return (uint32_t)(sum[0] + sum[1] + sum[2] + sum[3]);
}

#endif
