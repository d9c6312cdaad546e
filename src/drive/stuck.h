/* stuck.h - what a task of a tested process is doing, as the kernel knows it. */
#ifndef RD_STUCK_H
#define RD_STUCK_H

#include "trace/channel.h"

#include <sys/types.h>

/* Looks at one task of the process. It may be gone, or /proc may not tell: then nothing is known. */
void rd_stuck_look(pid_t pid, pid_t task, struct rd_stuck *to);

#endif
