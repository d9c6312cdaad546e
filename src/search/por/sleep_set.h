/*
 * sleep_set.h - sleep sets (Godefroid). When all executions that begin with a thread at a node are finished, the
 * thread sleeps there: later executions from the node do not choose it until an event happens that depends on its
 * pending event.
 */
#ifndef RD_SEARCH_POR_SLEEP_SET_H
#define RD_SEARCH_POR_SLEEP_SET_H

#include "search/por/node_stack.h"
#include "search/por/hb_graph.h"

/*
 * Returns the pending event of the thread at this step of the last execution. If the execution does not show it: a
 * wide event, which depends on all others.
 */
struct rd_event rd_sleep_set_event(const struct rd_hb_graph *t, rd_tid tid, uint32_t step);
/* Wakes the threads whose pending event depends on the event of this step. */
void rd_sleep_set_wake(struct rd_tid_set *sleep, const struct rd_hb_graph *t, uint32_t step);
/* Computes the sleep set of node i + 1 from that of node i and the event at step i. */
void rd_sleep_set_pass(struct rd_node_stack *s, const struct rd_hb_graph *t, uint32_t i);
/* Puts these threads to sleep in the plan, from its last choice on. */
void rd_sleep_set_plan(const struct rd_tid_set *sleep, struct rd_draft *draft);

#endif
