/*
 * node_stack.h - the path of the last execution as a stack of nodes, one for each step, for depth-first searches
 * that decide at each node which of its alternatives are run.
 *
 * A node is a choice among threads, or a choice inside an operation (`value`). All alternatives of the latter are
 * run; of the former the threads in `todo` that are not in the sleep set when their turn comes.
 */
#ifndef RD_SEARCH_POR_NODE_STACK_H
#define RD_SEARCH_POR_NODE_STACK_H

#include "base/tid_set.h"
#include "search/search.h"

struct rd_node {
    struct rd_choice choice; /* taken here in the last execution */
    uint32_t cand, count;    /* `cand`: the first candidate in the pool; `count`: candidates, or ways */
    uint32_t tried;          /* of a `value` node: ways that were tried */
    uint16_t first_way;
    uint32_t preemptions; /* of the execution before this step */
    uint32_t explored;    /* finished alternatives: all executions below them were run */
    rd_tid before;        /* the thread of the step before; at the first step the thread of that step */
    bool value, forced;
    bool could_stay; /* `before` was enabled here */
    /* the bound has left out an alternative here, or an execution below an alternative before the last one */
    bool cut;
    bool cut_below;             /* the bound has left out an execution below the last alternative */
    uint64_t executions_before; /* executions when the last alternative was begun */
    uint64_t below;             /* executions of all alternatives before the last one */
    void *extra;                /* owned by the search: the wakeup tree of optimal DPOR */
    struct rd_tid_set todo;  /* the backtrack set: all threads to be run from here, including the ones in `done` */
    struct rd_tid_set done;  /* threads that were run from here */
    struct rd_tid_set sleep; /* the sleep set: threads that need not be run from here */
};

struct rd_node_stack {
    struct rd_arena *arena;
    struct {
        RD_VEC(struct rd_node);
    } node;
    struct {
        RD_VEC(rd_tid);
    } pool;
    bool bare; /* `todo` and `done` stay empty: wakeup trees replace them */
    uint64_t executions;
    uint32_t branch; /* the step at which the last execution differs from the one before */
};

/*
 * Adds the steps of the execution from the branching point on as nodes; a new node has the thread that was taken in
 * `todo` and `done`.
 */
void rd_node_stack_push(struct rd_node_stack *s, const struct rd_record *r);
/*
 * Returns whether the plan leads to the branching point of the stack: the prefix that must be followed (without its
 * soft part) ends there. A new search has neither.
 */
bool rd_node_stack_follows(const struct rd_node_stack *s, const struct rd_plan *plan);
/* Removes the last node. */
void rd_node_stack_pop(struct rd_node_stack *s);
static inline struct rd_node *rd_node_stack_top(struct rd_node_stack *s) {
    return s->node.count ? &s->node.at[s->node.count - 1] : NULL;
}
static inline bool rd_node_has(const struct rd_node_stack *s, const struct rd_node *n, rd_tid tid) {
    for (uint32_t i = 0; !n->value && i < n->count; i++)
        if (s->pool.at[n->cand + i] == tid)
            return true;
    return false;
}
/* Returns the preemptions that taking the thread at this node costs: 0 or 1. */
static inline uint32_t rd_node_cost(const struct rd_node *n, rd_tid tid) {
    return n->could_stay && tid != n->before;
}
/* Notes that the alternative last taken at the last node is finished, and counts its executions. */
void rd_node_stack_finished(struct rd_node_stack *s);
/* Returns the next untried way of a `value` node in *way; false: all were tried, or the fair tail chose here. */
bool rd_node_next_way(struct rd_node *n, uint16_t *way);
/* Plans the path to the last node, with `pick` taken there. */
void rd_node_stack_take(struct rd_node_stack *s, uint16_t pick, struct rd_draft *d);
/* Returns the estimated number of executions below node `first`, or of the whole search. */
double rd_node_stack_estimate_from(const struct rd_node_stack *s, uint32_t first);
double rd_node_stack_estimate(const struct rd_node_stack *s);

#endif
