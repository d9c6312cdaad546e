/*
 * round.h - threads that go round for ever although they change things: each undoes what the other has done, or
 * asks again for what nobody will do. When an execution has become long, and when it comes to its limit of steps,
 * its last steps are looked at: if they are the same few again and again, and everybody who can go on has a part in
 * them, it would never end. If they are not, it may be a long computation, and at the limit is a hang like any
 * other.
 *
 * The same means: the same thread, place in the code, operation, object, result, and the same local state where it
 * is known (spin.h), in which the contents of the memory that is accessed count, too. So a loop that counts,
 * anywhere in memory that is seen, does not go round in this sense. Each thread of the round must have a local
 * state at one of its steps at least, and what is read must be known. Without that (programs that are not
 * instrumented, clocks, files) nothing is called a round.
 */
#ifndef RD_ROUND_H
#define RD_ROUND_H

#include "base/arena.h"
#include "trace/types.h"

struct rd_engine;
struct rd_result;

struct rd_round {
    uint64_t *sign; /* of each step from `first` on; NULL until then */
    uint32_t first, count;
    uint32_t due; /* at this step they are looked at; 0: at the limit */
};

/* pre: the engine's limits are set */
void rd_round_begin(struct rd_engine *e);
/* Are the steps that come now looked at? Then operations on memory need their contents. */
bool rd_round_near(const struct rd_engine *e);
/* What is in the memory that the operation is about to access. */
void rd_round_content(struct rd_op *op, uint64_t content);
/* Step number `step` was this. */
void rd_round_note(struct rd_engine *e, uint32_t step, const struct rd_op *op, bool signalled,
                   const struct rd_result *r);
/* A thread has learned something that is in no operation: the last step is like no other. */
void rd_round_break(struct rd_engine *e);
/* Are they to be looked at now, before the limit? */
bool rd_round_due(const struct rd_engine *e);
/* They were, and it is none: the next time is later. */
void rd_round_later(struct rd_engine *e);
/* Now, or at the limit: how many steps the round is that all threads go; 0: it is none. */
uint32_t rd_round_length(struct rd_engine *e);

#endif
