/*
 * tree_estimate.h - how much of a search is done. An execution weighs the product of 1 / candidates over its steps,
 * all of them together weigh 1: the weight of those that were run is a fraction of the whole, and their number
 * divided by it an estimate of how many there are (the weighted backtrack estimate of Kilby, Slaney, Thiebaux and
 * Walsh, AAAI 2006). For searches that run each execution once.
 */
#ifndef RD_SEARCH_TREE_ESTIMATE_H
#define RD_SEARCH_TREE_ESTIMATE_H

#include "trace/claim.h"
#include "trace/types.h"

struct rd_tree_estimate {
    double weight;
    uint64_t executions;
};

/* Also the probability of the execution in a walk that takes each candidate alike. */
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

/* Very long executions weigh nothing at all: then nothing is known. */
static inline void rd_tree_estimate_claim(const struct rd_tree_estimate *e, bool complete, struct rd_claim *c) {
    if (e->weight < 1e-290)
        return;
    c->done = complete ? 1 : RD_MIN(e->weight, 1.0);
    c->estimate = (double)e->executions / c->done;
}

#endif
