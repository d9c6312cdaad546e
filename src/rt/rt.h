/*
 * rt.h - includes the headers of the runtime's core, for files that use many of them: the runtime's state and
 * threads, how to announce operations, how an execution ends, places, the program's heap.
 *
 * Delicate rules, for all code in src/rt:
 *   - No libc function that takes a lock, allocates, or may be interposed, except through rd_real.
 *   - Every entry from the program goes through rd_rt_enter/rd_rt_leave (or a function that does): while a thread
 *     is inside, interposed functions pass straight through, so the runtime never schedules itself.
 *   - No code runs between the recording of a choice and the switch to the chosen thread.
 *   - Only the thread that holds the baton touches rd_rt. `rd_self` is NULL in threads that are not controlled.
 *   - The library is linked with -z now: a call that is bound lazily, in a signal handler, could recurse without
 * end.
 */
#ifndef RD_RT_RT_H
#define RD_RT_RT_H

#include "rt/access/silent_store.h"
#include "rt/address/place_of_address.h"
#include "rt/end_execution.h"
#include "rt/heap/program_heap.h"
#include "rt/hook/called_by_runtime.h"
#include "rt/inside.h"
#include "rt/explorer.h"
#include "rt/libc/libc_functions.h"
#include "rt/thread/scheduling_point.h"
#include "rt/stack/local_state.h"
#include "rt/stack/unwind.h"
#include "rt/state.h"

#endif
