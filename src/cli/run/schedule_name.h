/*
 * schedule_name.h - the names of the schedule files that `raddle run` stores: PROGRAM.KIND.WHAT.HASH.sched, for
 * example bank.assertion.main.3f9a1c20.sched.
 *
 * WHAT is the variable or function that the finding is about. HASH is of the identity of the finding and of the
 * command, so another finding or another argument gets another file, and the same finding of the same command gets
 * its own again. All parts are safe as words of a shell and as names on any file system.
 */
#ifndef RD_CLI_RUN_SCHEDULE_NAME_H
#define RD_CLI_RUN_SCHEDULE_NAME_H

#include "report/report.h"
#include "result/run_result.h"

enum { RD_SCHEDULE_NAME = 192 };

/* The name for the schedule of a finding, without the directory. `number`: 1, or more if that name is taken in this
 * run. */
void rd_schedule_name(const struct rd_report *r, unsigned number, char to[RD_SCHEDULE_NAME]);
/* The name for the schedule of one way in which executions end (--outcomes): PROGRAM.outcome.HASH.sched. */
void rd_schedule_name_ending(const struct rd_schedule *s, const struct rd_ending *e, const char *text,
                             char to[RD_SCHEDULE_NAME]);

#endif
