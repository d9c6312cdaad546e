/*
 * refine.h - after a search: every schedule that was kept is made simpler and explained, as far as the budget goes
 * (config.minimise_*). Nothing of it counts as an execution of the search. What was kept stays until there is
 * something better.
 */
#ifndef RD_REFINE_H
#define RD_REFINE_H

#include "search/loop.h"

void rd_refine(struct rd_channel *c, struct rd_arena *a, const struct rd_loop_env *env);

#endif
