/*
 * resume.h - the search of a process that has died goes on in another one. What a search knows is in its arena, and
 * that can be memory that outlives the process (`outlives` of the loop's environment), at the same address in the
 * next one. While an execution runs, or a worker of several waits, nothing of it is being changed: whoever dies
 * then has left it whole. So only the execution that it was in is run again, whatever the strategy is, nothing is
 * counted twice, and the other workers go on as if nothing had been.
 *
 * That execution must begin as it did (`redo` in the channel): else the program does not run in this process as it
 * did in the other one, and what was known is of no use here.
 */
#ifndef RD_EXPLORE_RESUME_H
#define RD_EXPLORE_RESUME_H

#include "explore/loop.h"

/* The loop lies where the arena begins. */
struct rd_loop *rd_resume_open(struct rd_channel *c, struct rd_arena *a, const struct rd_loop_env *env);
/* The one that is to go on. NULL: it cannot. */
struct rd_loop *rd_resume_find(struct rd_channel *c, struct rd_arena *a, const struct rd_loop_env *env);
/* From now on, or no longer, it could go on from here. */
void rd_resume_mark(struct rd_loop *l, enum rd_phase phase);
/* Was the execution that was run again the same, as far as it had come? If not, there is no end, and no trouble. */
bool rd_resume_same(struct rd_loop *l);

#endif
