/* carrier.h - stacks at fixed addresses and real threads to make thread-local storage; used by both backends. */
#ifndef RD_CARRIER_H
#define RD_CARRIER_H

#include "rt/rt.h"

/* Starts a real thread whose start routine is `start(v)`, on the stack that thread v->tid always has. */
int rd_carrier_start(struct rd_vthread *v, const pthread_attr_t *attr, void *(*start)(void *));
void rd_futex_wait(uint32_t *word, uint32_t value);
void rd_futex_wake(uint32_t *word);

#endif
