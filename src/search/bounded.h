/*
 * bounded.h - the base of bounded searches over a tree of deltas (delta_tree.h): `icb`, `delay` and `best`. Each
 * execution has a cost (preemptions or delays), the search covers everything up to a bound, bound after bound, and
 * claims the largest bound that is finished (bound.h). The base has the tree, the limit that the user has set, how
 * far the search has come, and all that a team needs.
 *
 * In a team a worker's level is the bound of the next execution that it has (team/team.h): a bound is finished when
 * the team has gone on to a later level.
 */
#ifndef RD_SEARCH_BOUNDED_H
#define RD_SEARCH_BOUNDED_H

#include "search/bound.h"
#include "search/delta_tree.h"

struct rd_bounded {
    struct rd_delta_tree tree; /* first: tests look at it */
    struct rd_bound bound;     /* of this worker alone */
    struct rd_team *team;      /* NULL: alone */
    int64_t limit;             /* the largest cost that is run; -1: any */
    uint32_t most;             /* the largest cost of an execution so far */
    uint32_t
        barred;  /* the smallest cost of what a rule beside the bound has left out (icb's `v`); 0: nothing was */
    bool unfair; /* the fairness rule held a thread back in an execution */
};

/* Opens the base in `b`; the parameter `limit` is the largest cost. */
void rd_bounded_open(struct rd_bounded *b, struct rd_arena *a, const struct rd_params *params, const char *limit);
/* Returns whether executions of this cost are run, and notes that something is beyond the limit if not. */
bool rd_bounded_admits(struct rd_bounded *b, uint32_t cost);
/* Counts the execution that has just been, and returns its cost. */
uint32_t rd_bounded_count(struct rd_bounded *b);
/*
 * Notes which bound is finished, after the children of an execution were added. `ordered`: the tree is run in the
 * order of the cost.
 */
void rd_bounded_settle(struct rd_bounded *b, bool ordered);
/* A level of a search in which each cost is one; of a search that is not `ordered` everything is level 0. */
uint64_t rd_bounded_level(const struct rd_bounded *b, bool ordered);
/*
 * Returns what the search has finished: alone, or with all workers. In a team `finished` is the bound that the
 * level of the team says, -1 for none, and `most` the bound that is finished when nothing is left.
 */
struct rd_bound rd_bounded_progress(const struct rd_bounded *b, int64_t finished, int64_t most);

/* Slots of struct rd_search_team_ops, for states that begin with a struct rd_bounded. */
size_t rd_bounded_give(void *state, uint64_t level, void *to, size_t room); /* keys of the tree are levels */
void rd_bounded_take(void *state, const void *unit, size_t size);
size_t rd_bounded_tally(const void *state, void *to, size_t room);
void rd_bounded_merge(void *state, const void *tally, size_t size);

#endif
