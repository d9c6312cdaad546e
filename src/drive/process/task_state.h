/* stuck.h - what a task of a tested process is doing, as the kernel knows it. */
#ifndef RD_DRIVE_PROCESS_TASK_STATE_H
#define RD_DRIVE_PROCESS_TASK_STATE_H

#include "channel/channel.h"

#include <sys/types.h>

/* Looks at one task of the process. It may be gone, or /proc may not tell: then nothing is known. */
void rd_task_look(pid_t pid, pid_t task, struct rd_task_state *to);

#endif
