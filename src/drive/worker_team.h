/*
 * team.h - several workers on the search of a session (search/team/team.h): the first one begins; when it is known
 * that the program can be searched, and there is enough to do, the others are started. Afterwards the first one's
 * channel has what all of them found.
 *
 * What is odd with several may be so because there are several: one has died, or the program does not run in them
 * as it does in the first. Then all are ended, and what is to be done is decided elsewhere (restart.h).
 */
#ifndef RD_DRIVE_WORKER_TEAM_H
#define RD_DRIVE_WORKER_TEAM_H

#include "drive/restart.h"

/* A search that is over by then has no use for more workers than one. */
#define RD_TEAM_LATER_NS ((uint64_t)200000000)

/*
 * Runs the session's worker, which is open, and as many more as the session says; `status` is the first one's wait
 * status. Returns 0, or -1 with a message. Fills in the session's `jobs`. If anything was odd, the first one's
 * channel has what it has itself, and findings of the others that show again are in `past`.
 */
int rd_team_run(struct rd_session *s, struct rd_saved_findings *past, int *status, enum rd_failure *odd,
                struct rd_error *error);

/* merge.c: adds what another worker counted, but for the orders; and its findings, those that are not known. */
void rd_merge_summary(struct rd_summary *to, const struct rd_summary *from);
void rd_merge_findings(struct rd_channel *to, struct rd_channel *from);
/* One of them; and the numbers of threads, where `from` has more. */
void rd_merge_finding(struct rd_channel *to, struct rd_channel *from, const struct rd_found *f);
void rd_merge_paths(struct rd_channel *to, const struct rd_channel *from);

#endif
