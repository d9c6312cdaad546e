/* run_findings.h - the findings of a search on their way to the report: confirmed, grouped, counted. */
#ifndef RD_CLI_RUN_RUN_FINDINGS_H
#define RD_CLI_RUN_RUN_FINDINGS_H

#include "cli/run/confirm_finding.h"
#include "cli/suppress/late_suppression.h"
#include "report/findings/bug_groups.h"
#include "report/run_report.h"

/* The confirmed findings of a run, the bugs that they are, and its summary. */
struct rd_run_findings {
    struct rd_run run;
    struct rd_confirmed_list list; /* the caller fills in the directory */
    struct rd_finding_groups groups;
    struct rd_report bugs[RD_FOUND_MAX]; /* one for each group, for the formats */
    struct rd_late_suppression suppressed;
    uint32_t searches;    /* that were repeated because of suppressed findings */
    bool left_out, ended; /* of the last search: findings were left out; some of them had ended their executions */
};

/*
 * True if suppressed findings have hidden others from the last search, so that the search has to be repeated
 * without them. `settings`: of the session before its first search.
 */
bool rd_run_findings_repeat(struct rd_run_findings *x, struct rd_session *session,
                            const struct rd_session *settings);
/*
 * Stores and confirms each finding of the search, and groups them. Returns the worst exit status of a finding. pre:
 * the summary (run) is filled in as far as it does not depend on the findings
 */
int rd_run_findings_confirm(struct rd_run_findings *x, struct rd_session *session);
void rd_run_findings_close(struct rd_run_findings *x);

#endif
