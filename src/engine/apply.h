/* apply.h - inside the engine: performing the operation of the thread that was chosen. */
#ifndef RD_ENGINE_APPLY_H
#define RD_ENGINE_APPLY_H

#include "engine/engine.h"

/*
 * Returns the field `order` of an operation that the thread announces: how it touches its object
 * (trace/access_mode.h), or the memory order that it has. The release of a read lock, and operations on a lock that
 * the thread already holds, have modes of their own. The result follows from the thread's own past alone, so it is
 * the same in all executions of a class.
 */
uint8_t rd_engine_access_mode(struct rd_world *w, rd_tid tid, const struct rd_op *op);
/* Chooses one of the ways in which the pending operation of tid can complete, and records that as a VALUE step. */
uint32_t rd_engine_way(struct rd_engine *e, rd_tid tid, uint32_t ways);

#endif
