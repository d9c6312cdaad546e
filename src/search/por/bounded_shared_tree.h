/*
 * bounded_shared_tree.h - the upper part of the search tree of `icb:sleep` (bpor.c: sleep sets under a bound on
 * preemptions), in the hub of a team (team/team.h). As in shared_tree.h, nodes in the hub belong to no worker. A
 * worker takes one alternative of such a node, a unit, and moves the upper nodes of its stack into the hub when
 * other workers wait.
 *
 * The bound *cuts* an alternative if it leaves out an execution below it. A cut below a node is a cut below all
 * nodes above it, too. A thread may sleep at a node only if its alternative is finished without a cut. So an
 * alternative is *open* until it is finished or cut; once it is cut, its thread never sleeps there. The next
 * alternative of a node is begun when none is open. Then exactly the threads sleep that would sleep with one
 * worker, and the team runs the same executions.
 *
 * In a tree without cuts each alternative would be open until it is finished: under that rule alone, one worker
 * would run all of it. So when the team has run some executions of a bound without a cut, the next alternative may
 * be begun although the previous one is open, on the assumption that the previous one will sleep. If there is
 * never a cut, the assumption was right, and the executions are those of one worker. If there is one, the team
 * begins this bound again without the assumption (`careful`); only then does it run more executions than one
 * worker.
 *
 * The whole tree lies in the hub, under the hub's lock, except for single words about the progress of the search,
 * which are accessed atomically.
 */
#ifndef RD_SEARCH_POR_BOUNDED_SHARED_TREE_H
#define RD_SEARCH_POR_BOUNDED_SHARED_TREE_H

#include "search/por/dpor.h"
#include "search/team/team.h"

struct rd_bounded_tree_node {
    /* `done`: alternatives that were begun; `sleep`: threads that sleep in the next alternative */
    struct rd_node node;
    struct rd_choice via; /* the choice that leads here from the parent */
    /* `next` and `before`: neighbours in the list of all nodes */
    struct rd_bounded_tree_node *parent, *next, *before;
    rd_tid *cand;
    uint32_t cand_room;
    uint32_t depth, active; /* `active`: units begun here and shared children that are not finished */
    rd_tid open;            /* the open alternative; RD_TID_NONE: none */
};

struct rd_bounded_tree {
    struct rd_arena arena;
    /* increases with each bound, and when a bound begins again: units of earlier generations are void */
    uint32_t generation;
    uint32_t bound;
    int32_t proved;    /* the largest bound that is finished; -1: none */
    uint32_t left_out; /* the bound has cut an alternative */
    uint32_t growing;  /* units that were begun at the root are not finished */
    uint32_t relied;   /* an open alternative was assumed to sleep */
    uint32_t careful;  /* no open alternative may be assumed to sleep */
    uint32_t voids;    /* enum rd_bounded_tree_void, of all executions */
    uint64_t began;    /* executions of the team before this generation */
    struct rd_bounded_tree_node *nodes, *unused;
};

/* Why the claim is void: the fairness rule held a thread back; a signal was sent to the whole process. */
enum rd_bounded_tree_void { RD_BOUNDED_TREE_FAIRNESS = 1, RD_BOUNDED_TREE_UNDIRECTED = 2 };

/* The part of the tree that one worker has. */
struct rd_bounded_tree_part {
    struct rd_dpor *d; /* its stack, graph and bound, and how it takes the next alternative of a node */
    /* the bound has cut an alternative in the worker's own part of the stack, and this is noted in the hub */
    bool cut_noted;
    struct {
        RD_VEC(struct rd_bounded_tree_node *);
    } above; /* the nodes in the hub that have copies at the bottom of the stack, from the root on */
};

static inline struct rd_bounded_tree *rd_bounded_tree_of(const struct rd_dpor *d) {
    return (struct rd_bounded_tree *)((char *)d->team->hub + d->team->hub->tree_at);
}
/* Opens the tree: the first worker begins with the whole search, the others wait for units. */
void rd_bounded_tree_open(struct rd_bounded_tree_part *v, struct rd_dpor *d);
enum rd_next rd_bounded_tree_next(struct rd_bounded_tree_part *v, struct rd_draft *draft);
/* Returns whether the unit of this worker is void because a new generation has begun; then drops the unit. */
bool rd_bounded_tree_stale(struct rd_bounded_tree_part *v);
/*
 * Notes in the hub if the bound has cut an alternative of this execution. pre: the execution is on the stack, with
 * its sleep sets.
 */
void rd_bounded_tree_note(struct rd_bounded_tree_part *v, const struct rd_record *r);
/* Tells the team that the claim is void (a set of enum rd_bounded_tree_void). */
void rd_bounded_tree_void(const struct rd_dpor *d, uint32_t voids);
/*
 * Returns the next thread to be run from a node: first the thread of the step before, then in ascending order;
 * RD_TID_NONE: none. Sets *beyond, unless NULL, if the bound leaves out a thread.
 */
rd_tid rd_bounded_tree_thread(const struct rd_node *n, const rd_tid *cand, uint32_t bound, bool *beyond);

#endif
