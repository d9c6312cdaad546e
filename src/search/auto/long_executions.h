/*
 * long_executions.h - the part of auto for programs with long executions. With very many accesses an execution at
 * every one of them is slow, and its schedules are too many for samplers to meet the few that matter. Variable
 * bounding (rank.c) looks at one or two variables at a time: only accesses to those are points, and code that does
 * not touch them is switched off (sites.h), so its executions cost little.
 *
 * It takes part once an execution was long, in one worker, and gets a share by what executions cost, in steps:
 * where its own are short, it runs many of them for one of the others. It adds nothing to what is claimed: its
 * executions do not have the points of the others.
 */
#ifndef RD_SEARCH_AUTO_LONG_EXECUTIONS_H
#define RD_SEARCH_AUTO_LONG_EXECUTIONS_H

#include "search/team/part.h"

struct rd_long_executions {
    const struct rd_parts *all;
    struct rd_part part;
    bool open;            /* it has taken part */
    bool over;            /* it has come to its end, or is not for this worker or program */
    bool now;             /* the last execution was one of its own */
    uint32_t steps_high;  /* of an execution with all points */
    uint64_t own, others; /* what executions have cost, in steps */
};

void rd_long_executions_open(struct rd_long_executions *l, const struct rd_parts *all);
/* Is it its turn? Then the draft is its plan. */
bool rd_long_executions_next(struct rd_long_executions *l, struct rd_draft *d);
/* An execution was run. True: it was its own, and nobody else has to do with it. */
bool rd_long_executions_feedback(struct rd_long_executions *l, const struct rd_plan *plan,
                                 const struct rd_record *r);
/* Code that was switched off has touched what the last execution was about. */
void rd_long_executions_restart(struct rd_long_executions *l);
static inline void rd_long_executions_stop(struct rd_long_executions *l) { l->over = true; }

#endif
