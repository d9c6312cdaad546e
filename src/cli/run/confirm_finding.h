/*
 * confirm_finding.h - the way of a finding from the search to the report: its schedule is stored; a replay in a new
 * process, which also records values and stacks, confirms it; then the schedule is stored again with them.
 */
#ifndef RD_CLI_RUN_CONFIRM_FINDING_H
#define RD_CLI_RUN_CONFIRM_FINDING_H

#include "drive/replay_schedule.h"
#include "drive/session.h"
#include "report/report.h"

struct rd_confirmed {
    struct rd_report
        report; /* its schedule is NULL if the schedule could not be stored: there is nothing to report */
    struct rd_schedule schedule;
    struct rd_replay replay; /* the second execution; the schedule borrows from its result */
    char path[PATH_MAX];     /* of the schedule file */
    char *output;            /* of the program in the replay */
};

/* The findings of a run that were stored, in their order. */
struct rd_confirmed_list {
    struct rd_confirmed findings[RD_FOUND_MAX];
    uint32_t count;
    const char *dir; /* of the schedule files */
};

/*
 * Stores and confirms finding `index` of the session's result, and adds it to the list if its schedule could be
 * stored; the caller then calls rd_confirm_finding_close. `all_seen`: the search saw every access, so its
 * explanation may claim to hold for all executions. Returns the exit status that the finding leads to;
 * RD_EXIT_TROUBLE after a message.
 */
int rd_confirm_finding(struct rd_confirmed_list *to, struct rd_session *s, uint32_t index, bool all_seen);
void rd_confirm_finding_close(struct rd_confirmed *f);

/*
 * After a replay with values and stacks: completes the finding of the schedule with its source line, and with the
 * reason of an abort() as the program has printed it.
 */
void rd_confirm_finding_complete(struct rd_report *report, struct rd_schedule *schedule,
                                 const struct rd_run_result *result);

#endif
