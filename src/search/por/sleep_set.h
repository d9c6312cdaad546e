/*
 * sleep_set.h - sleep sets. A thread whose executions from a node are all done sleeps there: it need not be run in
 * what is run from the node later, until something happens that depends on what it is about to do.
 */
#ifndef RD_SEARCH_POR_SLEEP_SET_H
#define RD_SEARCH_POR_SLEEP_SET_H

#include "search/por/node_stack.h"
#include "search/por/hb_graph.h"

/*
 * What the thread was about to do at this step of the last execution; wide when that is not known.
 */
struct rd_event rd_sleep_set_event(const struct rd_hb_graph *t, rd_tid tid, uint32_t step);
/* Who sleeps at the node after i, by what happened at i in the last execution. */
void rd_sleep_set_pass(struct rd_node_stack *s, const struct rd_hb_graph *t, uint32_t i);
/* These threads sleep from the plan's last choice on. */
void rd_sleep_set_plan(const struct rd_tid_set *sleep, struct rd_draft *draft);

#endif
