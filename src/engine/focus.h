/* focus.h - inside the engine: preemptions only at some places (rd_engine_focus in engine.h). */
#ifndef RD_ENGINE_FOCUS_H
#define RD_ENGINE_FOCUS_H

#include "engine/engine.h"

/* Of the first n of e->enabled those who may be chosen now; how many they are. */
uint32_t rd_focus_keep(struct rd_engine *e, uint32_t n);
/* The same between raddle_atomic_begin and _end: nobody but the thread that is there, if it can go on. */
uint32_t rd_focus_atomic(struct rd_engine *e, uint32_t n);
/* The running thread has done this. */
void rd_focus_done(struct rd_engine *e, const struct rd_op *op);

#endif
