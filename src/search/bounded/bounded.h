/*
 * bounded.h - the base of bounded searches over a tree of deltas (delta_tree.h): `icb`, `delay` and `best`. Each
 * execution has a cost, its preemptions or delays. The search covers all executions up to a bound, bound after
 * bound, and claims the largest bound that is finished (bound.h). The base has the tree, the limit that the user
 * has set, the progress, and the slots for a team. (`idfs` bounds the depth of dfs.h, and `bpor` the preemptions of
 * a reduction: they have another tree, and share only bound.h or the way in which a bound is deepened.)
 *
 * In a team a worker's level is the bound of the next execution that it has (team/team.h): a bound is finished
 * when the team has gone on to a later level.
 */
#ifndef RD_SEARCH_BOUNDED_BOUNDED_H
#define RD_SEARCH_BOUNDED_BOUNDED_H

#include "search/bounded/bound.h"
#include "search/bounded/delta_tree.h"

struct rd_bounded {
    struct rd_delta_tree tree; /* first: tests look at it */
    struct rd_bound bound;     /* of this worker alone */
    struct rd_team *team;      /* NULL: alone */
    int64_t limit;             /* the largest cost of executions that are run; -1: any */
    uint32_t most;             /* the largest cost of an execution so far */
    /*
     * the smallest cost of the executions that a rule beside the bound has left out (icb's `v`); 0: there is none
     */
    uint32_t barred;
    bool unfair; /* the fairness rule held a thread back in an execution */
};

/* Opens the base in `b`. `limit` is the name of the parameter that is the largest cost. */
void rd_bounded_open(struct rd_bounded *b, struct rd_arena *a, const struct rd_params *params, const char *limit);
/* Returns whether executions of this cost are run. If not, notes that an execution is beyond the limit. */
bool rd_bounded_admits(struct rd_bounded *b, uint32_t cost);
/*
 * Counts the execution that was run last, and returns its cost. pre: a plan was written, and rd_delta_tree_done is
 * yet to be called.
 */
uint32_t rd_bounded_count(struct rd_bounded *b);
/*
 * Notes which bound is finished. pre: the children of the last execution were added, and rd_delta_tree_done was
 * called. `ordered`: the tree is run in the order of the cost.
 */
void rd_bounded_settle(struct rd_bounded *b, bool ordered);
/* Returns the bound, or the largest one below it up to which no execution was given up for lack of memory. */
int64_t rd_bounded_kept(const struct rd_bounded *b, int64_t bound);
/*
 * As rd_delta_tree_claim, for a tree that is run in the order of the cost: the claim is incomplete only if no bound
 * was finished before executions were given up. A team knows only that there were some.
 */
void rd_bounded_claim(const struct rd_bounded *b, struct rd_claim *c);
/*
 * Returns the level of the next execution: its cost, or 0 if the search is not `ordered`; RD_LEVEL_NONE: there is
 * none.
 */
uint64_t rd_bounded_level(const struct rd_bounded *b, bool ordered);
/*
 * Returns the progress of the search: of this worker if it is alone, else of its team. In a team `finished` is the
 * bound that is finished when the team is at its present level (-1: none), and `most` the bound that is finished
 * when the search of the team is done.
 */
struct rd_bound rd_bounded_progress(const struct rd_bounded *b, int64_t finished, int64_t most);

/* Slots of struct rd_search_team_ops, for states that begin with a struct rd_bounded. */
/* pre: the keys of the tree are levels */
size_t rd_bounded_give(void *state, uint64_t level, void *to, size_t room);
void rd_bounded_take(void *state, const void *unit, size_t size);
size_t rd_bounded_tally(const void *state, void *to, size_t room);
void rd_bounded_merge(void *state, const void *tally, size_t size);

#endif
