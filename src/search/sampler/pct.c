/*
 * pct.c - probabilistic concurrency testing: strict priorities with random change points (pick/pct.c; Burckhardt
 * et al., ASPLOS 2010). A bug of depth d (one that shows whenever d events come in a certain order) is found by
 * each execution with a probability of at least 1 / (n k^(d-1)), for n threads and k points; both are taken from
 * the longest execution so far. The first execution runs with n = k = 1. An execution that has more threads or
 * points than n and k changes the distribution: neither this execution nor the ones before it count.
 */
#include "pick/pct.h"

#include "search/sampler/sampler.h"

#include <string.h>

struct pct_search {
    struct rd_sampler base;
    uint32_t depth, threads, points;
    bool published;
    bool woken; /* an execution has drawn which of several waiters is woken: the bound above has no such choices */
};

static const char *check(const struct rd_params *params) {
    uint64_t d = rd_param_number(params, "d", 3);
    return d >= 1 && d <= RD_PCT_DEPTH_MAX ? NULL : "strategy parameter 'd' of pct must be from 1 to 32";
}

static void *open_pct(struct rd_arena *a, const struct rd_params *params) {
    struct pct_search *s = rd_arena_zero(a, sizeof *s);
    rd_sampler_open(&s->base, a, params, params->memory_max);
    s->depth = (uint32_t)rd_param_number(params, "d", 3);
    s->published = rd_param_given(params, "published");
    s->threads = s->points = 1;
    RD_CHECK(s->depth >= 1 && s->depth <= RD_PCT_DEPTH_MAX);
    return s;
}

static enum rd_next next(void *state, struct rd_draft *draft) {
    struct pct_search *s = state;
    rd_sampler_plan(&s->base, draft, RD_PICK_PCT);
    draft->plan.a = s->depth;
    draft->plan.b = s->points;
    draft->plan.ask_always = s->published;
    return RD_NEXT_RUN;
}

static void feedback(void *state, const struct rd_plan *plan, const struct rd_record *r) {
    struct pct_search *s = state;
    uint32_t points = 0;
    (void)plan;
    for (uint32_t i = 0; i < r->out->steps; i++) {
        const struct rd_step *p = &r->steps[i];
        bool value = rd_op_flags(p->op) & RD_F_VALUE;
        s->woken |= value && p->ncand > 1;
        points += !value && !(p->flags & RD_STEP_FORCED) && (s->published || p->ncand > 1);
    }
    rd_sampled_add(&s->base.sampled, r);
    if (points <= s->points && r->out->threads <= s->threads)
        return;
    s->points = RD_MAX(s->points, points);
    s->threads = RD_MAX(s->threads, r->out->threads);
    rd_sampled_anew(&s->base.sampled);
}

/* Returns the probability that all executions miss a bug of that depth. */
static double missed(const struct pct_search *s) {
    double found = 1.0 / s->threads;
    for (uint32_t i = 1; i < s->depth; i++)
        found /= s->points;
    return rd_sampled_missed(&s->base.sampled, found);
}

static void claim(const void *state, struct rd_claim *c) {
    const struct pct_search *s = state;
    *c = rd_claim_none();
    struct rd_text t;
    rd_text_init(&t, c->proved, sizeof c->proved);
    double share = missed(s);
    if (!s->base.sampled.failed && !s->woken && share <= 0.5) {
        rd_text_str(&t, "a bug of depth ");
        rd_text_dec(&t, s->depth);
        /* a bug of a smaller depth has at least the same probability */
        rd_text_str(&t, s->depth > 1 ? " or less" : "");
        c->missed = share;
        c->missed_depth = s->depth;
        c->missed_threads = s->threads;
        c->missed_points = s->points;
        rd_text_str(&t, " was missed with a probability of at most ");
        rd_sampled_share(&t, share);
        rd_text_str(&t, ", if it shows with at most ");
        rd_text_dec(&t, s->threads);
        rd_text_str(&t, " threads and ");
        rd_text_dec(&t, s->points);
        rd_text_str(&t, s->published ? " steps" : " points with a choice");
    }
    if (!s->woken)
        rd_sampled_too_few(&s->base.sampled, &t, s->depth, share);
    rd_sampled_claim(&s->base.sampled, &t, c);
}

struct pct_tally {
    uint32_t threads, points;
    uint64_t woken;
};

static size_t tally(const void *state, void *to, size_t room) {
    const struct pct_search *s = state;
    struct pct_tally t = {s->threads, s->points, s->woken};
    memcpy(to, &t, sizeof t);
    return sizeof t + rd_sampled_tally(&s->base.sampled, (char *)to + sizeof t, room - sizeof t);
}

/* Each worker has learned n and k by itself: only executions drawn with the same numbers count. */
static void merge(void *state, const void *from, size_t size) {
    struct pct_search *s = state;
    struct pct_tally t;
    RD_CHECK(size > sizeof t);
    memcpy(&t, from, sizeof t);
    s->woken |= t.woken != 0;
    bool more = t.threads > s->threads || t.points > s->points,
         fewer = t.threads < s->threads || t.points < s->points;
    if (more)
        rd_sampled_anew(&s->base.sampled);
    s->threads = RD_MAX(s->threads, t.threads);
    s->points = RD_MAX(s->points, t.points);
    if (fewer)
        rd_sampled_pass(&s->base.sampled, (const char *)from + sizeof t);
    else
        rd_sampled_merge(&s->base.sampled, (const char *)from + sizeof t, size - sizeof t);
}

static const struct rd_search_team_ops team_ops = {.share = RD_SHARE_TICKETS, .tally = tally, .merge = merge};

const struct rd_search rd_search_pct = {
    .name = "pct",
    .summary = "random priorities that change at d - 1 random points: d=3; published: counts every step",
    .keys = "d# published",
    .guarantee = {.sentence = RD_SAMPLES_ONLY},
    .keeps_within = true,
    .open = open_pct,
    .next = next,
    .feedback = feedback,
    .claim = claim,
    .hooks = {.check = check},
    .team = &team_ops,
};
