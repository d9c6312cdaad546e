/* timing.h - deadlines of timed calls: translates times of the program's clocks into virtual time. */
#ifndef RD_RT_HOOK_TIME_TIMING_H
#define RD_RT_HOOK_TIME_TIMING_H

#include <stdint.h>
#include <time.h>

/* Virtual nanoseconds since the start, at least 1; 0 when the time is not valid (EINVAL). */
uint64_t rd_deadline(clockid_t clock, const struct timespec *at);
/* The deadline `ns` nanoseconds from now; at least 1 ns from now. */
uint64_t rd_deadline_in(uint64_t ns);
/*
 * The virtual time, for a result or a decision that the program can see; notes that the execution depends on the
 * time. The clock does not move.
 */
uint64_t rd_hook_now(void);

#endif
