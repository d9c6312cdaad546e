/*
 * worker_team.h - runs the search of a session with several workers (search/team/team.h). The first worker begins
 * alone; the others are started once the hub says that the program can be searched, and by default only if the
 * search takes long.
 *
 * The failure of one worker ends the whole team: a worker that died may leave the hub in any state, and a worker in
 * which the program runs differently than in the first one cannot go on with its units. All processes are killed,
 * and the session decides how to go on (retry.h).
 */
#ifndef RD_DRIVE_WORKER_TEAM_H
#define RD_DRIVE_WORKER_TEAM_H

#include "drive/failure.h"
#include "drive/retry.h"
#include "drive/session.h"
#include "search/team/team.h"

/* With `jobs_later` the other workers are started after this time: many searches are over by then. */
#define RD_TEAM_LATER_NS ((uint64_t)200000000)

/* The results of all workers but the first one. */
struct rd_worker_team_results {
    uint32_t count;
    struct rd_worker_team_member {
        struct rd_run_result result;
        enum rd_failure failure;
    } other[RD_TEAM_MAX];
    uint64_t classes;                          /* distinct classes that all workers together have met */
    uint64_t classes_by[RD_PREEMPTION_COUNTS]; /* the same by the fewest preemptions of an execution in the class */
};

/*
 * Runs the session's worker, which is open, and other workers up to session->jobs, until all have ended. Fills in
 * the wait status of the first worker, and the results of the others. Threads get the numbers that they have in the
 * findings of `a`. Returns 0, or -1 with a message. pre: the session has more than one job.
 */
int rd_worker_team_run(struct rd_session *s, const struct rd_attempts *a, int *status,
                       struct rd_worker_team_results *to, struct rd_error *error);
/*
 * Judges the team; `failure` is the judgement of the first worker. If no worker has failed, adds the results of the
 * others to that of the first worker.
 */
enum rd_failure rd_worker_team_add_results(struct rd_run_result *first, const struct rd_worker_team_results *team,
                                           enum rd_failure failure);
void rd_worker_team_free_results(struct rd_worker_team_results *team);

#endif
