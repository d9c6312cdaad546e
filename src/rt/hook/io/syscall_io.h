/* syscall_io.h - system calls by number that are input or output. */
#ifndef RD_RT_HOOK_IO_SYSCALL_IO_H
#define RD_RT_HOOK_IO_SYSCALL_IO_H

#include "rt/hook/hook.h"

/* False: it is not one of them. The result is the kernel's: -errno for an error. */
bool rd_hook_syscall_io(long number, const long a[6], uint64_t pc, long *result);
/* Is it one of them? */
bool rd_hook_syscall_io_has(long number);

#endif
