/* trap_fds.h - the system calls of an execution in the explorer's process that concern descriptors; see trap.c. */
#ifndef RD_TRAP_FDS_H
#define RD_TRAP_FDS_H

#include "rt/kept.h"

/* As the kernel answers, unless only a process of its own could undo it. */
long rd_trap_fds_open(struct rd_kept *k, long number, const long a[6]);
long rd_trap_fds_open_two(struct rd_kept *k, long number, const long a[6]);
long rd_trap_fds_close(struct rd_kept *k, long number, const long a[6]);
long rd_trap_fds_control(struct rd_kept *k, long number, const long a[6]);
long rd_trap_fds_socket(struct rd_kept *k, long number, const long a[6]);
/* A call that moves data, or looks at an epoll, is about to be made. */
void rd_trap_fds_move(struct rd_kept *k, long number, const long a[6]);
/* After the execution: closes what it has opened. */
void rd_trap_fds_undo(struct rd_kept *k);
/* trap.c: ends the execution, which is unfit for this process because of this call. */
_Noreturn void rd_trap_unfit(long number);

#endif
