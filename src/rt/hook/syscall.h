/* syscall.h - a system call by its number, of a thread under control. */
#ifndef RD_RT_HOOK_SYSCALL_H
#define RD_RT_HOOK_SYSCALL_H

#include "rt/hook/hook.h"

/* What the kernel would return: a result, or -errno. */
long rd_hook_syscall(long number, const long a[6], uint64_t pc);

/* Is the call answered by more than asking the kernel? Those that make a thread or a process are not among them. */
bool rd_hook_syscall_has(long number);

#endif
