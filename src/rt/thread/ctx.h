/* ctx.h - switching stack and thread pointer in user space (ctx_x86_64.S, ctx_aarch64.S). */
#ifndef RD_RT_THREAD_CTX_H
#define RD_RT_THREAD_CTX_H

#include <stdint.h>

/*
 * Saves the caller's registers on its stack and the stack pointer in *save; then restores the registers from the
 * stack pointer `load`, sets the thread pointer to `tp`, and returns on that stack.
 */
void rd_ctx_switch(void **save, void *load, void *tp);
/* Prepares a stack so that the first switch to the result calls entry(arg) on it; entry must not return. */
void *rd_ctx_prepare(void *stack_top, void (*entry)(void *), void *arg);
void *rd_ctx_thread_pointer(void);
/* Calls fn(arg) on another stack and returns. An unwinder finds the way back to the caller's stack. */
void rd_ctx_call_on(void *stack_top, void (*fn)(void *), void *arg);
/*
 * Sets *ready, wakes the thread that waits for that word, and waits for ever for a change of *never, which is 0.
 * From then on the calling thread writes nothing, not even to its stack: the waiting thread may already be
 * recording which pages an execution writes.
 */
_Noreturn void rd_ctx_park(uint32_t *ready, uint32_t *never);
/* Chooses how this processor sets the thread pointer. Called once, before any switch. */
void rd_ctx_init(void);

#endif
