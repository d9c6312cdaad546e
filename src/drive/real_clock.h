/*
 * real_clock.h - the clock of the driver, as opposed to the virtual clock of the program (model/clock.c). The pure
 * parts have no clock: the explorer gets a function that reads this one (struct rd_loop_env). The clock does not
 * jump when the system's time is set.
 */
#ifndef RD_DRIVE_REAL_CLOCK_H
#define RD_DRIVE_REAL_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds since a fixed moment before the process began; never less than the result of an earlier call. */
static inline uint64_t rd_clock_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The same in seconds. */
static inline double rd_clock_s(void) { return (double)rd_clock_ns() * 1e-9; }

#endif
