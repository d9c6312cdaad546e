/* confirm_finding.h - a finding from the search to the report: stored, run again with everything recorded, stored
 * whole. */
#ifndef RD_CLI_RUN_CONFIRM_FINDING_H
#define RD_CLI_RUN_CONFIRM_FINDING_H

#include "drive/replay_schedule.h"
#include "drive/session.h"
#include "report/report.h"

struct rd_shown {
    struct rd_report report; /* schedule NULL: it could not be stored */
    struct rd_schedule schedule;
    struct rd_replay replay; /* the second execution, with everything recorded */
    char path[PATH_MAX];
    char *output;
    uint32_t preemptions, count;
};

/* The exit status that this finding means. Not `all_seen`: nothing is said to be proved about its schedule. */
int rd_finding_open(struct rd_shown *f, struct rd_session *s, uint32_t index, const char *dir, bool all_seen);
void rd_finding_close(struct rd_shown *f);

/* After an execution with everything recorded: source line and message of the finding as far as they are known. */
void rd_finding_complete(struct rd_report *report, struct rd_schedule *schedule,
                         const struct rd_run_result *result);
/* What the tested program printed; to be freed. */
char *rd_output_text(const struct rd_worker *w, size_t *size, size_t *cut);
struct rd_look rd_look_for(FILE *out, int colour);

#endif
