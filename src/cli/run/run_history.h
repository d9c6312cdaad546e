/* run_history.h - how far the search of raddle run had come from time to time, for documents that draw it. */
#ifndef RD_CLI_RUN_RUN_HISTORY_H
#define RD_CLI_RUN_RUN_HISTORY_H

#include "report/run_report.h"
#include "result/progress.h"
#include "result/run_result.h"

/* Switches the record on. */
void rd_run_history_begin(void);
/* Names a function that is called with each progress, too. */
void rd_run_history_pass_on(void (*next)(const struct rd_progress *p));
/* What the session calls during the search (rd_session.tick); NULL: nobody wants to know. */
void (*rd_run_history_tick(void))(const struct rd_progress *p);
/* The moments of the search with this result; with --coverage they are its samples. Returns their number. */
uint32_t rd_run_history(const struct rd_run_result *r, const struct rd_run_moment **to);

#endif
