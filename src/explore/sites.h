/*
 * sites.h - selective executions. If a plan tracks a few variables of a program that makes very many accesses, the
 * hooks of code that does not touch these variables are switched off (rt/access/patch.c). A *site* is a place in
 * the code that touches memory (struct rd_site). The hooks of a site are switched off if profile executions have
 * seen it touch other variables only, or if an execution that tracked the same set of variables reached it with
 * hooks on and it touched none of them. A site that was never reached keeps its hooks.
 *
 * In another schedule a site without hooks may touch a tracked variable after all. So some executions are checked:
 * they are run once more under the same plan with all hooks on; the accesses that the first run did not see are
 * then steps at which the thread goes on. Checked are the 2nd, 4th … 64th execution of a set of variables, then
 * every 64th; the 1st, 2nd, 4th … execution of all sets, since there may be many sets; and each execution with a
 * finding. A site that a check shows to touch a tracked variable keeps its hooks for good, and the earlier
 * executions of the set do not count: a search that cannot begin the set again claims nothing.
 *
 * With RD_ACCESSES_AFTER the access after a tracked access is a point, too, and its site counts as one that touches
 * the set. No profile shows these sites, so the first execution of a set has all hooks on. If a site is wrongly
 * without hooks, its point comes too late, and the run with all hooks on may take another course. That run is the
 * one that the plan means, and the first run is discarded.
 */
#ifndef RD_EXPLORE_SITES_H
#define RD_EXPLORE_SITES_H

#include "trace/profile.h"
#include "trace/types.h"

/* Executions with fewer accesses than this are never selective; after the 64th, every 64th is checked. */
enum { RD_SITES_ACCESSES_MIN = 1000000, RD_SITES_CHECK_EVERY = 64 };

struct rd_sites {
    uint64_t set;      /* hash of the variables that the last plan tracked */
    uint64_t passed;   /* the most accesses of one execution that were no points */
    uint64_t runs;     /* selective executions of this set */
    uint64_t all_runs; /* selective executions of all sets */
    bool has_set;      /* `set` is valid */
    bool selective;    /* executions of this set are selective */
    bool given_up;     /* a selective execution never ended: no further set becomes selective */
};

/*
 * Makes a plan that tracks variables (RD_ACCESSES_TRACKED, RD_ACCESSES_AFTER) selective if its executions make many
 * accesses. If plans extend recorded executions (`goes_on`), that is decided once for each set, because a selective
 * execution has the same points but for the yields.
 */
void rd_sites_plan(struct rd_sites *s, struct rd_plan *plan, const struct rd_track *track, struct rd_profile *p,
                   bool goes_on);
/* Notes how many accesses of an execution under this plan were no points. */
void rd_sites_note_accesses(struct rd_sites *s, const struct rd_plan *plan, uint64_t passed);
/* Counts a selective execution. Returns true if it is one to check. */
bool rd_sites_check_is_due(struct rd_sites *s);
/*
 * Decides by the last execution which hooks are on in the next one of this set. Returns the number of sites that
 * were without hooks and touched a tracked variable; they keep their hooks from now on.
 */
uint32_t rd_sites_learn(struct rd_profile *p);
/* Counts the sites without hooks, and the sites whose hooks could not be switched off. */
void rd_sites_count(const struct rd_profile *p, uint32_t *off, uint32_t *fixed);

#endif
