/* futex.h - SYS_futex for a thread under control. */
#ifndef RD_RT_HOOK_SYNC_FUTEX_H
#define RD_RT_HOOK_SYNC_FUTEX_H

#include "rt/hook/hook.h"

/* The arguments as syscall() has them; returns what the kernel would: a result, or -errno. */
long rd_hook_futex(const long a[6], uint64_t pc);

#endif
