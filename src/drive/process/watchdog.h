/*
 * watchdog.h - recognises executions that do not end, and ends them: by a signal whose handler reports a hang, or
 * by SIGKILL. watchdog.c says how long an execution may take.
 */
#ifndef RD_DRIVE_PROCESS_WATCHDOG_H
#define RD_DRIVE_PROCESS_WATCHDOG_H

#include "drive/process/worker.h"

/* The time that an execution may take, in seconds, if --max-seconds is not given. */
enum { RD_EXECUTION_S_MAX = 10 };

/* Checks the running execution. Called every few milliseconds while the process runs. */
void rd_watchdog(struct rd_worker *w, struct rd_watchdog_state *k);
/* The process has ended: notes how long its last execution took, with which later executions are compared. */
void rd_watchdog_ended(struct rd_worker *w, const struct rd_watchdog_state *k);

#endif
