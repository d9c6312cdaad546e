/* silent_store.h - finds out whether a store has changed its memory; see silent_store.c. */
#ifndef RD_RT_ACCESS_SILENT_STORE_H
#define RD_RT_ACCESS_SILENT_STORE_H

#include "model/model.h"
#include "rt/thread/vthread.h"

/* Keeps the value in the memory of a store that is a point. Called after the point, before the store. */
void rd_rt_stores(const volatile void *addr, uint32_t size);
/* Finds out whether that store changed the memory. Called before the thread's next operation. */
void rd_rt_settle_store(struct rd_vthread *v);
/* The same two for stores to memory that no other thread uses, which are no points. */
void rd_rt_own_store(uint64_t addr, uint32_t size);
void rd_rt_settle_own(struct rd_vthread *v);
/* Reads the memory that the operation is about to access. Returns false where it may not be there. */
bool rd_rt_look(const struct rd_op *op, uint64_t to[2]);

#endif
