/* timing.h - deadlines of timed calls: from the program's clocks to virtual time. */
#ifndef RD_RT_HOOK_TIME_TIMING_H
#define RD_RT_HOOK_TIME_TIMING_H

#include <stdint.h>
#include <time.h>

/* Virtual nanoseconds since the start, at least 1; 0 when the time is not valid (EINVAL). */
uint64_t rd_deadline(clockid_t clock, const struct timespec *at);
/* The same for "so long from now". */
uint64_t rd_deadline_in(uint64_t ns);
/* Virtual time, for what the program can see of it; it stays as it is. */
uint64_t rd_hook_now(void);

#endif
