/*
 * retry.h - what the session does about a search that failed. What such a search has counted and claimed is worth
 * nothing. A finding is worth something: it has a schedule, and it is kept if a new process, which knows nothing of
 * the search, shows it again under that schedule.
 */
#ifndef RD_DRIVE_RETRY_H
#define RD_DRIVE_RETRY_H

#include "drive/failure.h"
#include "drive/session.h"

/* What is remembered from one attempt of a session to the next. */
struct rd_attempts {
    struct rd_run_result saved; /* findings of attempts that failed */
    bool has_saved;
    uint64_t begun_ns, used_ns; /* when the first attempt began, and the time of all that failed */
    uint32_t deaths;
};

/*
 * Changes the settings of the session for the next attempt: a process for each execution, if one process ran all
 * executions when it died; then one more attempt with as many workers; then one worker. Returns false if nothing is
 * left to change.
 */
bool rd_retry_change(struct rd_session *s, enum rd_failure failure, const struct rd_run_result *r,
                     struct rd_attempts *a);
/* Keeps those findings of the result whose schedules show them again. */
void rd_retry_keep_findings(struct rd_attempts *a, const struct rd_session *s, struct rd_run_result *r);
/* Adds the findings that were kept to the result of the last attempt. */
void rd_retry_recall_findings(struct rd_attempts *a, struct rd_run_result *r);

#endif
