/*
 * spin_await.h - inside spin.c: the operation AWAIT that a waiting loop announces, from the operations of its last
 * iteration.
 */
#ifndef RD_ENGINE_SPIN_AWAIT_H
#define RD_ENGINE_SPIN_AWAIT_H

#include "engine/spin.h"

/* Returns whether operations of this kind access memory, not an object. */
static inline bool rd_spin_is_memory(unsigned kind) { return rd_op_flags(kind) & (RD_F_READS | RD_F_WRITES); }

/*
 * Writes the AWAIT of the iteration that began at t->loop_start, where `op` begins the next one. It names one
 * place; or the memory from the first to the last of several places that are close together; and besides, a lock
 * that the iteration takes. If that is more than one operation can name, the AWAIT is wide. Returns false if the
 * iteration has read nothing: then it waits for an event that Raddle does not see, and no AWAIT can wake it.
 */
bool rd_spin_describe(const struct rd_spin_thread *t, const struct rd_op *op, struct rd_op *await);

#endif
