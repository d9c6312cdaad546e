/* outcomes_option.h - the options --outcomes and --expect-output of raddle run. */
#ifndef RD_CLI_RUN_OUTCOMES_OPTION_H
#define RD_CLI_RUN_OUTCOMES_OPTION_H

#include "drive/session.h"
#include "report/run_report.h"

/* Reads the file of --expect-output into the session. False after a message. */
bool rd_outcomes_option_expect(struct rd_session *s, const char *file);
/*
 * Stores a schedule for each outcome in the directory `dir`, and fills in the run's list of outcomes. `exhaustive`:
 * a search of this strategy that ends by itself has met every outcome. Returns 0, or the exit status after a
 * message.
 */
int rd_outcomes_option_store(struct rd_session *s, const char *dir, bool exhaustive, struct rd_run *run);

#endif
