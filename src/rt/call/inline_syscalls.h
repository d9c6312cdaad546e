/* inline_syscalls.h - ends of the program, or of a thread, by system calls that it makes itself, in inline
 * assembly. */
#ifndef RD_RT_CALL_INLINE_SYSCALLS_H
#define RD_RT_CALL_INLINE_SYSCALLS_H

#include <stdbool.h>
#include <ucontext.h>

/* In a process of one execution: from now on such calls of this kernel thread are caught, where the kernel can. */
void rd_inline_syscalls_arm(void);
/* The same in another kernel thread, which may run beside one of the program's: it uses nothing that changes. */
void rd_inline_syscalls_arm_thread(void);
/* The program has a handler of its own for the signal: nothing is caught any more. */
void rd_inline_syscalls_disarm(void);
/*
 * In the handler: a caught call. _catch: if it is such an end, the thread goes on with that as an operation when
 * the handler returns. _pass: any other one is made for the program.
 */
bool rd_inline_syscalls_catch(ucontext_t *u, long number);
void rd_inline_syscalls_pass(ucontext_t *u, long number);

#endif
