/* sleep.c - see sleep.h. */
#include "search/sleep.h"

void rd_sleep_pass(struct rd_stack *s, const struct rd_trail *t, uint32_t i) {
    struct rd_node *n = &s->node.at[i], *next = n + 1;
    next->sleep = n->sleep;
    if (next->value)
        return; /* the operation goes on */
    const struct rd_event *happened = &t->at[t->of_step[i]].e;
    rd_bits_del(&next->sleep, happened->tid);
    for (uint32_t tid = 0; tid < t->threads; tid++) {
        if (!rd_bits_has(&next->sleep, tid))
            continue;
        uint32_t pending = rd_trail_next(t, (rd_tid)tid, i);
        if (pending == RD_TRAIL_NONE || rd_event_dependent(&t->at[pending].e, happened))
            rd_bits_del(&next->sleep, tid);
    }
}

void rd_sleep_plan(const struct rd_bits *sleep, struct rd_draft *draft) {
    for (uint32_t t = 0; t < RD_TID_MAX; t++)
        if (rd_bits_has(sleep, t))
            draft->sleep[draft->plan.sleep_count++] = (rd_tid)t;
}
