/* sleep.c - see sleep.h. */
#include "search/sleep.h"

struct rd_event rd_sleep_event(const struct rd_trail *t, rd_tid tid, uint32_t step) {
    uint32_t at = rd_trail_next(t, tid, step);
    return at == RD_TRAIL_NONE ? (struct rd_event){.tid = tid, .target = RD_TID_NONE, .wide = true} : t->at[at].e;
}

void rd_sleep_pass(struct rd_stack *s, const struct rd_trail *t, uint32_t i) {
    struct rd_node *n = &s->node.at[i], *next = n + 1;
    next->sleep = n->sleep;
    if (next->value)
        return; /* the operation goes on */
    const struct rd_event *happened = &t->at[t->of_step.at[i]].e;
    rd_bits_del(&next->sleep, happened->tid);
    for (uint32_t tid = rd_bits_within(&next->sleep, 0, t->threads); tid < t->threads;
         tid = rd_bits_within(&next->sleep, tid + 1, t->threads)) {
        struct rd_event pending = rd_sleep_event(t, (rd_tid)tid, i);
        if (rd_event_dependent(&pending, happened))
            rd_bits_del(&next->sleep, tid);
    }
}

void rd_sleep_plan(const struct rd_bits *sleep, struct rd_draft *draft) {
    for (uint32_t t = rd_bits_next(sleep, 0); t < RD_BITS_MAX; t = rd_bits_next(sleep, t + 1))
        draft->sleep[draft->plan.sleep_count++] = (rd_tid)t;
}
