/*
 * tree_estimate.h - the weighted backtrack estimate of the size of a search (Kilby, Slaney, Thiebaux and Walsh,
 * AAAI 2006). The weight of an execution is the product of 1 / candidates over its steps; the weights of all
 * executions have the sum 1. So the sum over the executions so far is the fraction of the tree that is explored,
 * and their number divided by this fraction estimates the number of all executions. pre: the search runs each
 * execution once.
 */
#ifndef RD_SEARCH_TREE_ESTIMATE_H
#define RD_SEARCH_TREE_ESTIMATE_H

#include "trace/claim.h"
#include "trace/types.h"

struct rd_tree_estimate {
    double weight;
    uint64_t executions;
};

/*
 * Returns the weight of an execution: its probability in a random walk that takes each candidate with the same
 * probability.
 */
static inline double rd_tree_estimate_weight(const struct rd_record *r) {
    double weight = 1;
    for (uint32_t i = 0; i < r->out->steps; i++)
        if (!(r->steps[i].flags & RD_STEP_FORCED) && r->steps[i].ncand > 1)
            weight /= r->steps[i].ncand;
    return weight;
}

static inline void rd_tree_estimate_add(struct rd_tree_estimate *e, const struct rd_record *r) {
    e->weight += rd_tree_estimate_weight(r);
    e->executions++;
}

/* Writes the estimate, unless executions are so long that their weight is practically 0. */
static inline void rd_tree_estimate_claim(const struct rd_tree_estimate *e, bool complete, struct rd_claim *c) {
    if (e->weight < 1e-290)
        return;
    c->done = complete ? 1 : RD_MIN(e->weight, 1.0);
    c->estimate = (double)e->executions / c->done;
}

#endif
