/* syscall_trap.h - the system calls of an execution that runs in the explorer's process, and their undoing. */
#ifndef RD_RT_ISOLATE_SYSCALL_TRAP_H
#define RD_RT_ISOLATE_SYSCALL_TRAP_H

#include "rt/raw.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

/* Notes what is to be put back. False, with the reason: system calls cannot be caught here. */
bool rd_trap_begin(char *why, size_t room);
/* The signal's handler is in place, unless the program has one of its own. */
bool rd_trap_install(void);
/* Between these two every system call but the runtime's own is caught. */
void rd_trap_on(void);
void rd_trap_off(void);
/* In a forked process: nothing is caught there, and the signal is the program's. */
void rd_trap_end(void);
/* After the execution: what it did in the kernel is undone, except for what fork_isolation.c looks after. */
void rd_trap_undo(void);
/*
 * A system call of the program's that the runtime makes for it, as the kernel would answer it. Anywhere but in such
 * an execution it is just made. Does not return when only a process of its own can undo it.
 */
long rd_trap_call(long number, const long a[6]);
/* The same as libc's function of that name returns it: -1, and errno. Its signal costs more than the call. */
static inline long rd_trap_result(long r) {
    if (r >= 0 || r < -4095)
        return r;
    errno = (int)-r;
    return -1;
}
#define RD_TRAP_ALL(n, a, b, c, d, e, f, ...) \
    rd_trap_result(                           \
        rd_trap_call(n, (const long[6]){(long)(a), (long)(b), (long)(c), (long)(d), (long)(e), (long)(f)}))
/* rd_kernel(SYS_x, up to six arguments) */
#define rd_kernel(...) RD_TRAP_ALL(__VA_ARGS__, 0, 0, 0, 0, 0, 0, 0)
/* Is the call answered with ENOSYS, as by a kernel that does not have it? */
bool rd_trap_is_missing(long number);

#endif
