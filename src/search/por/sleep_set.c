/* sleep_set.c - see sleep_set.h. */
#include "search/por/sleep_set.h"

struct rd_event rd_sleep_set_event(const struct rd_hb_graph *t, rd_tid tid, uint32_t step) {
    uint32_t at = rd_hb_graph_next(t, tid, step);
    return at == RD_HB_GRAPH_NONE ? (struct rd_event){.tid = tid, .target = RD_TID_NONE, .wide = true}
                                  : t->at[at].e;
}

void rd_sleep_set_wake(struct rd_tid_set *sleep, const struct rd_hb_graph *t, uint32_t step) {
    const struct rd_hb_graph_event *happened = &t->at[t->of_step.at[step]];
    rd_tid_set_del(sleep, happened->e.tid);
    for (uint32_t tid = rd_tid_set_next(sleep, 0); tid < t->threads; tid = rd_tid_set_next(sleep, tid + 1)) {
        uint32_t at = rd_hb_graph_next(t, (rd_tid)tid, step);
        if (at == RD_HB_GRAPH_NONE || (rd_event_sign_meets(&t->at[at].sign, &happened->sign) &&
                                       rd_event_dependent(&t->at[at].e, &happened->e)))
            rd_tid_set_del(sleep, tid);
    }
}

void rd_sleep_set_pass(struct rd_node_stack *s, const struct rd_hb_graph *t, uint32_t i) {
    RD_CHECK(i + 1 < s->node.count && i < t->of_step.count);
    struct rd_node *n = &s->node.at[i], *next = n + 1;
    rd_tid_set_copy(&next->sleep, &n->sleep);
    if (!next->value) /* else the operation is not complete yet: it wakes no thread */
        rd_sleep_set_wake(&next->sleep, t, i);
}

void rd_sleep_set_plan(const struct rd_tid_set *sleep, struct rd_draft *draft) {
    RD_CHECK(draft->plan.sleep_count == 0);
    for (uint32_t t = rd_tid_set_next(sleep, 0); t < RD_BITS_MAX; t = rd_tid_set_next(sleep, t + 1))
        draft->sleep[draft->plan.sleep_count++] = (rd_tid)t;
}
