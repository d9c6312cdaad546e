/* focus.h - inside the engine: which candidates a focus (rd_engine_focus) or an atomic section leaves. */
#ifndef RD_ENGINE_FOCUS_H
#define RD_ENGINE_FOCUS_H

#include "engine/engine.h"

/*
 * Keeps of the first n of e->enabled the threads that may be chosen now, and returns their number: only the current
 * thread, if it is enabled and neither its last nor its pending operation is in focus.
 */
uint32_t rd_focus_keep(struct rd_engine *e, uint32_t n);
/* The same between raddle_atomic_begin and raddle_atomic_end: only the current thread, if it is enabled. */
uint32_t rd_focus_atomic(struct rd_engine *e, uint32_t n);
/* The running thread has performed this operation. */
void rd_focus_done(struct rd_engine *e, const struct rd_op *op);

#endif
