/* syscall_trap_fds.h - the system calls of an execution in the explorer's process that concern descriptors; see
 * syscall_trap.c. */
#ifndef RD_RT_ISOLATE_SYSCALL_TRAP_FDS_H
#define RD_RT_ISOLATE_SYSCALL_TRAP_FDS_H

#include "rt/isolate/kept.h"

/* As the kernel answers, unless only a process of its own could undo it. */
long rd_trap_fds_open(struct rd_kept *k, long number, const long a[6]);
long rd_trap_fds_open_two(struct rd_kept *k, long number, const long a[6]);
long rd_trap_fds_close(struct rd_kept *k, long number, const long a[6]);
long rd_trap_fds_control(struct rd_kept *k, long number, const long a[6]);
long rd_trap_fds_socket(struct rd_kept *k, long number, const long a[6]);
/* ioctl with FIONBIO, which is another way to set O_NONBLOCK. */
long rd_trap_fds_no_block(struct rd_kept *k, long number, const long a[6]);
/* A call that moves data, or looks at an epoll, is about to be made. */
void rd_trap_fds_move(struct rd_kept *k, long number, const long a[6]);
/* Does a call that moves data have to do with pipes, sockets and eventfds only? They have no offset, nor a length.
 */
bool rd_trap_fds_streams(const struct rd_kept *k, long number, const long a[6]);
/* Does it write into the program's memory only by page faults that are counted (pages.c), if at all? */
bool rd_trap_fds_counted(const struct rd_kept *k, long number, const long a[6]);
/* In such an execution: is it a number from before that still is what it was, and no plain file? Its flags. */
bool rd_trap_fds_here(int fd, int *flags);
/* Something is written to it, by whatever number; -1: nobody knows to which file. */
void rd_trap_fds_write(struct rd_kept *k, long fd);
/* After the execution: closes what it has opened. */
void rd_trap_fds_undo(struct rd_kept *k);
/* syscall_trap.c: ends the execution, which is unfit for this process because of this call. */
_Noreturn void rd_trap_unfit(long number);

#endif
