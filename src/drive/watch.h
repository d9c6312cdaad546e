/* watch.h - executions that do not end: when that is certain enough, and what is done then. */
#ifndef RD_WATCH_H
#define RD_WATCH_H

#include "drive/worker.h"

/* What an execution may take, in seconds, where nobody has said. */
enum { RD_EXECUTION_S_MAX = 10 };

/* Looks after the running execution; called every few milliseconds. */
void rd_watch(struct rd_worker *w, struct rd_vigil *k);
/* The process of one execution has ended: how long they take is known from those. */
void rd_watch_ended(struct rd_worker *w, const struct rd_vigil *k);

#endif
