/*
 * syscall_trap.h - catches the system calls of an execution that runs in the explorer's process, and undoes their
 * effects after it. The order of calls is: rd_trap_begin once; rd_trap_on and rd_trap_off around an execution; then
 * rd_trap_undo.
 */
#ifndef RD_RT_ISOLATE_SYSCALL_TRAP_H
#define RD_RT_ISOLATE_SYSCALL_TRAP_H

#include "rt/raw.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * Notes the process's state in the kernel that is to be put back, and arms the trap. Returns false, with the
 * reason, if system calls cannot be caught here.
 */
bool rd_trap_begin(char *why, size_t room);
/* Installs the handler of SIGSYS. Returns false if the program has one of its own. */
bool rd_trap_install(void);
/* Between the two calls, every system call that does not come from this library is caught. */
void rd_trap_on(void);
void rd_trap_off(void);
/* In a forked process, where no call is caught: gives SIGSYS back to the program. */
void rd_trap_end(void);
/* After an execution: undoes its changes of state in the kernel, except for the state that shared_with_fork.c
 * handles. */
void rd_trap_undo(void);
/*
 * Makes a system call on behalf of the program, for a hook; returns the kernel's result, -errno for an error. In an
 * execution in a snapshot it notes the effects of the call as for a call that is caught, without the cost of the
 * signal, which is ten times that of the call. Does not return if only the end of the process would undo the call.
 */
long rd_trap_call(long number, const long a[6]);
/* Turns the kernel's result into libc's: -1, and errno. */
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
/* Returns whether the call is answered with ENOSYS, as by a kernel that does not have it. */
bool rd_trap_is_missing(long number);

#endif
