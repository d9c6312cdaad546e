/* budget.h - the executions and the time that the user allows a search, and how the time is divided. */
#ifndef RD_EXPLORE_BUDGET_H
#define RD_EXPLORE_BUDGET_H

#include "channel/channel.h"
#include "search/search.h"

/*
 * Returns how many more executions the budget allows; 0: any number, or it is not known. A limit of time is
 * converted by the mean time of the executions so far, so the result is an estimate; with a limit on the number of
 * executions alone it is the same in every run.
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

/*
 * The search ends early if it has findings. A part of the time is reserved for making their schedules simpler …
 */
enum { RD_REFINE_PART = 4, RD_REPORT_PART = 8 };
static inline uint64_t rd_budget_refine_ns(const struct rd_channel *c) {
    return RD_MIN(c->config.minimise_ns, c->live.time_max_ns / RD_REFINE_PART);
}

/* … and a part for running each finding again for the report: a new process, and a few executions. */
static inline uint64_t rd_budget_report_ns(const struct rd_channel *c) {
    const uint64_t process = 50000000, times = 4;
    const struct rd_summary *s = &c->result.summary;
    uint64_t each = process + times * (s->elapsed_ns / RD_MAX(s->executions + s->cut, (uint64_t)1));
    return RD_MIN(s->found_count * each, c->live.time_max_ns / RD_REPORT_PART);
}

/* Returns the time that the search itself may use. pre: the time is limited */
static inline uint64_t rd_budget_search_ns(const struct rd_channel *c) {
    bool found = c->result.summary.found_count > 0;
    static_assert(RD_REFINE_PART + RD_REPORT_PART < RD_REFINE_PART * RD_REPORT_PART, "the search keeps a part");
    return c->live.time_max_ns - (found ? rd_budget_refine_ns(c) + rd_budget_report_ns(c) : 0);
}

/* Sets the time of a search that begins now: it ends at the deadline of the command in any case. */
static inline void rd_budget_begin(struct rd_channel *c, uint64_t now) {
    uint64_t left = c->config.deadline_ns > now ? c->config.deadline_ns - now : 1;
    c->live.time_max_ns = c->config.deadline_ns ? RD_MIN(c->config.time_max_ns, left) : c->config.time_max_ns;
}

/* Returns a draft over the arrays of the channel, with the facts that a search needs to write the next plan. */
static inline struct rd_draft rd_budget_draft(struct rd_channel *c) {
    return (struct rd_draft){.prefix = rd_channel_prefix(c),
                             .prefix_max = (uint32_t)c->prefix_max,
                             .left = rd_budget_left(c),
                             .memory_unseen =
                                 !rd_config_sees_accesses(&c->config) || !c->execution.modules[0].instrumented,
                             .code_unseen = c->config.code_unseen,
                             .sleep = rd_channel_sleep(c),
                             .weight = rd_channel_weight(c),
                             .track = rd_channel_track(c)};
}

#endif
