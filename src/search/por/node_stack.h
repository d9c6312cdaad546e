/*
 * node_stack.h - the path of the last execution as a stack of nodes, one a step, for searches that go depth first
 * and decide at each node which of the alternatives are worth running.
 *
 * A node is either a choice among threads or a choice inside an operation (`value`). Of the latter all alternatives
 * are run; of the former those in `todo`, unless they are asleep by then.
 */
#ifndef RD_SEARCH_POR_NODE_STACK_H
#define RD_SEARCH_POR_NODE_STACK_H

#include "base/tid_set.h"
#include "search/search.h"

struct rd_node {
    struct rd_choice choice; /* what the last execution took here */
    uint32_t cand, count;    /* candidates in the pool; how many, or in how many ways */
    uint32_t tried;          /* ways that were tried; threads: not used */
    uint16_t first_way;
    uint32_t preemptions; /* before this step */
    uint32_t explored;    /* alternatives whose executions are all done */
    rd_tid before;        /* the thread of the step before; of the first step its own */
    bool value, forced;
    bool could_stay;         /* `before` could have gone on */
    bool cut;                /* something was left out because of a bound, here or below another alternative */
    bool cut_below;          /* … below the last alternative */
    uint64_t since, below;   /* executions before the last alternative was begun; executions of the others */
    void *extra;             /* the search's own */
    struct rd_tid_set todo;  /* threads to be run from here, those that were included */
    struct rd_tid_set done;  /* … that were */
    struct rd_tid_set sleep; /* threads that need not be run from here */
};

struct rd_node_stack {
    struct rd_arena *arena;
    struct {
        RD_VEC(struct rd_node);
    } node;
    struct {
        RD_VEC(rd_tid);
    } pool;
    bool bare; /* `todo` and `done` are not used, and are left empty */
    uint64_t executions;
    uint32_t branch; /* the step at which the last execution differs from the one before */
};

/* Takes the execution in: nodes after the branch are new, with only what was taken in `todo` and `done`. */
void rd_node_stack_push(struct rd_node_stack *s, const struct rd_record *r);
/* Leaves the last node; its executions count as its parent's. */
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
/* What it costs to take this thread here, in preemptions. */
static inline uint32_t rd_node_cost(const struct rd_node *n, rd_tid tid) {
    return n->could_stay && tid != n->before;
}
/* The alternative in the last node that was just finished is done: its executions are counted. */
void rd_node_stack_finished(struct rd_node_stack *s);
/* The next way to be tried at a node that is a choice inside an operation; false: all were. */
bool rd_node_next_way(struct rd_node *n, uint16_t *way);
/* The plan that takes `pick` at the last node, and what came before it as before. */
void rd_node_stack_take(struct rd_node_stack *s, uint16_t pick, struct rd_draft *d);
/* How many executions there will be, as it looks now; below the node at this step, or in all. */
double rd_node_stack_estimate_from(const struct rd_node_stack *s, uint32_t first);
double rd_node_stack_estimate(const struct rd_node_stack *s);

#endif
