/*
 * random.c - a random walk: at every point each thread that can go on is equally likely. Never finishes. One
 * divided by the probability of an execution is on average the number of all schedules (Knuth, Mathematics of
 * Computation 1975); the mean over the executions so far is told as the estimate of the whole.
 */
#include "search/bound.h"
#include "search/estimate.h"
#include "search/sample.h"
#include "search/search.h"

struct walk {
    uint64_t seed, count;
    double mean; /* of the estimates of the executions so far */
    uint64_t samples;
    struct rd_sampled sampled;
};

static void *open_walk(struct rd_arena *a, const struct rd_params *params) {
    struct walk *w = rd_arena_zero(a, sizeof *w);
    w->seed = params->seed;
    rd_sampled_open(&w->sampled, a, params->memory_max);
    return w;
}

static enum rd_next next(void *state, struct rd_draft *draft) {
    struct walk *w = state;
    draft->plan = (struct rd_plan){.picker = RD_PICK_RANDOM, .seed = rd_hash2(w->seed, w->count++)};
    return RD_NEXT_RUN;
}

static void feedback(void *state, const struct rd_plan *plan, const struct rd_record *r) {
    struct walk *w = state;
    double weight = rd_estimate_weight(r);
    (void)plan;
    rd_sampled_add(&w->sampled, r);
    if (r->out->verdict != RD_CUT && weight > 0)
        w->mean += (1 / weight - w->mean) / (double)++w->samples;
}

static void claim(const void *state, struct rd_claim *c) {
    const struct walk *w = state;
    struct rd_text t;
    *c = rd_claim_nothing();
    c->estimate = w->mean;
    rd_text_init(&t, c->proved, sizeof c->proved);
    rd_sampled_claim(&w->sampled, &t, c);
}

const struct rd_search rd_search_random = {
    .name = "random",
    .summary = "a random walk: uniform among the threads that can go on",
    .keys = "",
    .exhaustive = false,
    .frugal = true,
    .focus = true,
    .open = open_walk,
    .next = next,
    .feedback = feedback,
    .claim = claim,
    .guarantee = "schedules were sampled; nothing is proved",
};
