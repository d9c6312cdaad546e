/* futex.h - SYS_futex for a thread under control. */
#ifndef RD_RT_HOOK_SYNC_FUTEX_H
#define RD_RT_HOOK_SYNC_FUTEX_H

#include "rt/hook/hook.h"

/* Performs the call with the arguments of syscall(); returns the kernel's result, -errno for an error. */
long rd_hook_futex(const long a[6], uint64_t pc);

#endif
