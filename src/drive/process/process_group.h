/*
 * process_group.h - tested processes and whatever they start are one process group, which is not the driver's: what
 * a terminal or `timeout` sends to the driver's group is meant for the driver, and in a tested process it would
 * look like a bug. The group ends with the driver, however that ends.
 */
#ifndef RD_DRIVE_PROCESS_PROCESS_GROUP_H
#define RD_DRIVE_PROCESS_PROCESS_GROUP_H

#include <sys/types.h>

/* Its number; made when it is first asked for. -1: there can be no more processes. */
pid_t rd_process_group(void);
/* Sends a signal to all of it; nothing when there is none. May be called in a signal handler. */
void rd_process_group_signal(int sig);
/* Kills all of it, if there is one. */
void rd_process_group_end(void);

#endif
