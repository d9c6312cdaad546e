/*
 * sites.h - selective executions. Where a plan tracks a few variables of a program that makes very many accesses,
 * the code that does not touch them is switched off (rt/access/patch.c): the places in the code that profile
 * executions have seen, with other variables only, and those that were reached and asked in an execution of the
 * same plan's variables without touching one. Code that was never reached is on.
 *
 * Such code may touch a tracked variable in another schedule. So some executions (the 2nd, 4th … 64th of a set of
 * variables, then every 64th; the 1st, 2nd, 4th … of all, since there may be many sets; and each with a finding)
 * are run once more with everything on, under the same plan: the accesses that had been off are then steps at which
 * the thread simply goes on. What is noticed so is on from then on for good, and the executions of the set before
 * do not count: a search that cannot begin it again claims nothing.
 *
 * Where the access after one to a tracked variable is a point, too (RD_ACCESSES_AFTER), the place of that access
 * counts as one that touches it. No profile tells which those are: the first execution of a set has everything on.
 * When code was wrongly off, the point came later than it should have, so the execution with everything on may go
 * another way: it is one of the plan itself, and the other one is forgotten.
 */
#ifndef RD_EXPLORE_SITES_H
#define RD_EXPLORE_SITES_H

#include "trace/profile.h"
#include "trace/types.h"

/* Accesses of an execution from which on it is worth the trouble. */
enum { RD_SITES_WORTH = 1000000, RD_SITES_EVERY = 64 };

struct rd_sites {
    uint64_t set;      /* what the last plan tracks, as a hash */
    uint64_t passed;   /* accesses of an execution that were no points, at most */
    uint64_t runs;     /* selective executions of that set */
    uint64_t all_runs; /* … of all sets */
    bool some;         /* there was such a plan */
    bool selective;    /* code is switched off for that set */
    bool given_up;     /* it has kept an execution from ending: no more */
};

/*
 * A plan that tracks (RD_ACCESSES_TRACKED, RD_ACCESSES_AFTER) becomes a selective one, if that is worth it. Decided
 * once for a set, where executions go on from what was recorded of others (`goes_on`): its points are the same, but
 * for the yields.
 */
void rd_sites_plan(struct rd_sites *s, struct rd_plan *plan, const struct rd_track *track, struct rd_profile *p,
                   bool goes_on);
/* An execution that tracks was run: so many of its accesses were no points. */
void rd_sites_ran(struct rd_sites *s, const struct rd_plan *plan, uint64_t passed);
/* A selective execution has been run: is it to be run once more with everything on? */
bool rd_sites_due(struct rd_sites *s);
/* What it showed. Returns how many places touched what is tracked although they were off; they are on now. */
uint32_t rd_sites_learn(struct rd_profile *p);
/* How many are off, and how many could not be switched off. */
void rd_sites_count(const struct rd_profile *p, uint32_t *off, uint32_t *fixed);

#endif
