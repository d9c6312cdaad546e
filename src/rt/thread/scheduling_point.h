/*
 * scheduling_point.h - how hooks announce the operations and accesses that the program is about to make. A function
 * that announces an operation returns when the engine has chosen the thread and the model has performed the
 * operation; one that announces an access returns when the thread's turn has come to make the access.
 */
#ifndef RD_RT_THREAD_SCHEDULING_POINT_H
#define RD_RT_THREAD_SCHEDULING_POINT_H

#include "model/model.h"
#include "rt/thread/vthread.h"

/*
 * Announces the operation, and performs it when the engine chooses the calling thread. addr, addr2 and pc of `op`
 * are raw; this function finds their places. Preserves errno. pre: rd_rt_active()
 */
struct rd_result rd_rt_op(struct rd_op op);
/*
 * The same without copies of the operation and its result, for frequent operations; changes *op. rd_rt_op publishes
 * the thread's heap blocks before an operation that is no plain access; this function does not.
 */
void rd_rt_operate(struct rd_op *op, struct rd_result *r);
/* As rd_rt_op, but performs the operation at once if its kind is no point or no second thread was created yet. */
struct rd_result rd_rt_instant(struct rd_op op);

/*
 * Announces an access to memory that the program is about to make. Returns whether the access was an operation.
 * Returns false at once if the caller is no thread of the program or is inside the runtime, no second thread was
 * created yet, or plain accesses are no points.
 */
bool rd_rt_access(uint64_t addr, uint32_t size, unsigned kind, uint64_t pc);
/* Announces an atomic access. `order`: the memory order. */
void rd_rt_atomic(uint64_t addr, uint32_t size, unsigned kind, int order, uint64_t pc);
/* Called after an atomic compare-and-swap that failed. */
void rd_rt_not_swapped(void);
/* Called after another atomic read-modify-write that stored the value it had read. */
void rd_rt_unchanged(void);
/* Called by a hook at `pc` that announces no access: it counts as passed code, so that it can be patched out. */
void rd_rt_idle(uint64_t pc);

/* Reads up to 8 bytes of the program's memory. Returns false where the memory is not there; never faults. */
bool rd_rt_peek(uint64_t addr, uint32_t size, uint64_t *value);
/* Detail mode: records the value that the thread's last write has stored. pre: the program has made the write */
void rd_rt_settle_write(struct rd_vthread *v);

#endif
