/* reversal.c - see reversal.h. */
#include "search/por/reversal.h"

#include "base/lanes.h"

static void add(struct rd_reversal *s, struct rd_arena *a, const struct rd_hb_graph_event *x) {
    rd_tid tid = x->e.tid;
    if (s->from[tid] == RD_REVERSAL_NONE) {
        s->from[tid] = x->index;
        rd_vec_push(a, &s->threads, tid);
    }
    RD_ASSERT(x->index == s->from[tid] || x->index == s->to[tid]); /* the events of a thread are contiguous */
    s->to[tid] = x->index + 1;
    s->left++;
    rd_event_sign_add(&s->sign, &x->sign);
}

void rd_reversal_make(struct rd_reversal *s, struct rd_arena *a, const struct rd_hb_graph *t, uint32_t first,
                      uint32_t second, uint32_t end) {
    RD_CHECK(first < second && first < t->count && second < t->all && end <= t->count);
    if (s->room < t->stride) {
        s->room = t->stride;
        s->from = rd_arena_alloc(a, s->room * sizeof *s->from);
        s->to = rd_arena_alloc(a, s->room * sizeof *s->to);
    }
    for (uint32_t i = 0; i < s->room; i++)
        s->from[i] = RD_REVERSAL_NONE;
    s->threads.count = s->left = 0;
    s->sign = (struct rd_event_sign){0, 0};
    s->first = first;
    s->second = second;
    s->end = end;
    /* by event: the entry of its clock for the first event's thread */
    const uint32_t *clocks = t->clocks + t->at[first].e.tid, index = t->at[first].index;
    const size_t stride = t->stride;
    for (uint32_t i = first + 1; i < end; i++)
        if (clocks[i * stride] < index)
            add(s, a, &t->at[i]);
    add(s, a, &t->at[second]);
}

bool rd_reversal_depends(const struct rd_reversal *s, const struct rd_hb_graph *t, const struct rd_event *e,
                         const struct rd_event_sign *sign) {
    if (!rd_event_sign_meets(&s->sign, sign))
        return false;
    for (uint32_t i = 0; i < s->threads.count; i++) {
        rd_tid tid = s->threads.at[i];
        for (uint32_t k = s->from[tid]; k < s->to[tid]; k++) {
            const struct rd_hb_graph_event *x = &t->at[t->thread[tid].at[k - 1]];
            if (rd_event_sign_meets(&x->sign, sign) && rd_event_dependent(&x->e, e))
                return true;
        }
    }
    return false;
}

bool rd_reversal_touches(const struct rd_reversal *s, const struct rd_hb_graph *t, uint32_t event) {
    const struct rd_event *e = &t->at[event].e;
    RD_ASSERT(event < t->all && s->end == t->count);
    if (event >= t->count)
        return rd_reversal_depends(s, t, e, &t->at[event].sign);
    if (!rd_event_sign_meets(&s->sign, &t->at[event].sign))
        return false;
    /*
     * No later event of the sequence depends on `event`: it would have happened after the race's first event, too.
     * The earlier events of the sequence on which `event` depends are in its clock.
     */
    const uint32_t *known = rd_hb_graph_clock(t, event);
    for (uint32_t i = 0; i < s->threads.count; i++) {
        rd_tid tid = s->threads.at[i];
        uint32_t end = RD_MIN(s->to[tid], known[tid] + 1);
        for (uint32_t k = s->from[tid]; k < end; k++)
            if (rd_event_dependent(&t->at[t->thread[tid].at[k - 1]].e, e))
                return true;
    }
    return rd_reversal_has(s, t->at[s->second].e.tid) && rd_event_dependent(&t->at[s->second].e, e);
}

bool rd_reversal_begins(const struct rd_reversal *s, const struct rd_hb_graph *t, rd_tid tid) {
    uint32_t event = rd_reversal_event(s, t, tid);
    if (event != s->second) {
        uint32_t after = t->at[event].after;
        if (after <= s->first)
            return true;
        const struct rd_hb_graph_event *last = &t->at[after - 1];
        if (last->index >= s->from[last->e.tid])
            return false;
        /* at one index the clock reaches the sequence: at that of its own thread */
        return rd_lanes_reach(rd_hb_graph_clock(t, event), s->from, t->stride) == 1;
    }
    uint32_t own = s->from[tid];
    s->from[tid] = RD_REVERSAL_NONE; /* the events of its own thread are not compared */
    bool begins = !rd_reversal_depends(s, t, &t->at[event].e, &t->at[event].sign);
    s->from[tid] = own;
    return begins;
}

void rd_reversal_take(struct rd_reversal *s, rd_tid tid) {
    RD_CHECK(s->left > 0 && rd_reversal_has(s, tid));
    s->left--;
    if (++s->from[tid] == s->to[tid])
        s->from[tid] = RD_REVERSAL_NONE;
}

void rd_reversal_list(struct rd_reversal *s, struct rd_arena *a, const struct rd_hb_graph *t) {
    s->list.count = 0;
    for (uint32_t i = s->first + 1; i < s->end && s->list.count < s->left; i++) {
        rd_tid tid = t->at[i].e.tid;
        uint32_t index = t->at[i].index;
        if (i != s->second && rd_reversal_has(s, tid) && index >= s->from[tid] && index < s->to[tid])
            rd_vec_push(a, &s->list, i);
    }
    if (rd_reversal_has(s, t->at[s->second].e.tid))
        rd_vec_push(a, &s->list, s->second);
    RD_CHECK(s->list.count == s->left);
}
