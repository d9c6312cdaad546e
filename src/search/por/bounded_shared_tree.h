/*
 * bounded_shared_tree.h - the upper part of the search tree of `icb:sleep` (bpor.c: sleep sets under a bound on
 * preemptions), in the hub of a team (team/team.h). As in shared_tree.h, nodes in the hub belong to no worker, a
 * worker takes one alternative of such a node, a unit, and moves the upper nodes of its stack into the hub when
 * other workers wait.
 *
 * A thread may sleep at a node only if nothing below its alternative was left out because of the bound, and what is
 * left out below a node is left out below all nodes above. So an alternative is *open* until it is finished, or
 * until something is left out below it: from then on it never sleeps. The next alternative of a node is begun when
 * none is open. Then exactly the threads sleep that would sleep with one worker, and the team runs the same
 * executions.
 *
 * If the bound leaves nothing out, one worker would run everything under that rule. So when the team has run some
 * executions of a bound and nothing was left out, the next alternative may be begun although the one before is
 * open, on the assumption that it will sleep. If nothing is ever left out, the assumption was right, and the
 * executions are those of one worker. If something is, the team begins this bound again (`careful`) and assumes
 * nothing; only then does it run more executions than one worker.
 *
 * All of it lies in the hub. It is read and written under the hub's lock, except for single words that tell how far
 * the search is.
 */
#ifndef RD_SEARCH_POR_BOUNDED_SHARED_TREE_H
#define RD_SEARCH_POR_BOUNDED_SHARED_TREE_H

#include "search/por/dpor.h"
#include "search/team/team.h"

struct rd_bounded_tree_node {
    /* `done`: alternatives that were begun; `sleep`: threads that sleep in what is begun next */
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
    /* changes with each bound, and when a bound begins again: units of earlier generations are void */
    uint32_t generation;
    uint32_t bound;
    int32_t proved;    /* the largest bound that is finished; -1: none */
    uint32_t left_out; /* an alternative was left out because of the bound */
    uint32_t growing;  /* units that were begun at the root are not finished */
    uint32_t relied;   /* a thread sleeps whose alternative is open */
    uint32_t careful;  /* no open alternative may be assumed to sleep */
    uint32_t voids;    /* enum rd_bounded_tree_void, of all executions */
    uint64_t began;    /* executions of the team before this generation */
    struct rd_bounded_tree_node *nodes, *unused;
};

/* Why the claim is void: the fairness rule held a thread back; a signal was sent to the whole process. */
enum rd_bounded_tree_void { RD_BOUNDED_TREE_FAIRNESS = 1, RD_BOUNDED_TREE_UNDIRECTED = 2 };

/* What one worker keeps of the tree. */
struct rd_bounded_tree_part {
    struct rd_dpor *d; /* its stack, graph and bound, and how it takes the next alternative of a node */
    /* something was left out in the worker's own part of the stack, and the nodes in the hub know */
    bool told;
    struct {
        RD_VEC(struct rd_bounded_tree_node *);
    } above; /* the nodes in the hub whose copies are at the bottom of the stack */
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
 * Tells the nodes in the hub if this execution left something out. pre: the execution is on the stack, with its
 * sleep sets.
 */
void rd_bounded_tree_note(struct rd_bounded_tree_part *v, const struct rd_record *r);
/* Tells the team that the claim is void (a set of enum rd_bounded_tree_void). */
void rd_bounded_tree_void(const struct rd_dpor *d, uint32_t voids);
/*
 * Returns the next thread to be run from a node: first the thread of the step before, then in ascending order;
 * RD_TID_NONE: none. Sets *beyond, unless NULL, if a thread is left out because of the bound.
 */
rd_tid rd_bounded_tree_thread(const struct rd_node *n, const rd_tid *cand, uint32_t bound, bool *beyond);

#endif
