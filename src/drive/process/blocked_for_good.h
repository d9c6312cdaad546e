/* blocked_for_good.h - recognises a tested process that is blocked and that no process is left to wake. */
#ifndef RD_DRIVE_PROCESS_BLOCKED_FOR_GOOD_H
#define RD_DRIVE_PROCESS_BLOCKED_FOR_GOOD_H

#include <stdbool.h>
#include <sys/types.h>

/*
 * Takes the set of the process, its descendants, and every process that has open a pipe at which a task of the set
 * waits. Returns true if each task of the set is blocked in a system call that has no time limit and that only a
 * task of the set could end. `running` is the task that runs the execution. Returns false if /proc does not tell: a
 * task waits for a socket or a file, or a process has a timer.
 */
bool rd_blocked_for_good(pid_t pid, pid_t running);

#endif
