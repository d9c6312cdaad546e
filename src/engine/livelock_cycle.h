/*
 * livelock_cycle.h - recognises threads that repeat a cycle of steps for ever although they change memory: each
 * undoes the changes of the other, or asks again for an event that will never come. When an execution is stalled
 * (stall.h), the fair tail gives each thread its turn, and from there on the signatures of the steps are kept in
 * windows. If a window consists of many repetitions of one cycle, and every enabled thread has a step in the cycle,
 * the execution would never end: that is a livelock.
 *
 * Two steps have the same signature if they agree in thread, place in the code, operation, object, result and,
 * where it is known, local state (spin.h). The local state covers the contents of the memory that the step
 * accesses, so a loop that counts in any memory that Raddle sees is no cycle. Each thread of a cycle must have a
 * known local state at one of its steps at least, and the engine must know all effects of each step. Where it does
 * not (programs without instrumentation, clocks, files) no cycle is reported.
 */
#ifndef RD_ENGINE_LIVELOCK_CYCLE_H
#define RD_ENGINE_LIVELOCK_CYCLE_H

#include "base/arena.h"
#include "trace/types.h"

struct rd_engine;
struct rd_result;

struct rd_livelock_cycle {
    uint64_t *signature; /* of `count` steps from step `first` on; room for `room` */
    uint32_t first, count, room;
    uint32_t due; /* the step at which the window ends; 0: there is no window */
};

/* Begins the first window. */
void rd_livelock_cycle_begin(struct rd_engine *e);
/* Ends the window; there is no other until _begin. */
void rd_livelock_cycle_stop(struct rd_engine *e);
/* Makes a hash of the contents of the memory that the operation is about to access part of its local state. */
void rd_livelock_cycle_content(struct rd_op *op, uint64_t content);
/* Keeps the signature of step number `step`, which was performed. */
void rd_livelock_cycle_note(struct rd_engine *e, uint32_t step, const struct rd_op *op, bool signalled,
                            const struct rd_result *r);
/* A thread has read a value that is in no operation (a clock): makes the last step differ from all others. */
void rd_livelock_cycle_break(struct rd_engine *e);
/* Returns whether the window ends now. */
bool rd_livelock_cycle_due(const struct rd_engine *e);
/* The window showed no cycle: begins another one. */
void rd_livelock_cycle_later(struct rd_engine *e);
/* Returns the length in steps of the cycle that the window consists of; 0: it does not. */
uint32_t rd_livelock_cycle_length(struct rd_engine *e);

#endif
