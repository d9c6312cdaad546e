/*
 * pctvb.c - random priorities that change at few variables (Bindal, Bansal and Lal, "Variable and thread bounding
 * for systematic testing of multithreaded programs", ISSTA 2013, section 5). Of Q variables v are drawn, and the d
 * - 1 change points of pct come before operations on these only, each drawn uniformly from all operations that an
 *   execution performs on them. A bug of depth d whose change points are at v variables is found by each execution
 *   with a probability of at least 1 / (C(Q, v) n k^(d-1)), for n threads and k operations on the v variables that
 *   are used most. The paper changes the priority after an access; here a point comes before an operation, and
 *   then only tracked operations have to be points.
 *
 * The first few executions profile, and later the 64th, 128th … do again. How often each variable is used is the
 * mean of the profiles, or the most that was seen since. An execution that has more threads, variables or uses of
 * one changes the distribution: neither this execution nor the ones before it count. In a team each worker
 * profiles for itself.
 */
#include "base/rng.h"
#include "pick/pct.h"
#include "search/rank/var_groups.h"
#include "search/sampler/sampler.h"
#include "trace/track.h"

#include <string.h>

enum { PROFILES = 3, AGAIN = 64 };

struct pctvb_search {
    struct rd_sampler base;
    uint32_t depth, variables, threads;
    bool woken; /* an execution has drawn which of several waiters is woken: the bound above has no such choices */
    bool lost;  /* a variable could not be tracked completely, or a profile was incomplete */
    struct rd_var_groups groups;
    uint32_t chosen[RD_PCT_DEPTH_MAX], chosen_count; /* the groups of the execution that is being run */
};

static const char *check(const struct rd_params *params) {
    uint64_t d = rd_param_number(params, "d", 3), v = rd_param_number(params, "v", 1);
    if (d < 2 || d > RD_PCT_DEPTH_MAX)
        return "strategy parameter 'd' of pctvb must be from 2 to 32";
    return v >= 1 && v < d ? NULL : "strategy parameter 'v' of pctvb must be from 1 to d - 1";
}

static uint64_t distribution(const void *state) {
    const struct pctvb_search *s = state;
    const struct rd_map *m = &s->groups.index;
    uint64_t h = 0;
    for (uint32_t i = 0; i < m->room; i++)
        if (m->slots[i].key)
            h += rd_hash2(m->slots[i].key, s->groups.list.at[m->slots[i].value - 1].uses);
    return rd_hash2(h, s->threads);
}

static void *open_pctvb(struct rd_arena *a, const struct rd_params *params) {
    struct pctvb_search *s = rd_arena_zero(a, sizeof *s);
    s->groups.arena = a;
    rd_sampler_open(&s->base, a, params, params->memory_max / 2); /* the other half is for the variables */
    s->depth = (uint32_t)rd_param_number(params, "d", 3);
    s->variables = (uint32_t)rd_param_number(params, "v", 1);
    s->threads = 1;
    s->base.distribution = distribution;
    return s;
}

static bool profiles(uint64_t number) {
    return number < PROFILES || (number >= AGAIN && (number & (number - 1)) == 0);
}

/* Draws `variables` groups; each set has the same probability (Floyd's algorithm). */
static void choose(struct pctvb_search *s, struct rd_rng *rng) {
    uint32_t all = s->groups.list.count, want = RD_MIN(s->variables, all);
    RD_CHECK(want < RD_PCT_DEPTH_MAX);
    s->chosen_count = 0;
    for (uint32_t k = all - want; k < all; k++) {
        uint32_t x = rd_rng_below(rng, k + 1);
        for (uint32_t i = 0; i < s->chosen_count; i++)
            if (s->chosen[i] == x) {
                x = k;
                break;
            }
        s->chosen[s->chosen_count++] = x;
    }
}

static uint32_t uses(const struct pctvb_search *s) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < s->chosen_count; i++)
        sum += s->groups.list.at[s->chosen[i]].uses;
    return sum;
}

/*
 * Returns the change point at operation `at` of all operations on the chosen groups, as an operation of one of
 * them.
 */
static struct rd_weight change(const struct pctvb_search *s, uint32_t at) {
    uint32_t i = 0;
    RD_CHECK(at < uses(s));
    while (at >= s->groups.list.at[s->chosen[i]].uses)
        at -= s->groups.list.at[s->chosen[i++]].uses;
    return (struct rd_weight){.steps = at + 1, .parent = (rd_tid)i};
}

static enum rd_next next(void *state, struct rd_draft *draft) {
    struct pctvb_search *s = state;
    bool profile = profiles(s->base.planned); /* every worker profiles for itself */
    rd_sampler_plan(&s->base, draft, profile ? RD_PICK_RANDOM : RD_PICK_PCT);
    draft->plan.access_points = profile ? RD_ACCESSES_PROFILE : RD_ACCESSES_TRACKED;
    if (profile)
        return RD_NEXT_RUN;
    struct rd_rng rng;
    bool all;
    rd_rng_seed(&rng, rd_mix(draft->plan.seed));
    choose(s, &rng);
    draft->plan.ask_always = 1;
    draft->plan.track_count =
        rd_var_groups_track(&s->groups, s->chosen, s->chosen_count, draft->track, RD_TRACKS_MAX, &all);
    s->lost |= !all;
    uint32_t k = uses(s);
    draft->plan.a = k ? s->depth : 1; /* without an operation on a variable there is no change point */
    for (uint32_t i = 0; k && i + 1 < s->depth; i++)
        draft->weight[i] = change(s, rd_rng_below(&rng, k));
    return RD_NEXT_RUN;
}

/*
 * Returns whether the execution has more operations on a chosen variable than was known, and keeps the larger
 * number.
 */
static bool more_uses(struct pctvb_search *s, const struct rd_plan *plan, const struct rd_record *r) {
    uint32_t seen[RD_PCT_DEPTH_MAX] = {0};
    bool more = false;
    for (uint32_t i = 0; i < r->out->steps; i++) {
        const struct rd_step *p = &r->steps[i];
        const struct rd_track *t = rd_track_of_step(r->track, plan->track_count, p);
        RD_ASSERT(!t || t->var < s->chosen_count);
        s->woken |= rd_step_is_way(p) && p->ncand > 1;
        if (t && !rd_step_is_way(p))
            seen[t->var]++;
    }
    for (uint32_t i = 0; i < s->chosen_count; i++) {
        struct rd_group *g = &s->groups.list.at[s->chosen[i]];
        more |= seen[i] > g->uses;
        g->uses = RD_MAX(g->uses, RD_MIN(seen[i], (uint32_t)UINT16_MAX));
    }
    return more;
}

static void feedback(void *state, const struct rd_plan *plan, const struct rd_record *r) {
    struct pctvb_search *s = state;
    bool more = r->out->threads > s->threads;
    s->threads = RD_MAX(s->threads, r->out->threads);
    if (plan->access_points == RD_ACCESSES_PROFILE) {
        s->base.sampled.failed |= r->out->verdict == RD_FOUND;
        s->lost |= r->profile->lost != 0;
        more |= rd_var_groups_learn(&s->groups, r->profile);
    } else {
        rd_sampled_add(&s->base.sampled, r);
        more |= more_uses(s, plan, r);
    }
    if (more)
        rd_sampled_anew(&s->base.sampled);
}

/* Returns the number of operations on the v variables that are used most. */
static double most_uses(const struct pctvb_search *s) {
    uint32_t most[RD_PCT_DEPTH_MAX] = {0};
    double sum = 0;
    for (uint32_t i = 0; i < s->groups.list.count; i++) {
        uint32_t x = s->groups.list.at[i].uses;
        for (uint32_t k = 0; k < s->variables; k++)
            if (x > most[k]) {
                uint32_t out = most[k];
                most[k] = x;
                x = out;
            }
    }
    for (uint32_t k = 0; k < s->variables; k++)
        sum += most[k];
    return sum;
}

static void claim(const void *state, struct rd_claim *c) {
    const struct pctvb_search *s = state;
    struct rd_text t;
    *c = rd_claim_none();
    rd_text_init(&t, c->proved, sizeof c->proved);
    uint32_t all = s->groups.list.count, v = RD_MIN(s->variables, all);
    double k = most_uses(s), found = 1.0 / s->threads;
    for (uint32_t i = 0; i < v; i++)
        found *= (i + 1.0) / (all - i); /* one of C(all, v) */
    for (uint32_t i = 1; i < s->depth; i++)
        found /= k;
    double share = k > 0 ? rd_sampled_missed(&s->base.sampled, found) : 1;
    if (!s->base.sampled.failed && !s->woken && !s->lost && share <= 0.5) {
        rd_text_str(&t, "a bug of depth ");
        rd_text_dec(&t, s->depth);
        rd_text_str(&t, " at ");
        rd_text_dec(&t, v);
        rd_text_str(&t, " of ");
        rd_text_dec(&t, all);
        rd_text_str(&t, all == 1 ? " variable" : " variables");
        rd_text_str(&t, " was missed with a probability of at most ");
        rd_sampled_share(&t, share);
        rd_text_str(&t, ", if it shows with at most ");
        rd_text_dec(&t, s->threads);
        rd_text_str(&t, " threads and ");
        rd_text_dec(&t, (int64_t)k);
        rd_text_str(&t, v == 1 ? " operations on it" : " operations on them");
    }
    if (!s->woken && !s->lost)
        rd_sampled_too_few(&s->base.sampled, &t, s->depth, share);
    rd_sampled_claim(&s->base.sampled, &t, c);
}

struct pctvb_tally {
    uint32_t woken, lost;
};

static size_t tally(const void *state, void *to, size_t room) {
    const struct pctvb_search *s = state;
    struct pctvb_tally t = {s->woken, s->lost};
    memcpy(to, &t, sizeof t);
    return sizeof t + rd_sampler_tally(s, (char *)to + sizeof t, room - sizeof t);
}

static void merge(void *state, const void *from, size_t size) {
    struct pctvb_search *s = state;
    struct pctvb_tally t;
    RD_CHECK(size > sizeof t);
    memcpy(&t, from, sizeof t);
    s->woken |= t.woken != 0;
    s->lost |= t.lost != 0;
    rd_sampler_merge(s, (const char *)from + sizeof t, size - sizeof t);
}

static const struct rd_search_team_ops team_ops = {.share = RD_SHARE_TICKETS, .tally = tally, .merge = merge};

const struct rd_search rd_search_pctvb = {
    .name = "pctvb",
    .summary = "random priorities that change at d - 1 operations on v random variables: d=3, v=1",
    .keys = "d# v#",
    .guarantee = {.sentence = RD_SAMPLES_ONLY},
    .open = open_pctvb,
    .next = next,
    .feedback = feedback,
    .claim = claim,
    .hooks = {.check = check},
    .team = &team_ops,
};
