/* budget.h - what the user allows a search to use, in executions and in time. */
#ifndef RD_EXPLORE_BUDGET_H
#define RD_EXPLORE_BUDGET_H

#include "channel/channel.h"
#include "search/search.h"

/*
 * How many more executions there can be; 0: any number, as far as is known. By time they are taken to cost as much
 * as those so far, so that is a guess; where only their number is limited, it is the same in every run.
 */
static inline uint64_t rd_budget_left(const struct rd_channel *c) {
    const struct rd_summary *s = &c->result.summary;
    uint64_t done = s->executions + s->cut, count = 0, time = 0;
    if (c->config.executions_max > done)
        count = c->config.executions_max - done;
    if (c->live.time_max_ns > s->elapsed_ns && done && s->elapsed_ns) {
        double each = (double)s->elapsed_ns / (double)done;
        time = 1 + (uint64_t)((double)(c->live.time_max_ns - s->elapsed_ns) / each);
    }
    return count && time ? RD_MIN(count, time) : RD_MAX(count, time);
}

/* What of the time is not for the search once there are findings: a part is to make their schedules simpler … */
enum { RD_REFINE_PART = 4, RD_REPORT_PART = 8 };
static inline uint64_t rd_budget_refine_ns(const struct rd_channel *c) {
    return RD_MIN(c->config.minimise_ns, c->live.time_max_ns / RD_REFINE_PART);
}

/* … and a part to run each once more for the report: a new process, and some executions as they were so far. */
static inline uint64_t rd_budget_report_ns(const struct rd_channel *c) {
    const uint64_t process = 50000000, times = 4;
    const struct rd_summary *s = &c->result.summary;
    uint64_t each = process + times * (s->elapsed_ns / RD_MAX(s->executions + s->cut, (uint64_t)1));
    return RD_MIN(s->found_count * each, c->live.time_max_ns / RD_REPORT_PART);
}

/* The time of the search itself. */
static inline uint64_t rd_budget_search_ns(const struct rd_channel *c) {
    bool found = c->result.summary.found_count > 0;
    return c->live.time_max_ns - (found ? rd_budget_refine_ns(c) + rd_budget_report_ns(c) : 0);
}

/* A search begins at this moment: its time is over at the deadline of the command, whatever ran before the search.
 */
static inline void rd_budget_begin(struct rd_channel *c, uint64_t now) {
    uint64_t left = c->config.deadline_ns > now ? c->config.deadline_ns - now : 1;
    c->live.time_max_ns = c->config.deadline_ns ? RD_MIN(c->config.time_max_ns, left) : c->config.time_max_ns;
}

/* A plan that is to be written, in the channel's arrays, and what the search is told for it. */
static inline struct rd_draft rd_budget_draft(struct rd_channel *c) {
    return (struct rd_draft){.prefix = rd_channel_prefix(c),
                             .prefix_max = (uint32_t)c->prefix_max,
                             .left = rd_budget_left(c),
                             .memory_unseen =
                                 c->config.points == RD_POINTS_SYNC || !c->execution.modules[0].instrumented,
                             .sleep = rd_channel_sleep(c),
                             .weight = rd_channel_weight(c),
                             .track = rd_channel_track(c)};
}

#endif
