/*
 * real_clock.h - the time that the driver goes by, as opposed to the virtual clock of the program (model/clock.c).
 * The pure parts have no clock: the explorer is given a function that reads this one (struct rd_loop_env). The
 * clock does not jump when the system's time is set.
 */
#ifndef RD_DRIVE_REAL_CLOCK_H
#define RD_DRIVE_REAL_CLOCK_H

#include <stdint.h>
#include <time.h>

/* Nanoseconds since some moment before the process began; never less than what an earlier call returned. */
static inline uint64_t rd_clock_ns(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* The same in seconds. */
static inline double rd_clock_s(void) { return (double)rd_clock_ns() * 1e-9; }

#endif
