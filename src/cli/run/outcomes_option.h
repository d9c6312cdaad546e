/* outcomes.h - raddle run --outcomes and --expect-output. */
#ifndef RD_CLI_RUN_OUTCOMES_OPTION_H
#define RD_CLI_RUN_OUTCOMES_OPTION_H

#include "drive/session.h"
#include "report/run_report.h"

/* Reads the file of --expect-output. False: what is wrong has been said. */
bool rd_expect_output(struct rd_session *s, const char *file);
/* Stores a schedule for each outcome, and fills in the run's list of them. An exit status. */
int rd_outcomes_show(struct rd_session *s, const char *dir, bool exhaustive, struct rd_run *run);

#endif
