/* blocked_for_good.h - a process that is blocked for good: nobody is left who could end that. */
#ifndef RD_DRIVE_PROCESS_BLOCKED_FOR_GOOD_H
#define RD_DRIVE_PROCESS_BLOCKED_FOR_GOOD_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Is every task of the process, of its descendants and of whoever else has the pipes that they wait at, blocked in
 * a call without a time limit that only one of them can end? `running` is the task that an execution is in. False
 * whenever that cannot be told: input from elsewhere, sockets, timers, files.
 */
bool rd_blocked_for_good(pid_t pid, pid_t running);

#endif
