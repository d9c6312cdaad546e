/* watchdog.h - executions that do not end: when that is certain enough, and what is done then. */
#ifndef RD_DRIVE_PROCESS_WATCHDOG_H
#define RD_DRIVE_PROCESS_WATCHDOG_H

#include "drive/process/worker.h"

/* What an execution may take, in seconds, where nobody has said. */
enum { RD_EXECUTION_S_MAX = 10 };

/* Looks after the running execution; called every few milliseconds. */
void rd_watchdog(struct rd_worker *w, struct rd_watchdog_state *k);
/* The process of one execution has ended: how long they take is known from those. */
void rd_watchdog_ended(struct rd_worker *w, const struct rd_watchdog_state *k);

#endif
