/* timer.h - the program's timers that send a signal. */
#ifndef RD_RT_HOOK_TIME_TIMER_H
#define RD_RT_HOOK_TIME_TIMER_H

#include <stdbool.h>
#include <stdint.h>

/* Called at the checkpoint: from now on timers follow the virtual clock. */
void rd_timers_begin(void);
/*
 * Called when an execution begins, a thread is created, a timer is set or a handler installed. If a timer is set
 * that the program would notice, notes that the execution depends on it, and that all memory counts as shared: the
 * timer's handler may run between any two accesses.
 */
void rd_timers_note(void);
/* The virtual time of the next expiration that the program would notice; 0: there is none. */
uint64_t rd_timers_next(void);
/* Moves the virtual clock to that time, and lets the timers expire. Returns true. */
bool rd_timers_pass(uint64_t to);

#endif
