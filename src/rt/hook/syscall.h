/* syscall.h - system calls by number, of threads under control. */
#ifndef RD_RT_HOOK_SYSCALL_H
#define RD_RT_HOOK_SYSCALL_H

#include "rt/hook/hook.h"

/* Performs the call; returns the result as the kernel would, -errno for an error. pre: rd_rt_active() */
long rd_hook_syscall(long number, const long a[6], uint64_t pc);

/*
 * Returns whether rd_hook_syscall answers the call by other means than the kernel's answer alone. False for calls
 * that make a thread or a process.
 */
bool rd_hook_syscall_has(long number);

#endif
