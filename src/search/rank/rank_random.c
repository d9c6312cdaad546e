/*
 * rank_random.c - the randomized mode of `rank`: v of the variables that threads share are drawn, c of all
 * accesses to them after which the priority of the thread changes, and an order of the priorities (pick/rank.c).
 * The number of accesses to a variable comes from profiles and, more exactly, from executions that have tracked
 * the variable. After every 256 samples an execution profiles again. Whenever an execution shows new facts the
 * distribution changes, and earlier samples are not counted. In a team each worker profiles and learns for itself.
 */
#include "search/rank/rank.h"

#include "base/rng.h"
#include "search/rank/rank_permutations.h"
#include "search/sampler/sampler.h"
#include "search/team/team.h"
#include "trace/track.h"

#include <string.h>

enum { PROFILES = 3, EVERY = 256 };
static const uint32_t ACCESSES_MAX = 1 << 24; /* so that their sum fits */

struct rank_sampler {
    struct rd_sampler base;
    struct rd_team *team;
    uint32_t changes, size;
    uint32_t profiles;              /* executions to be profiled before the next sample */
    uint64_t sampled_since_profile; /* samples since the last profile */
    struct rd_rank_threads threads;
    struct rd_rank_vars vars;
    struct rd_map most; /* variable -> the most accesses in an execution that tracked it */
    uint32_t drawn[RD_RANK_VARS_MAX], drawn_count; /* the variables of the last plan */
    uint64_t distribution;                         /* hash of all facts that the draws depend on */
};

static uint64_t distribution(const void *state) { return ((const struct rank_sampler *)state)->distribution; }

static void *open_random(struct rd_arena *a, const struct rd_params *params) {
    struct rank_sampler *s = rd_arena_zero(a, sizeof *s);
    s->vars.arena = a;
    s->team = params->team;
    s->changes = (uint32_t)rd_param_number(params, "c", 2);
    s->size = (uint32_t)RD_MIN(rd_param_number(params, "v", 1), (uint64_t)s->changes);
    s->vars.ordinal_max = (uint32_t)rd_param_number(params, "l", 2);
    s->vars.private_too = rd_param_given(params, "private");
    s->profiles = PROFILES;
    rd_sampler_open(&s->base, a, params, params->memory_max);
    s->base.distribution = distribution;
    return s;
}

static uint32_t accesses(const struct rank_sampler *s, uint32_t var) {
    const uint64_t *most = rd_map_get(&s->most, var);
    return most ? (uint32_t)*most : s->vars.all.at[var].accesses;
}

static uint32_t count_listed(const struct rank_sampler *s, bool written) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < s->vars.list.count; i++) {
        const struct rd_rank_var *v = &s->vars.all.at[s->vars.list.at[i]];
        n += !v->gone && (!written || v->written);
    }
    return n;
}

/* Returns variable i of the ones that can be drawn. `written`: only written variables can. */
static uint32_t candidate(const struct rank_sampler *s, bool written, uint32_t i) {
    for (uint32_t k = 0; k < s->vars.list.count; k++) {
        const struct rd_rank_var *v = &s->vars.all.at[s->vars.list.at[k]];
        if (!v->gone && (!written || v->written) && i-- == 0)
            return s->vars.list.at[k];
    }
    RD_BUG("no such variable");
}

static void draw_variables(struct rank_sampler *s, struct rd_rng *rng) {
    bool written = count_listed(s, true) > 0;
    uint32_t there = count_listed(s, written), taken[RD_RANK_VARS_MAX];
    s->drawn_count = 0;
    RD_CHECK(s->size <= RD_RANK_VARS_MAX);
    while (s->drawn_count < RD_MIN(s->size, there)) {
        uint32_t i = rd_rng_below(rng, there - s->drawn_count), k = 0;
        /* the i-th of the variables that are not taken, in ascending order */
        for (; k < s->drawn_count && taken[k] <= i; k++)
            i++;
        memmove(&taken[k + 1], &taken[k], (s->drawn_count - k) * sizeof *taken);
        taken[k] = i;
        s->drawn[s->drawn_count++] = candidate(s, written, i);
    }
}

static void write_track(const struct rank_sampler *s, struct rd_draft *d) {
    for (uint32_t i = 0; i < s->drawn_count; i++) {
        const struct rd_rank_var *v = &s->vars.all.at[s->drawn[i]];
        d->track[i] = (struct rd_track){.first = v->first, .last = v->last, .var = i};
    }
    d->plan.track_count = rd_track_sort(d->track, s->drawn_count);
}

static void draw_changes(const struct rank_sampler *s, struct rd_rng *rng, struct rd_draft *d) {
    uint32_t count[RD_RANK_VARS_MAX] = {0}, sum = 0;
    for (uint32_t i = 0; i < s->drawn_count; i++) {
        uint32_t n = accesses(s, s->drawn[i]);
        count[i] = RD_MIN(n, ACCESSES_MAX);
        sum += count[i];
    }
    for (uint32_t i = 0; i < d->plan.b; i++) {
        struct rd_weight *w = &d->weight[rd_rank_change(d->plan.a, d->plan.b, i)];
        uint32_t at = sum ? rd_rng_below(rng, sum) : 0, k = 0;
        while (k + 1 < s->drawn_count && at >= count[k])
            at -= count[k++];
        *w = sum ? (struct rd_weight){1 + at, rd_rank_variable(k), 0}
                 : (struct rd_weight){UINT32_MAX, RD_TID_NONE, 0};
    }
}

static void draw_order(struct rank_sampler *s, uint64_t number, struct rd_draft *d) {
    struct rd_permutations p = {s->threads.count, d->plan.b, rd_hash2(s->base.seed, 5), number + 1,
                                RD_PERMUTATION_RANDOM};
    uint16_t priority[RD_TID_MAX + RD_RANK_CHANGES_MAX];
    rd_permutations_at(&p, number, priority);
    for (uint32_t i = 0; i < d->plan.a; i++)
        d->weight[i] = (struct rd_weight){.steps = 0};
    for (uint32_t i = 0; i < s->threads.count; i++)
        d->weight[s->threads.at[i]].steps = priority[i];
    for (uint32_t i = 0; i < d->plan.b; i++)
        d->weight[rd_rank_fragment(d->plan.a, i)] = (struct rd_weight){.steps = priority[s->threads.count + i]};
}

static enum rd_next next(void *state, struct rd_draft *d) {
    struct rank_sampler *s = state;
    struct rd_rng rng;
    bool profiles = s->profiles > 0;
    if (rd_rank_threads_full(&s->threads)) {
        if (s->team)
            rd_team_end(s->team, RD_OVER_DONE);
        return RD_NEXT_DONE;
    }
    uint64_t number = rd_sampler_number(&s->base);
    rd_sampler_plan(&s->base, d, RD_PICK_RANK);
    rd_rng_seed(&rng, d->plan.seed);
    d->plan.ask_always = 1;
    d->plan.access_points = profiles ? RD_ACCESSES_PROFILE : RD_ACCESSES_AFTER;
    d->plan.a = s->threads.count ? s->threads.at[s->threads.count - 1] + 1u : 0;
    d->plan.b = profiles ? 0 : s->changes;
    draw_order(s, number, d);
    s->drawn_count = 0;
    if (profiles)
        return RD_NEXT_RUN;
    draw_variables(s, &rng);
    write_track(s, d);
    draw_changes(s, &rng, d);
    return RD_NEXT_RUN;
}

/* Learns how often each tracked variable was accessed: the most counts. */
static void learn(struct rank_sampler *s, const struct rd_plan *plan, const struct rd_record *r) {
    uint32_t seen[RD_RANK_VARS_MAX] = {0};
    for (uint32_t i = 0; i < r->out->steps; i++) {
        const struct rd_step *p = &r->steps[i];
        const struct rd_track *t = rd_step_is_way(p) ? NULL : rd_track_of_step(r->track, plan->track_count, p);
        RD_ASSERT(!t || t->var < s->drawn_count);
        if (t)
            seen[t->var]++;
    }
    for (uint32_t i = 0; i < s->drawn_count; i++) {
        uint64_t *most = rd_map_put(&s->most, s->vars.arena, s->drawn[i]);
        *most = RD_MAX(*most, seen[i]);
    }
}

/*
 * Returns a hash of all that the distribution depends on; it does not depend on the order in which variables were
 * met.
 */
static uint64_t distribution_of(const struct rank_sampler *s) {
    uint64_t h = s->threads.count;
    for (uint32_t i = 0; i < s->vars.list.count; i++) {
        uint32_t var = s->vars.list.at[i];
        const struct rd_rank_var *v = &s->vars.all.at[var];
        uint64_t how = (uint64_t)accesses(s, var) << 2 | (uint64_t)v->gone << 1 | v->written;
        h += rd_hash2(rd_hash2(v->first, v->last), how);
    }
    return h;
}

static void feedback(void *state, const struct rd_plan *plan, const struct rd_record *r) {
    struct rank_sampler *s = state;
    bool profiled = plan->access_points == RD_ACCESSES_PROFILE;
    if (profiled) {
        rd_rank_vars_profile(&s->vars, r);
        RD_CHECK(s->profiles > 0);
        s->profiles--;
        s->base.sampled.failed |= r->out->verdict == RD_FOUND;
    } else {
        rd_rank_vars_note(&s->vars, r);
        learn(s, plan, r);
        rd_sampled_add(&s->base.sampled, r);
        s->profiles += ++s->sampled_since_profile % EVERY == 0;
    }
    if (rd_rank_threads_add(&s->threads, r))
        s->profiles = PROFILES;
    rd_rank_vars_list(&s->vars);
    uint64_t now = distribution_of(s);
    if (now != s->distribution)
        rd_sampled_anew(&s->base.sampled);
    s->distribution = now;
}

/*
 * Code that was switched off has touched the tracked variables: the executions so far are of another distribution.
 */
static void restart(void *state) {
    struct rank_sampler *s = state;
    rd_sampled_anew(&s->base.sampled);
}

static void claim(const void *state, struct rd_claim *c) {
    const struct rank_sampler *s = state;
    struct rd_text t;
    *c = rd_claim_none();
    c->likely = 1;
    if (rd_rank_threads_full(&s->threads))
        rd_text_copy(c->voids, sizeof c->voids, "there are more threads than can be ordered");
    rd_text_init(&t, c->proved, sizeof c->proved);
    rd_sampled_claim(&s->base.sampled, &t, c);
}

const struct rd_search rd_search_rank_random = {
    .name = "rank",
    .summary = "samples of orders of the threads and of their changes",
    .keys = "c# v# l# private random",
    .guarantee = {.sentence = RD_SAMPLES_ONLY, .misses_deadlocks = true},
    .profiles_memory = true,
    .open = open_random,
    .next = next,
    .feedback = feedback,
    .claim = claim,
    .hooks = {.restart_set = restart},
    .team = &rd_sampler_team_ops,
};
