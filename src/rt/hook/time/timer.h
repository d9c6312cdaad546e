/* timer.h - timers of the program that send a signal. */
#ifndef RD_RT_HOOK_TIME_TIMER_H
#define RD_RT_HOOK_TIME_TIMER_H

#include <stdbool.h>
#include <stdint.h>

/* The first thread is created: from now on they follow the virtual clock. */
void rd_timers_begin(void);
/*
 * An execution begins, a thread is new, a timer is set or a handler installed: if a timer goes off later, and is
 * noticed, the execution depends on it, and its handler may run between any two accesses.
 */
void rd_timers_note(void);
/* The virtual moment of the next one that somebody would notice; 0: there is none. */
uint64_t rd_timers_next(void);
/* Time passes to that moment, and it goes off: true. */
bool rd_timers_pass(uint64_t to);

#endif
