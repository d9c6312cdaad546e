/* budget.h - what the user allows a search to use, in executions. */
#ifndef RD_BUDGET_H
#define RD_BUDGET_H

#include "search/search.h"

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

/* A plan that is to be written, in the channel's arrays, and what the search is told for it. */
static inline struct rd_draft rd_budget_draft(struct rd_channel *c) {
    return (struct rd_draft){.prefix = rd_channel_prefix(c),
                             .prefix_max = (uint32_t)c->prefix_max,
                             .left = rd_budget_left(c),
                             .blind = c->config.points == RD_POINTS_SYNC || !c->modules[0].instrumented,
                             .sleep = rd_channel_sleep(c),
                             .weight = rd_channel_weight(c),
                             .track = rd_channel_track(c)};
}

#endif
