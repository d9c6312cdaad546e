/*
 * resume.h - another process goes on with the search of a process that died. All knowledge of a search is in its
 * arena. The arena can lie in memory that outlives the process (`outlives` of struct rd_loop_env) and has the same
 * address in the next process. While an execution runs, and while a worker waits for its team, no code writes to
 * the arena: a process that dies then leaves it whole. So with any strategy only the execution in which the process
 * died is run again, nothing is counted twice, and the other workers notice no difference.
 *
 * That execution must begin with the steps that it had when the process died (`redo` in the channel). Otherwise the
 * program does not run in this process as it did in the other one, and the knowledge does not hold here.
 */
#ifndef RD_EXPLORE_RESUME_H
#define RD_EXPLORE_RESUME_H

#include "explore/loop.h"

/* Makes a new loop at the beginning of the arena, where rd_resume_find finds it. pre: the arena is empty */
struct rd_loop *rd_resume_open(struct rd_channel *c, struct rd_arena *a, const struct rd_loop_env *env);
/* Returns the loop that another process left in the arena; NULL: it cannot go on in this process. */
struct rd_loop *rd_resume_find(struct rd_channel *c, struct rd_arena *a, const struct rd_loop_env *env);
/* Allows another process to go on from here (phases RUN and WAIT), or forbids it (phase SEARCH). */
void rd_resume_mark(struct rd_loop *l, enum rd_phase phase);
/*
 * Returns true if the execution that was run again began with the same steps. If not, clears summary.end: the
 * driver begins the search again.
 */
bool rd_resume_check_repeat(struct rd_loop *l);

#endif
