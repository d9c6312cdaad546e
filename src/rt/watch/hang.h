/* stuck.h - what is said of an execution that has taken too long. */
#ifndef RD_RT_WATCH_HANG_H
#define RD_RT_WATCH_HANG_H

#include "rt/thread/vthread.h"

/* In the watchdog's handler: the innermost place that is the program's or a library's, where `pc` was interrupted.
 */
rd_place rd_task_state_where(rd_place pc);
/* In the watchdog's handler: does not return where it is beyond what can be known. `pc`: what was interrupted. */
void rd_task_state_refuse(const struct rd_vthread *v, rd_place pc);
/* Else it is a hang: in which way? `inside`: in the runtime. */
void rd_task_state_say(struct rd_finding *f, bool inside);

#endif
