/* inline_syscalls.h - system calls that the program makes itself, by inline assembly, instead of through libc. */
#ifndef RD_RT_CALL_INLINE_SYSCALLS_H
#define RD_RT_CALL_INLINE_SYSCALLS_H

#include <stdbool.h>
#include <ucontext.h>

/* In a process of one execution: from now on such calls of this kernel thread raise SIGSYS, if the kernel can do
 * that. */
void rd_inline_syscalls_arm(void);
/* The same in a further kernel thread, which may run at the same time as a thread of the program: it reads only
 * data that rd_inline_syscalls_arm() has written. */
void rd_inline_syscalls_arm_thread(void);
/* The program has a handler of its own for SIGSYS: from now on no call is caught. */
void rd_inline_syscalls_disarm(void);
/*
 * In the handler of SIGSYS. _catch: returns whether the call is an operation; if it is, the thread performs it when
 * the handler returns. _pass: makes a call that is none.
 */
bool rd_inline_syscalls_catch(ucontext_t *u, long number);
void rd_inline_syscalls_pass(ucontext_t *u, long number);

#endif
