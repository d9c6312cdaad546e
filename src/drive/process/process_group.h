/*
 * process_group.h - the process group of all tested processes and of the processes that they start. The driver is
 * not in it: a terminal or `timeout` sends a signal to the driver's group, and a tested process that got the signal
 * would seem to have a bug. The group is killed when the driver ends, even by a SIGKILL.
 */
#ifndef RD_DRIVE_PROCESS_PROCESS_GROUP_H
#define RD_DRIVE_PROCESS_PROCESS_GROUP_H

#include <sys/types.h>

/* The number of the group, which the first call creates. -1: no process could be started for it. */
pid_t rd_process_group(void);
/* Sends a signal to all processes of the group, if it exists. May be called in a signal handler. */
void rd_process_group_signal(int sig);
/* Kills the group, if it exists. */
void rd_process_group_end(void);

#endif
