/* verdict.h - inside the engine: the findings that the engine itself makes. Each ends the execution. */
#ifndef RD_ENGINE_VERDICT_H
#define RD_ENGINE_VERDICT_H

#include "engine/engine.h"

/* The execution has reached the limit of steps: it is a hang or a livelock, or it is only long and is cut. */
void rd_verdict_limit(struct rd_engine *e);
/* A window of livelock_cycle.h has ended. Returns whether it shows a livelock, which ends the execution. */
bool rd_verdict_cycle(struct rd_engine *e);
/* Threads are alive, and none can go on: a deadlock, or a livelock if one of them is a loop that waits. */
void rd_verdict_deadlock(struct rd_engine *e);
/* Returns whether a thread has stopped because its assumption does not hold: then the execution is dropped. */
bool rd_verdict_dropped(struct rd_engine *e);
/* The operation that tid just performed breaks the rules of its primitive. */
void rd_verdict_misuse(struct rd_engine *e, rd_tid tid, const struct rd_op *op, const struct rd_result *r);

#endif
