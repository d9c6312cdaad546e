/* hang.h - the report of the watchdog's handler about an execution that takes too long: a hang, or a refusal. */
#ifndef RD_RT_WATCH_HANG_H
#define RD_RT_WATCH_HANG_H

#include "rt/thread/vthread.h"

/* All three are for the watchdog's handler. `pc`: the place at which the signal has interrupted the thread. */

/* Returns the place of the innermost frame that is in a module and not in libc; `pc` if there is no such frame. */
rd_place rd_task_state_where(rd_place pc);
/*
 * Refuses the program, and does not return, if the execution may wait for an event that Raddle does not control;
 * otherwise the execution is a hang.
 */
void rd_task_state_refuse(const struct rd_vthread *v, rd_place pc);
/* Writes the message of a hang. `inside`: the signal has interrupted the thread inside the runtime. */
void rd_task_state_say(struct rd_finding *f, bool inside);

#endif
