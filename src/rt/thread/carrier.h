/* carrier.h - stacks at fixed addresses and real threads to make thread-local storage; used by both backends. */
#ifndef RD_RT_THREAD_CARRIER_H
#define RD_RT_THREAD_CARRIER_H

#include "rt/thread/vthread.h"

/*
 * In the carrier's start routine: where the program's part of the stack begins. The same in both backends, so that
 * addresses of locals are.
 */
#define RD_CARRIER_BASE() ((char *)__builtin_frame_address(0) - 768)

/* Size of the stack that these attributes mean, and where: NULL if none is given. True: an ordinary one. */
bool rd_carrier_stack(const pthread_attr_t *attr, void **given, size_t *size);

/* Starts a real thread whose start routine is `start(v)`, on the stack that thread v->tid always has. */
int rd_carrier_start(struct rd_vthread *v, const pthread_attr_t *attr, void *(*start)(void *));
/* Really waits while the word has that value; really wakes one. */
void rd_carrier_wait(uint32_t *word, uint32_t value);
void rd_carrier_wake(uint32_t *word);

#endif
