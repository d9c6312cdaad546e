/* dpor.h - the state of partial-order reduction, shared by its two ways of remembering what is due. */
#ifndef RD_SEARCH_POR_DPOR_H
#define RD_SEARCH_POR_DPOR_H

#include "search/por/reversal.h"
#include "search/por/sleep_set.h"
#include "search/por/wakeup_nodes.h"

/* Two events of the trail that depend on each other and that could come the other way round. */
struct rd_race {
    uint32_t first, second;
    /*
     * That its other order is nothing new follows from so many of the first events: for an execution that begins
     * with them it need not be looked at again. UINT32_MAX: it is new, or that follows from all events.
     */
    uint32_t settled;
};

struct rd_shared_tree_node;

struct rd_dpor {
    struct rd_node_stack stack;
    struct rd_hb_graph trail; /* of the last execution */
    bool optimal, finished;
    bool fresh;    /* the next execution is the first */
    bool fairness; /* threads were held back */
    bool astray;   /* a sequence that was due could not be followed */
    bool ended;    /* the last execution, by its last step: not everybody was blocked or done */
    uint64_t grew; /* how many executions there were when something new was due above the last branch */
    struct rd_reversal sequence; /* the other order of the race that is looked at */
    struct {
        RD_VEC(struct rd_race);
    } races; /* of the trail, those of pending events included, by their second event */
    struct {
        RD_VEC(rd_tid);
    } initials; /* threads that can begin it; with source sets only */
    struct rd_wakeups wakeups;
    struct rd_wakeup *following; /* the sequence that the last plan follows */

    /* in a team (shared_tree.h) */
    struct rd_team *team;
    bool (*go_on)(struct rd_dpor *d, struct rd_node *n, struct rd_draft *draft); /* as rd_dpor_go_on */
    bool bounded; /* nobody sleeps, and there is a bound on preemptions: see bpor.c … */
    bool deepens; /* … which grows until nothing is left out */
    uint32_t bound;
    uint32_t base;       /* nodes of the stack before this one are in the grove … */
    uint32_t generation; /* … of this generation */
    bool holds;          /* it has a unit, or the whole search */
    uint64_t since;      /* executions of this worker before that */
    struct {
        RD_VEC(struct rd_shared_tree_node *);
    } above; /* those nodes */
    struct {
        RD_VEC(struct rd_tid_set);
    } soft;                         /* by node: of those that sleep, see dpor.c; empty: none is */
    const struct rd_event *pending; /* what threads are about to do, where the last execution does not tell */
    uint32_t pending_count;
};

/* Something new is due at the node of this step. */
void rd_dpor_grows(struct rd_dpor *d, uint32_t step);
/* Goes on from the last node, if anything is left to be done there. */
bool rd_dpor_go_on(struct rd_dpor *d, struct rd_node *n, struct rd_draft *draft);
/* Makes the sequence that is the other order of the race. False: there is no such order. */
bool rd_dpor_other_order(struct rd_dpor *d, const struct rd_race *race);
/* Something follows from event `at` and those before it. */
static inline void rd_race_needs(struct rd_race *race, uint32_t at) {
    race->settled = RD_MAX(race->settled, at + 1);
}

/*
 * wakeup_tree.c - sequences that are due, as a tree below each node (optimal reduction). A node's first branch is
 * the one that the last execution took.
 */
/* Does something that sleeps at the node cover the sequence? */
bool rd_wakeup_covered(const struct rd_dpor *d, const struct rd_node *n, uint32_t step, struct rd_race *race);
/* Adds the sequence, the other order of the race, to the node's tree. False: it is in it. */
bool rd_wakeup_insert(struct rd_dpor *d, struct rd_race *race, struct rd_node *n, struct rd_wakeups *from);
/* Moves a whole tree to where it is not used by others, or the other way round; and only its first branch. */
struct rd_wakeup *rd_wakeup_move(struct rd_wakeups *to, struct rd_wakeups *from, struct rd_wakeup *w);
struct rd_wakeup *rd_wakeup_move_first(struct rd_wakeups *to, struct rd_wakeups *from, void **list);
/* The nodes from the branch on inherit what is left of the sequences that were followed. */
void rd_wakeup_follow(struct rd_dpor *d, uint32_t branch);
/* The plan that follows the next sequence that is due at the last node. False: there is none. */
bool rd_wakeup_take(struct rd_dpor *d, struct rd_node *n, struct rd_draft *draft);
/* The same where that is a choice inside an operation: all ways are due, and what is due after them. */
bool rd_wakeup_take_way(struct rd_dpor *d, struct rd_node *n, struct rd_draft *draft);

#endif
