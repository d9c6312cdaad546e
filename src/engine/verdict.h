/* verdict.h - findings that the engine itself makes. Each ends the execution. */
#ifndef RD_ENGINE_VERDICT_H
#define RD_ENGINE_VERDICT_H

#include "engine/engine.h"

/* It takes more steps than it may: a hang, or it is only long, and is cut. */
void rd_verdict_limit(struct rd_engine *e);
/* Long before that: they go round. False: they do not, or it cannot be seen. */
bool rd_verdict_round(struct rd_engine *e);
/* Nobody can go on. */
void rd_verdict_deadlock(struct rd_engine *e);
/* Nobody goes on any more: was that because an assumption does not hold? Then the execution is dropped. */
bool rd_verdict_dropped(struct rd_engine *e);
/* The operation that tid just performed breaks the rules of its primitive. */
void rd_verdict_misuse(struct rd_engine *e, rd_tid tid, const struct rd_op *op, const struct rd_result *r);

#endif
