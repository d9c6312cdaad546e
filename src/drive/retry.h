/*
 * retry.h - repeats a search that has failed. The counts and claims of a failed search cannot be trusted and are
 * thrown away. A finding can be checked, since it has a schedule: it is kept if a new process, which has no memory
 * in common with the search, shows it again under that schedule.
 */
#ifndef RD_DRIVE_RETRY_H
#define RD_DRIVE_RETRY_H

#include "drive/failure.h"
#include "drive/session.h"

/* The state that a session carries from one attempt to the next. */
struct rd_attempts {
    struct rd_run_result saved; /* the findings of failed attempts that were kept */
    bool has_saved;
    uint64_t begun_ns; /* when the first attempt began */
    uint64_t used_ns;  /* time from then to the end of the last failed attempt */
    uint32_t deaths;   /* attempts that failed because a worker died, and after which isolation stayed the same */
};

/*
 * Changes the settings of the session for the next attempt. If memory has turned out to be shared the settings
 * stay, and there are more points; if fork cannot isolate the program it is exec isolation, whatever time is left.
 * Else: a process for each execution, if one process ran all executions when the search failed; then one more
 * attempt with the same number of workers; then one worker. Returns false if no setting is left to change, or no
 * time for another attempt.
 */
bool rd_retry_change(struct rd_session *s, enum rd_failure failure, const struct rd_run_result *r,
                     struct rd_attempts *a);
/* Keeps the findings of a result whose schedules show them again. */
void rd_retry_keep_findings(struct rd_attempts *a, const struct rd_session *s, struct rd_run_result *r);
/* Adds the kept findings to the result of the last attempt. */
void rd_retry_recall_findings(struct rd_attempts *a, struct rd_run_result *r);

#endif
