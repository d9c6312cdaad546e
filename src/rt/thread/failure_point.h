/*
 * failure_point.h - the scheduling point before a failure that ends the execution (RD_OP_FAIL). The proof in
 * trace/sharing.h moves each silent access back to the point of its thread before it. If the thread failed right
 * after its silent accesses, the execution would be over before another thread could use the same memory, and the
 * table would never show that they share it. At this point the others can go on first, as they can on real
 * processors. A failure right after an operation needs none: the search explores the others before that operation.
 */
#ifndef RD_RT_THREAD_FAILURE_POINT_H
#define RD_RT_THREAD_FAILURE_POINT_H

#include "trace/types.h"

#include <signal.h>

/*
 * Called by a hook that is about to end the execution with a finding of the calling thread; may be called inside
 * the runtime. No effect if the thread has made no silent access since its last operation, or if no other thread is
 * enabled.
 */
void rd_failure_point(uint64_t pc);
/*
 * The same for a fault that interrupted the thread. Returns true if the thread can make the operation: then the
 * handler calls rd_failure_point_after_signal() and returns. Where it is needed and not possible, the outcome says
 * so (RD_UNSEEN_CRASH). `pc`: where the program was, raw; `inside`: the thread was inside the runtime
 */
bool rd_failure_point_of_crash(const struct rd_finding *f, uint64_t pc, const void *context, bool inside);
/* Makes the thread go on, when the signal's handler returns, in a function that makes the operation and reports the
 * finding. */
void rd_failure_point_after_signal(void *context);

#endif
