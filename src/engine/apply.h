/* apply.h - what an operation does once its thread was chosen. */
#ifndef RD_ENGINE_APPLY_H
#define RD_ENGINE_APPLY_H

#include "engine/engine.h"

/*
 * How the operation that the thread announces touches its object (RD_HOW_*, or the memory order that it has): read
 * locks and locks that the thread has already are told apart. Its own past decides, nobody else's.
 */
uint8_t rd_engine_how(struct rd_world *w, rd_tid tid, const struct rd_op *op);
/* A choice inside an operation: which of `ways` is taken. Recorded as a step of its own. */
uint32_t rd_engine_way(struct rd_engine *e, rd_tid tid, uint32_t ways);

#endif
