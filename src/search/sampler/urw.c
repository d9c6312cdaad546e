/*
 * urw.c - uniform random walk: a thread is drawn in proportion to the steps that it has yet to make (pick/urw.c).
 * That number is the mean of the executions so far that passed. It is computed after the 1st, 2nd, 4th … of them,
 * so the distribution changes rarely; executions drawn from an earlier distribution are not counted. In a team each
 * worker learns for itself.
 */
#include "search/sampler/sampler.h"

#include <string.h>

struct urw_search {
    struct rd_sampler base;
    uint64_t learned;           /* executions in `steps` */
    uint64_t steps[RD_TID_MAX]; /* of each thread, in all of them */
    struct rd_weight weight[RD_TID_MAX];
    uint32_t known;
};

static uint64_t distribution(const void *state) {
    const struct urw_search *s = state;
    uint64_t h = s->known;
    for (uint32_t t = 0; t < s->known; t++)
        h = rd_hash2(h, (uint64_t)s->weight[t].steps << 16 | s->weight[t].parent);
    return h;
}

static void *open_urw(struct rd_arena *a, const struct rd_params *params) {
    struct urw_search *s = rd_arena_zero(a, sizeof *s);
    rd_sampler_open(&s->base, a, params, params->memory_max);
    s->base.distribution = distribution;
    return s;
}

static enum rd_next next(void *state, struct rd_draft *draft) {
    struct urw_search *s = state;
    rd_sampler_plan(&s->base, draft, RD_PICK_URW);
    draft->plan.ask_always = 1;
    draft->plan.a = s->known;
    memcpy(draft->weight, s->weight, s->known * sizeof *s->weight);
    return RD_NEXT_RUN;
}

/* Computes the weights and returns whether any changed. */
static bool weigh(struct urw_search *s, const struct rd_record *r) {
    RD_CHECK(s->learned > 0);
    uint32_t threads = RD_MIN(RD_MAX(s->known, r->out->threads), (uint32_t)RD_TID_MAX);
    bool changed = threads != s->known;
    s->known = threads;
    for (uint32_t t = 0; t < threads; t++) {
        uint32_t steps = (uint32_t)((s->steps[t] + s->learned / 2) / s->learned);
        changed |= s->weight[t].steps != steps;
        s->weight[t].steps = steps;
        if (t > 0 && t < r->out->threads)
            s->weight[t].parent = r->threads[t].parent;
    }
    return changed;
}

static void feedback(void *state, const struct rd_plan *plan, const struct rd_record *r) {
    struct urw_search *s = state;
    (void)plan;
    rd_sampled_add(&s->base.sampled, r);
    if (r->out->verdict != RD_PASSED)
        return;
    for (uint32_t i = 0; i < r->out->steps; i++)
        if (!(rd_op_flags(r->steps[i].op) & RD_F_VALUE))
            s->steps[r->steps[i].tid]++;
    s->learned++;
    if ((s->learned & (s->learned - 1)) == 0 && weigh(s, r))
        rd_sampled_anew(&s->base.sampled);
}

const struct rd_search rd_search_urw = {
    .name = "urw",
    .summary = "a random walk in proportion to what each thread has yet to do: schedules are about equally likely",
    .keys = "",
    .guarantee = {.sentence = RD_SAMPLES_ONLY},
    .keeps_within = true,
    .focusable = true,
    .open = open_urw,
    .next = next,
    .feedback = feedback,
    .claim = rd_sampler_claim,
    .team = &rd_sampler_team_ops,
};
