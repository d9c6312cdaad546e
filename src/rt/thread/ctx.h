/* ctx.h - switching stack and thread pointer in user space; ctx_x86_64.S and ctx_aarch64.S. */
#ifndef RD_RT_THREAD_CTX_H
#define RD_RT_THREAD_CTX_H

#include <stdint.h>

/* Saves the caller's registers on its stack and *save, goes on where load was saved, with thread pointer tp. */
void rd_ctx_switch(void **save, void *load, void *tp);
/* Prepares a stack so that the first switch to the result calls entry(arg) on it; entry must not return. */
void *rd_ctx_prepare(void *stack_top, void (*entry)(void *), void *arg);
void *rd_ctx_thread_pointer(void);
/* Calls fn(arg) on another stack and returns; the unwinder sees through it. */
void rd_ctx_call_on(void *stack_top, void (*fn)(void *), void *arg);
/*
 * Sets *ready, wakes who waits for it, and waits for ever for *never, which is 0. From then on this thread writes
 * nothing, not even to its stack: it may be this far when the pages that others write are counted already.
 */
_Noreturn void rd_ctx_park(uint32_t *ready, uint32_t *never);
/* Chooses how the thread pointer is set on this processor. Call once before any switch. */
void rd_ctx_init(void);

#endif
