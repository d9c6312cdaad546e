/* apply.h - what an operation does once its thread was chosen. */
#ifndef RD_APPLY_H
#define RD_APPLY_H

#include "engine/engine.h"

/*
 * How the operation that the thread announces touches its object (RD_HOW_*, or the memory order that it has): read
 * locks and locks that the thread has already are told apart. Its own past decides, nobody else's.
 */
uint8_t rd_engine_how(const struct rd_world *w, rd_tid tid, const struct rd_op *op);
/* The operation happens, in this way. Returns what its step is to say of it: RD_STEP_LATE, RD_STEP_SIGNALLED. */
unsigned rd_engine_apply(struct rd_engine *e, rd_tid tid, const struct rd_op *op, uint32_t way,
                         struct rd_result *r);

/* Tells the loops that wait (spin.h) what the operation did. */
void rd_engine_spin(struct rd_engine *e, rd_tid tid, const struct rd_op *op, unsigned flags,
                    const struct rd_result *r);
/* What searches and reports want to know of what came of it, besides the error. */
void rd_engine_note(struct rd_step *s, const struct rd_op *op, const struct rd_result *r);

#endif
