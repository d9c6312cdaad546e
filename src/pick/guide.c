/*
 * guide.c - the default picker, except at the points that a guide names (guide.h). An element of the guide that is
 * impossible is ignored. The picker counts the operations of each thread, so it must be asked at every step, and
 * the plan must have no prefix.
 */
#include "pick/guide.h"

#include <string.h>

struct guide {
    uint32_t length;
    bool indexed;
    uint32_t count[RD_TID_MAX]; /* operations so far */
    uint32_t next[RD_TID_MAX];  /* by thread: the index of its first element of the guide that has not come up */
};

static_assert(sizeof(struct guide) <= RD_PICKER_STATE, "fits");

static void begin(void *state, const struct rd_plan *plan) {
    struct guide *g = state;
    RD_CHECK(plan->ask_always && plan->prefix_count == 0);
    memset(g, 0, sizeof *g);
    g->length = plan->a;
}

static void index_by_thread(struct guide *g, const struct rd_choice *at) {
    memset(g->next, 0xff, sizeof g->next);
    for (uint32_t i = g->length; i-- > 0;) {
        RD_CHECK(rd_guide_tid(&at[i]) < RD_TID_MAX);
        RD_ASSERT(i + 1 == g->length || rd_guide_key(&at[i]) < rd_guide_key(&at[i + 1]));
        g->next[rd_guide_tid(&at[i])] = i;
    }
    g->indexed = true;
}

/* Returns the element of the guide for this point; NULL: there is none. */
static const struct rd_choice *element_at(struct guide *g, const struct rd_point *p, bool way) {
    struct rd_choice here = way ? rd_guide_way(p->current, g->count[p->current], 0)
                                : rd_guide_turn(p->current, g->count[p->current], 0);
    uint64_t key = rd_guide_key(&here);
    uint32_t *at = &g->next[p->current];
    while (*at < g->length && rd_guide_key(&p->guide[*at]) < key)
        ++*at;
    return *at < g->length && rd_guide_key(&p->guide[*at]) == key ? &p->guide[*at] : NULL;
}

static uint32_t pick(void *state, const struct rd_point *p) {
    struct guide *g = state;
    if (!g->indexed)
        index_by_thread(g, p->guide);
    const struct rd_choice *c = element_at(g, p, !p->cand);
    if (!p->cand)
        return c && c->pick < p->count ? c->pick : 0;
    uint32_t chosen = rd_pick_stay.pick(NULL, p);
    for (uint32_t i = 0; c && i < p->count; i++)
        if (p->cand[i].tid == c->pick)
            chosen = i;
    g->count[p->cand[chosen].tid]++;
    return chosen;
}

const struct rd_picker rd_pick_guide = {"guide", "go on with the current thread, but for what a list says", begin,
                                        pick, false};
