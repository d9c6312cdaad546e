/* task_look.h - reads the state of a task (kernel thread) of a tested process from /proc. */
#ifndef RD_DRIVE_PROCESS_TASK_LOOK_H
#define RD_DRIVE_PROCESS_TASK_LOOK_H

#include "channel/channel.h"

#include <sys/types.h>

/* Describes one task of the process. If it has ended, or /proc cannot be read, to->how is RD_TASK_UNKNOWN. */
void rd_task_look(pid_t pid, pid_t task, struct rd_task_state *to);

#endif
