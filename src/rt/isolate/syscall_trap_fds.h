/*
 * syscall_trap_fds.h - the system calls of an execution in the explorer's process that concern descriptors. `a` are
 * the arguments of the call. Each function that returns a long makes the call, notes its effects that are to be
 * undone, and returns the kernel's result; it does not return if only the end of the process would undo the call.
 */
#ifndef RD_RT_ISOLATE_SYSCALL_TRAP_FDS_H
#define RD_RT_ISOLATE_SYSCALL_TRAP_FDS_H

#include "rt/isolate/kept.h"

/* A call that gives one descriptor; one that stores two; close(). */
long rd_trap_fds_open(struct rd_kept *k, long number, const long a[6]);
long rd_trap_fds_open_two(struct rd_kept *k, long number, const long a[6]);
long rd_trap_fds_close(struct rd_kept *k, long number, const long a[6]);
/* dup2(), dup3() and fcntl() */
long rd_trap_fds_control(struct rd_kept *k, long number, const long a[6]);
/* bind(), connect(), listen(), setsockopt() and shutdown() */
long rd_trap_fds_socket(struct rd_kept *k, long number, const long a[6]);
/* ioctl() with FIONBIO, which is another way to set O_NONBLOCK. */
long rd_trap_fds_no_block(struct rd_kept *k, long number, const long a[6]);

/* Notes the effects of a call that moves data, or looks at an epoll, and is about to be made. */
void rd_trap_fds_move(struct rd_kept *k, long number, const long a[6]);
/* Returns whether a call that moves data concerns only pipes, sockets and eventfds, which have no position or
 * length. */
bool rd_trap_fds_streams(const struct rd_kept *k, long number, const long a[6]);
/* Returns whether all that the call writes into the program's memory causes page faults that are counted (pages.c).
 */
bool rd_trap_fds_counted(const struct rd_kept *k, long number, const long a[6]);
/*
 * Returns whether the number was open at the checkpoint, still stands for the same end, and is no plain file;
 * *flags gets its flags now. False outside an execution in a snapshot.
 */
bool rd_trap_fds_here(int fd, int *flags);
/* Notes that the file behind this number is written to; -1: it is not known which file is. */
void rd_trap_fds_write(struct rd_kept *k, long fd);
/* After the execution: closes the descriptors that it has opened. */
void rd_trap_fds_undo(struct rd_kept *k);
/* syscall_trap.c: ends the execution, which is unfit for a snapshot because of this call. */
_Noreturn void rd_trap_unfit(long number);

#endif
