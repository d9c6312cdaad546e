/*
 * livelock_cycle.h - threads that go round for ever although they change things: each undoes what the other has
 * done, or asks again for what nobody will do. When an execution is stalled (stall.h) the steps from there on
 * are looked at, in which everybody has its turn: if they are the same few again and again, and everybody who can
 * go on has a part in them, it would never end.
 *
 * The same means: the same thread, place in the code, operation, object, result, and the same local state where it
 * is known (spin.h), in which the contents of the memory that is accessed count, too. So a loop that counts,
 * anywhere in memory that is seen, does not go round in this sense. Each thread of the round must have a local
 * state at one of its steps at least, and what is read must be known. Without that (programs that are not
 * instrumented, clocks, files) nothing is called a round.
 */
#ifndef RD_ENGINE_LIVELOCK_CYCLE_H
#define RD_ENGINE_LIVELOCK_CYCLE_H

#include "base/arena.h"
#include "trace/types.h"

struct rd_engine;
struct rd_result;

struct rd_livelock_cycle {
    uint64_t *sign; /* of each step from `first` on */
    uint32_t first, count, room;
    uint32_t due; /* at this step they are looked at; 0: none are */
};

/* From now on steps are noted, and looked at when there are enough; and no more. */
void rd_livelock_cycle_begin(struct rd_engine *e);
void rd_livelock_cycle_stop(struct rd_engine *e);
/* What is in the memory that the operation is about to access. */
void rd_livelock_cycle_content(struct rd_op *op, uint64_t content);
/* Step number `step` was this. */
void rd_livelock_cycle_note(struct rd_engine *e, uint32_t step, const struct rd_op *op, bool signalled,
                            const struct rd_result *r);
/* A thread has learned something that is in no operation: the last step is like no other. */
void rd_livelock_cycle_break(struct rd_engine *e);
/* Are they to be looked at now? */
bool rd_livelock_cycle_due(const struct rd_engine *e);
/* They were, and it is none: the next time is later. */
void rd_livelock_cycle_later(struct rd_engine *e);
/* How many steps the round is that all threads go; 0: it is none. */
uint32_t rd_livelock_cycle_length(struct rd_engine *e);

#endif
