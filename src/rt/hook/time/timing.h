/* timing.h - deadlines of timed calls: translates times of the program's clocks into virtual time. */
#ifndef RD_RT_HOOK_TIME_TIMING_H
#define RD_RT_HOOK_TIME_TIMING_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

enum { RD_NS = 1000000000 }; /* nanoseconds in a second */

static inline bool rd_timespec_valid(const struct timespec *t) {
    return t->tv_sec >= 0 && t->tv_nsec >= 0 && t->tv_nsec < RD_NS;
}
/* Nanoseconds of a valid time span; the time span of so many nanoseconds. */
static inline uint64_t rd_timespec_ns(const struct timespec *t) {
    return (uint64_t)t->tv_sec * RD_NS + (uint64_t)t->tv_nsec;
}
static inline struct timespec rd_timespec_of(uint64_t ns) {
    return (struct timespec){.tv_sec = (time_t)(ns / RD_NS), .tv_nsec = (long)(ns % RD_NS)};
}

/* Virtual nanoseconds since the start, at least 1; 0 when the time is not valid (EINVAL). */
uint64_t rd_deadline(clockid_t clock, const struct timespec *at);
/* The same for a wait for which the program names the clock; 0 also for a clock that glibc does not accept for
 * waits. */
static inline uint64_t rd_deadline_of_wait(clockid_t clock, const struct timespec *at) {
    return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC ? rd_deadline(clock, at) : 0;
}
/* The deadline `ns` nanoseconds from now; at least 1 ns from now. */
uint64_t rd_deadline_in(uint64_t ns);
/*
 * The virtual time, for a result or a decision that the program can see; notes that the execution depends on the
 * time. The clock does not move.
 */
uint64_t rd_hook_now(void);

#endif
