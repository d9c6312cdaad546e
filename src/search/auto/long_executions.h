/*
 * long_executions.h - the component of `auto` for programs with long executions. If a program makes very many
 * accesses, an execution in which each access is a point is slow, and there are too many schedules for samplers to
 * meet the few that show a bug. Variable bounding (rank/rank.c) examines one or two variables at a time: only
 * accesses to these are points, and code that does not touch them is switched off (explore/sites.h), so its
 * executions are cheap.
 *
 * It takes part once an execution was long, in one worker, and gets a fixed share of the cost of all executions,
 * in steps: if its own are short, it runs many of them for one execution of another component. It does not
 * contribute to the claim, because its executions have fewer points.
 */
#ifndef RD_SEARCH_AUTO_LONG_EXECUTIONS_H
#define RD_SEARCH_AUTO_LONG_EXECUTIONS_H

#include "search/team/part.h"

struct rd_long_executions {
    const struct rd_parts *all;
    struct rd_part part;
    bool open;            /* the component was opened */
    bool over;            /* it takes part no longer, or not in this worker or program */
    bool now;             /* the last plan was its own */
    uint32_t steps_high;  /* of the longest execution with all points */
    uint64_t own, others; /* cost of its own executions and of all others, in steps */
};

void rd_long_executions_open(struct rd_long_executions *l, const struct rd_parts *all);
/* Writes its plan into the draft and returns true if it has its turn. */
bool rd_long_executions_next(struct rd_long_executions *l, struct rd_draft *d);
/* Returns true if the execution was its own; then no other component gets the feedback. */
bool rd_long_executions_feedback(struct rd_long_executions *l, const struct rd_plan *plan,
                                 const struct rd_record *r);
/* As the slot `restart_set`: code that was switched off has touched the tracked variables. */
void rd_long_executions_restart(struct rd_long_executions *l);
static inline void rd_long_executions_stop(struct rd_long_executions *l) { l->over = true; }

#endif
