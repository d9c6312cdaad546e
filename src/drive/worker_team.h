/*
 * worker_team.h - several workers on the search of a session (search/team/team.h). The first worker begins alone.
 * The others are started once it is known that the program can be searched and that there is enough to do.
 *
 * If one of several workers fails, that may be so because there are several: one has died, or the program does not
 * run in it as it does in the first. Then all are ended, and the session decides what to do (retry.h).
 */
#ifndef RD_DRIVE_WORKER_TEAM_H
#define RD_DRIVE_WORKER_TEAM_H

#include "drive/failure.h"
#include "drive/retry.h"
#include "drive/session.h"
#include "search/team/team.h"

/* A search that is over by then has no use for a second worker. */
#define RD_TEAM_LATER_NS ((uint64_t)200000000)

/* The results of the workers beside the first one. */
struct rd_team_results {
    uint32_t count;
    struct rd_team_member {
        struct rd_run_result result;
        enum rd_failure failure;
    } other[RD_TEAM_MAX];
    uint64_t classes;                          /* distinct classes that all workers together have met … */
    uint64_t classes_by[RD_PREEMPTION_COUNTS]; /* … by the fewest preemptions of an execution in them */
};

/*
 * Runs the session's worker, which is open, and as many more as the session says, until all have ended. Fills in
 * the wait status of the first one, and the results of the others. `a` has the numbers of threads that must stay.
 * Returns 0, or -1 with a message.
 */
int rd_team_run(struct rd_session *s, const struct rd_attempts *a, int *status, struct rd_team_results *to,
                struct rd_error *error);
/*
 * Judges the team, of which `failure` says how the first worker ended. If nothing has failed, the results of the
 * others are added to that of the first worker.
 */
enum rd_failure rd_team_add_results(struct rd_run_result *first, const struct rd_team_results *team,
                                    enum rd_failure failure);
void rd_team_free_results(struct rd_team_results *team);

#endif
