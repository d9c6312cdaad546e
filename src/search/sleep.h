/*
 * sleep.h - sleep sets. A thread whose executions from a node are all done sleeps there: it need not be run in what
 * is run from the node later, until something happens that depends on what it is about to do.
 */
#ifndef RD_SLEEP_H
#define RD_SLEEP_H

#include "search/stack.h"
#include "search/trail.h"

/*
 * What the thread was about to do at this step of the last execution; wide when that is not known.
 */
struct rd_event rd_sleep_event(const struct rd_trail *t, rd_tid tid, uint32_t step);
/* Who sleeps at the node after i, by what happened at i in the last execution. */
void rd_sleep_pass(struct rd_stack *s, const struct rd_trail *t, uint32_t i);
/* These threads sleep from the plan's last choice on. */
void rd_sleep_plan(const struct rd_tids *sleep, struct rd_draft *draft);

#endif
