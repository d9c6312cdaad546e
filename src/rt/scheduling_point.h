/*
 * scheduling_point.h - how hooks announce what the program is about to do. An operation returns when its thread has
 * been chosen and the model has performed it; an access returns when it is this thread's turn to do it.
 */
#ifndef RD_RT_SCHEDULING_POINT_H
#define RD_RT_SCHEDULING_POINT_H

#include "model/model.h"
#include "rt/thread/vthread.h"

/*
 * Performs an operation when the scheduler says so. addr, addr2 and pc of `op` are raw; the places are filled in.
 * Preserves errno. pre: rd_rt_active()
 */
struct rd_result rd_rt_op(struct rd_op op);
/*
 * The same with the operation and its result in place, for what is done often; `op` is changed. rd_rt_op publishes
 * the thread's heap blocks before an operation that is no plain access; this function does not.
 */
void rd_rt_operate(struct rd_op *op, struct rd_result *r);
/* The same; at once, without a scheduling point, where its kind is no point or no second thread was created yet. */
struct rd_result rd_rt_instant(struct rd_op op);

/*
 * An access to memory that the program is about to do. Cheap where there is nothing to do: the caller is not a
 * thread outside the runtime, no second thread has been created yet, or plain accesses are no points. Returns
 * whether the access was an operation.
 */
bool rd_rt_access(uint64_t addr, uint32_t size, unsigned kind, uint64_t pc);
/* An atomic access. `order`: the memory order. */
void rd_rt_atomic(uint64_t addr, uint32_t size, unsigned kind, int order, uint64_t pc);
/* After an atomic compare-and-swap: it failed. */
void rd_rt_not_swapped(void);
/* After another atomic read-modify-write: the value is as it was. */
void rd_rt_unchanged(void);
/* A hook that has nothing to do was called at `pc`. */
void rd_rt_idle(uint64_t pc);

/* Reads up to 8 bytes of the program's memory. Returns false where the memory is not there; never faults. */
bool rd_rt_peek(uint64_t addr, uint32_t size, uint64_t *value);
/* Detail mode: records the value that the thread's last write has left. pre: the write has been done */
void rd_rt_settle_write(struct rd_vthread *v);

#endif
