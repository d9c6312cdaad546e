/*
 * lanes.h - operations on rows of numbers, four numbers at a time on any processor. Compilers do not vectorise
 * these loops by themselves. The length of a row is a multiple of RD_LANES, and its numbers are below 2^31.
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

/* Replaces each number of the first row by the number at the same index of the other row, if that is greater. */
static inline void rd_lanes_max(uint32_t *to, const uint32_t *other, uint32_t count) {
    for (uint32_t i = 0; i < count; i += RD_LANES) {
        rd_lanes a = rd_lanes_load(to + i), b = rd_lanes_load(other + i), greater = b > a;
        a = (a & ~greater) | (b & greater);
        memcpy(to + i, &a, sizeof a);
    }
}

/* Returns at how many indices the number of the first row is at least that of the other row. */
static inline uint32_t rd_lanes_reach(const uint32_t *row, const uint32_t *other, uint32_t count) {
    rd_lanes sum = {0};
    for (uint32_t i = 0; i < count; i += RD_LANES)
        sum -= rd_lanes_load(row + i) >= rd_lanes_load(other + i);
    return (uint32_t)(sum[0] + sum[1] + sum[2] + sum[3]);
}

#endif
