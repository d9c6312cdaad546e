/*
 * dpor.h - the state of dynamic partial-order reduction (dpor.c), which the bounded reduction (bpor.c) and the
 * tree of a team (shared_tree.h) use, too.
 *
 * A node of the search has its frontier, the alternatives that are yet to be run, in one of two forms: as a
 * backtrack set of threads (source sets, and the classic reduction), or as a wakeup tree of sequences
 * (`dpor:optimal`, wakeup_tree.c).
 */
#ifndef RD_SEARCH_POR_DPOR_H
#define RD_SEARCH_POR_DPOR_H

#include "search/por/races.h"
#include "search/por/sleep_set.h"
#include "search/por/wakeup_nodes.h"

struct rd_shared_tree_node;

struct rd_dpor {
    struct rd_node_stack stack;
    struct rd_hb_graph graph; /* the happens-before graph of the last execution */
    bool optimal, finished;
    bool fresh;         /* the next execution is the first */
    bool fairness;      /* the fairness rule held threads back in an execution: the claim is void */
    bool sequence_lost; /* a sequence of a wakeup tree could not be followed, or there was no memory for one */
    /* the last execution was ended by its last step (a failed assertion): threads were still enabled */
    bool ended;
    /* the number of executions when a node above the branching point last got a new alternative */
    uint64_t grew;
    struct rd_reversal sequence; /* the other order of the race that is being examined */
    struct rd_races races;
    struct rd_initials initials; /* of `sequence`; source sets only */
    struct rd_wakeup_pool wakeup_pool;
    struct rd_wakeup_node *following; /* the branch of the wakeup tree that the last plan follows; NULL: none */

    /* in a team (shared_tree.h) */
    struct rd_team *team;
    /* plans the next alternative of node n: rd_dpor_go_on, or the function of bpor.c */
    bool (*go_on)(struct rd_dpor *d, struct rd_node *n, struct rd_draft *draft);
    bool bounded; /* a bounded reduction (bpor.c): no sleep sets, and a bound on preemptions */
    bool deepens; /* the bound grows until it leaves out no alternative */
    uint32_t bound;
    uint32_t base;       /* the first nodes of the stack, this many, are copies of nodes of the shared tree */
    uint32_t generation; /* the generation of the shared tree that the copies belong to */
    bool holds;          /* the worker runs a unit, or began the whole search */
    uint64_t executions_before; /* executions of this worker when it began the unit */
    struct {
        RD_VEC(struct rd_shared_tree_node *);
    } above; /* the nodes of the shared tree that have copies at the bottom of the stack, from the root on */
    struct {
        RD_VEC(struct rd_tid_set);
        /* by node of the stack: the sleepers that cover only sequences of which they are an initial (dpor.c) */
    } initials_only;
    /* pending events of threads at the last node, when the last execution does not show them; else NULL */
    const struct rd_event *pending;
    uint32_t pending_count;
};

/* Notes that the node of this step got a new alternative: the tree has grown. */
void rd_dpor_grows(struct rd_dpor *d, uint32_t step);
/* Plans the next alternative of the last node n and returns true; false: n has no alternative left. */
bool rd_dpor_go_on(struct rd_dpor *d, struct rd_node *n, struct rd_draft *draft);
/*
 * Makes `sequence` and `initials` for the other order of the race. Returns false if the events cannot happen in
 * that order.
 */
bool rd_dpor_other_order(struct rd_dpor *d, const struct rd_race *race);
/* Notes that the redundancy of the race's other order rests on the event `at` and the events before it. */
static inline void rd_race_needs(struct rd_race *race, uint32_t at) {
    race->settled = RD_MAX(race->settled, at + 1);
}

/*
 * wakeup_tree.c - wakeup trees (Abdulla, Aronis, Jonsson and Sagonas, POPL 2014): sequences to be run from a node,
 * as an ordered tree. `extra` of a node is the first branch of its tree.
 */
/* Returns whether a thread in the sleep set of node n covers `sequence`: the sequence is redundant. */
bool rd_wakeup_covered(const struct rd_dpor *d, const struct rd_node *n, uint32_t step, struct rd_race *race);
/*
 * Inserts `sequence`, the other order of the race, into the wakeup tree of n, with nodes from the pool `from`.
 * Returns false if a branch of the tree covers it already.
 */
bool rd_wakeup_insert(struct rd_dpor *d, struct rd_race *race, struct rd_node *n, struct rd_wakeup_pool *from);
/*
 * Moves a whole wakeup tree, or only its first branch, from one pool to another (a worker's own and the shared
 * tree's).
 */
struct rd_wakeup_node *rd_wakeup_move(struct rd_wakeup_pool *to, struct rd_wakeup_pool *from,
                                      struct rd_wakeup_node *w);
struct rd_wakeup_node *rd_wakeup_move_first(struct rd_wakeup_pool *to, struct rd_wakeup_pool *from, void **list);
/*
 * Moves the rest of the wakeup tree that the last execution has followed to the nodes that the execution has
 * added, from the branching point on.
 */
void rd_wakeup_follow(struct rd_dpor *d, uint32_t branch);
/* Plans the first branch of the wakeup tree of n, the last node. Returns false if the tree is empty. */
bool rd_wakeup_take(struct rd_dpor *d, struct rd_node *n, struct rd_draft *draft);
/*
 * The same at a choice inside an operation: every way is run, each followed by the branch that is due after that
 * way.
 */
bool rd_wakeup_take_way(struct rd_dpor *d, struct rd_node *n, struct rd_draft *draft);

#endif
