/* carrier.h - carriers: real threads with stacks at fixed addresses, which lend stack and TLS. For both backends.
 */
#ifndef RD_RT_THREAD_CARRIER_H
#define RD_RT_THREAD_CARRIER_H

#include "rt/thread/vthread.h"

/*
 * For the start routine of a carrier: the address at which the program's part of the stack begins. Both backends
 * begin there, so that local variables have the same addresses with either.
 */
#define RD_CARRIER_BASE() ((char *)__builtin_frame_address(0) - 768)

/*
 * Reads the stack from the attributes (NULL: the defaults): its size, and in *provided its low end if the program
 * brings the memory, else NULL. Returns whether the runtime is to map a stack of the standard size.
 */
bool rd_carrier_stack(const pthread_attr_t *attr, void **provided, size_t *size);

/*
 * Starts a real thread with the start routine `start(v)`, on the stack of thread v->tid, and sets v->handle and the
 * bounds of the stack. Returns 0 or an errno value.
 */
int rd_carrier_start(struct rd_vthread *v, const pthread_attr_t *attr, void *(*start)(void *));
/* Makes the calling kernel thread wait while the word has this value; wakes one kernel thread that waits for it. */
void rd_carrier_wait(uint32_t *word, uint32_t value);
void rd_carrier_wake(uint32_t *word);

#endif
