/* dpor.h - the state of partial-order reduction, shared by its two ways of remembering what is due. */
#ifndef RD_DPOR_H
#define RD_DPOR_H

#include "search/sleep.h"

/* Two events of the trail that depend on each other and that could come the other way round. */
struct rd_race {
    uint32_t first, second;
    /*
     * That its other order is nothing new follows from so many of the first events: for an execution that begins
     * with them it need not be looked at again. UINT32_MAX: it is new, or that follows from all events.
     */
    uint32_t settled;
};

/* A thread that can begin a sequence, and with which event. */
struct rd_initial {
    rd_tid tid;
    uint32_t event;
};

struct rd_dpor {
    struct rd_stack stack;
    struct rd_trail trail; /* of the last execution */
    bool optimal, finished;
    bool fresh;    /* the next execution is the first */
    void *classic; /* the state of that search, when it is asked for */
    bool fairness; /* threads were held back */
    bool astray;   /* a sequence that was due could not be followed */
    bool ended;    /* the last execution, by its last step: not everybody was blocked or done */
    uint64_t grew; /* how many executions there were when something new was due above the last branch */
    struct {
        RD_VEC(uint32_t);
    } sequence, firsts;
    struct {
        RD_VEC(struct rd_race);
    } races; /* of the trail, those of pending events included, by their second event */
    struct {
        RD_VEC(struct rd_initial);
    } initials;
    struct rd_wakeup *unused;    /* free list */
    struct rd_wakeup *following; /* the sequence that the last plan follows */
};

/* Something new is due at the node of this step. */
void rd_dpor_grows(struct rd_dpor *d, uint32_t step);
bool rd_dpor_other_order(struct rd_dpor *d, const struct rd_race *race);
/* Something follows from event `at` and those before it. */
static inline void rd_race_needs(struct rd_race *race, uint32_t at) {
    race->settled = RD_MAX(race->settled, at + 1);
}

/*
 * wakeup.c - sequences that are due, as a tree below each node (optimal reduction). A node's first branch is the
 * one that the last execution took.
 */
/* Adds the other order of the race, unless something that sleeps there covers it. */
void rd_wakeup_add(struct rd_dpor *d, struct rd_race *race);
/* The nodes from the branch on inherit what is left of the sequences that were followed. */
void rd_wakeup_follow(struct rd_dpor *d, uint32_t branch);
/* The plan that follows the next sequence that is due at the last node. False: there is none. */
bool rd_wakeup_take(struct rd_dpor *d, struct rd_node *n, struct rd_draft *draft);
/* The same where that is a choice inside an operation: all ways are due, and what is due after them. */
bool rd_wakeup_take_way(struct rd_dpor *d, struct rd_node *n, struct rd_draft *draft);

#endif
