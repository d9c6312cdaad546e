/*
 * failure_point.h - the scheduling point before a failure that ends the execution (RD_OP_FAIL). Without it the
 * failure would belong to the thread's last operation, and two things would never be explored. Other threads could
 * not go on between that operation and the failure, where they see its effect: a thread that writes x and then
 * fails would hide what another one does when it reads x. And the proof in trace/sharing.h moves each silent access
 * back to the operation before it: the execution would be over before another thread could use the same memory, and
 * the table would never show that they share it.
 *
 * The operation touches no memory and no object, so it is independent of every event. The searches learn from the
 * verdict that it ends the execution, as they do for every last operation (search/por/races.h).
 */
#ifndef RD_RT_THREAD_FAILURE_POINT_H
#define RD_RT_THREAD_FAILURE_POINT_H

#include "trace/types.h"

#include <signal.h>

/*
 * Called by a hook that is about to end the execution with a finding of the calling thread; may be called inside
 * the runtime. No effect if no other thread is enabled, or if the thread's last operation was a read and no silent
 * access followed: no thread notices a read, so others can do before it whatever they do after it. In a function
 * that a library has called the point is not possible; then the outcome says so (RD_UNSEEN_FAILURE).
 */
void rd_failure_point(uint64_t pc);
/*
 * The same for a fault that interrupted the thread. Returns true if the thread can make the operation: then the
 * handler calls rd_failure_point_after_signal() and returns. Where it is needed and not possible, the outcome says
 * so (RD_UNSEEN_FAILURE). `pc`: where the program was, raw; `inside`: the thread was inside the runtime
 */
bool rd_failure_point_of_crash(const struct rd_finding *f, uint64_t pc, const void *context, bool inside);
/* Makes the thread go on, when the signal's handler returns, in a function that makes the operation and reports the
 * finding. */
void rd_failure_point_after_signal(void *context);

#endif
