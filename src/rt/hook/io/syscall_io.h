/* syscall_io.h - system calls by number for input and output. */
#ifndef RD_RT_HOOK_IO_SYSCALL_IO_H
#define RD_RT_HOOK_IO_SYSCALL_IO_H

#include "rt/hook/hook.h"

/*
 * Answers a system call for input or output: *result is the kernel's, -errno for an error. False: it is another
 * call.
 */
bool rd_hook_syscall_io(long number, const long a[6], uint64_t pc, long *result);
/* Returns whether rd_hook_syscall_io answers calls with this number. */
bool rd_hook_syscall_io_has(long number);

#endif
