/* budget.h - what the user allows a search to use, in executions. */
#ifndef RD_BUDGET_H
#define RD_BUDGET_H

#include "trace/channel.h"

/*
 * How many more executions there can be; 0: any number, as far as is known. By time they are taken to cost as much
 * as those so far, so that is a guess; where only their number is limited, it is the same in every run.
 */
static inline uint64_t rd_budget_left(const struct rd_channel *c) {
    const struct rd_summary *s = &c->summary;
    uint64_t done = s->executions + s->cut, count = 0, time = 0;
    if (c->config.executions_max > done)
        count = c->config.executions_max - done;
    if (c->config.time_max_ns > s->elapsed_ns && done && s->elapsed_ns) {
        double each = (double)s->elapsed_ns / (double)done;
        time = 1 + (uint64_t)((double)(c->config.time_max_ns - s->elapsed_ns) / each);
    }
    return count && time ? RD_MIN(count, time) : RD_MAX(count, time);
}

#endif
