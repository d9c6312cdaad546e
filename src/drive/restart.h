/*
 * restart.h - the search of a session, begun again when that has to be: where a worker that died cannot be replaced
 * (replace_worker.h) or has had its memory damaged by the program, or where several differ. What such a search has
 * counted and claimed is worth nothing. A finding is: it has a schedule, and it is kept when that shows it again in
 * a new process, which knows nothing of the search.
 *
 * What is different the next time: a process for each execution, when all were in the one that died; then one more
 * try with as many workers; then one worker. Then it is trouble, told with the findings that there are.
 */
#ifndef RD_DRIVE_RESTART_H
#define RD_DRIVE_RESTART_H

#include "drive/session.h"

/* What was wrong with a search. */
enum rd_failure {
    RD_FAILURE_NOT,
    RD_FAILURE_DIED,   /* a worker has ended without a word */
    RD_FAILURE_BROKEN, /* the program has written into the memory of the search */
    RD_FAILURE_TEAM,   /* anything else, with several workers */
    RD_FAILURE_SHARED, /* nothing: memory has turned out to be shared, so there are more points (trace/sharing.h) */
};

/* What was wrong with one worker, whose process has ended. */
enum rd_failure rd_failure_alone(const struct rd_worker *w);

/* Findings of workers that are not used any more. */
struct rd_saved_findings {
    struct rd_worker kept; /* is never started: its channel has them */
    bool is_open;
};

/* Keeps those findings of the worker that show again. */
void rd_saved_findings_keep(struct rd_saved_findings *p, const struct rd_session *s, struct rd_worker *w);
/* Threads have in this channel the numbers that they have in the schedules that are kept. */
void rd_saved_findings_numbers(const struct rd_saved_findings *p, struct rd_channel *c);
/* What they found and was not met again since is found all the same; nothing is kept any more. */
void rd_saved_findings_recall(struct rd_saved_findings *p, struct rd_channel *c);

/*
 * Runs the search with the session's worker, which is open, and as many more as the session says, as often as it
 * takes; `status` is the wait status of the session's worker. Returns 0, or -1 with a message. Fills in the
 * session's `jobs`, `isolation` when it is no longer the one that was wanted, `one_worker` and `fell_back`.
 */
int rd_restart_run(struct rd_session *s, int *status, struct rd_error *error);

#endif
