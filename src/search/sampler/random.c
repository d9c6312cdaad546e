/*
 * random.c - a random walk: at every point each enabled thread is equally likely. It never finishes. One divided
 * by the probability of an execution is on average the number of all schedules (Knuth, "Estimating the efficiency
 * of backtrack programs", Mathematics of Computation 1975): the mean over the executions so far is the estimate of
 * the whole.
 *
 * With var=NAME only synchronisation, atomics and the accesses to these variables are points. With v=N a profile
 * execution comes first, then the points are the accesses to N of the shared variables, which are drawn again
 * after some executions. In a team one worker runs the profile, and all workers draw from it: each set of
 * variables has a number, which follows from the numbers of its executions.
 */
#include "base/rng.h"
#include "search/tree_estimate.h"
#include "search/sampler/sampler.h"
#include "search/team/team.h"
#include "trace/profile.h"
#include "trace/track.h"

#include <string.h>

enum { VARS_MAX = RD_RANGES_MAX, SAME_SET = 32 };

/*
 * The variables that v=N draws from: shared ones that are not only used for synchronisation, in the order of the
 * profile.
 */
struct random_vars {
    uint32_t known; /* the profile was run, and `at` has its variables */
    uint32_t count;
    struct random_var {
        rd_place first, last;
    } at[RD_VARS_MAX];
};

struct random_search {
    struct rd_sampler base;
    struct rd_team *team;
    double mean; /* of the estimates of the executions so far */
    uint64_t samples;
    bool bounded, named;
    uint32_t vars;              /* the parameter v */
    struct random_vars *choice; /* in a team shared by all workers, in the hub */
    uint64_t set;               /* number of the set that is tracked, + 1; 0: none yet */
    struct rd_track track[VARS_MAX];
    uint32_t track_count;
};

static const char *check(const struct rd_params *params) {
    if (rd_param_given(params, "v") && rd_param_given(params, "var"))
        return "strategy parameters 'v' and 'var' of random exclude each other";
    return rd_param_number(params, "v", 0) <= VARS_MAX ? NULL
                                                       : "strategy parameter 'v' of random must be at most 64";
}

/* Inserts a range into the sorted list. A range that overlaps another one is left out. */
static void track(struct random_search *w, rd_place first, rd_place last) {
    RD_CHECK(first <= last && w->track_count < VARS_MAX);
    uint32_t at = w->track_count;
    for (uint32_t i = 0; i < w->track_count; i++)
        if (first <= w->track[i].last && w->track[i].first <= last)
            return;
    for (; at > 0 && w->track[at - 1].first > first; at--)
        w->track[at] = w->track[at - 1];
    w->track[at] = (struct rd_track){first, last, 0, 0};
    w->track_count++;
}

static void *open_walk(struct rd_arena *a, const struct rd_params *params) {
    struct random_search *w = rd_arena_zero(a, sizeof *w);
    w->team = params->team;
    rd_sampler_open(&w->base, a, params, params->memory_max);
    w->vars = (uint32_t)rd_param_number(params, "v", 0);
    w->bounded = rd_param_given(params, "var") || rd_param_given(params, "v");
    w->named = w->bounded && w->vars == 0; /* `var`, or v=0 for no variable at all */
    if (w->vars) {
        w->choice = w->team ? rd_team_box(w->team, 0) : rd_arena_alloc(a, sizeof *w->choice);
        if (!w->team || w->team->me == 0)
            w->choice->known = 0;
    }
    for (uint32_t i = 0; rd_param_given(params, "var") && i < params->range_count; i++)
        if (params->ranges[i].list == RD_NAMES_VAR)
            track(w, params->ranges[i].first, params->ranges[i].last);
    return w;
}

static rd_place last_of(const struct rd_var *v) { return v->first + RD_MAX(v->size, (uint64_t)1) - 1; }

/* Takes the variables from the profile. */
static void learn(struct random_search *w, const struct rd_profile *p) {
    struct random_vars *c = w->choice;
    RD_CHECK(p->var_count <= RD_VARS_MAX && !c->known);
    c->count = 0;
    for (uint32_t i = 0; i < p->var_count; i++) {
        const struct rd_var *v = &p->vars[i];
        if (rd_var_contended(v) && v->flags & RD_VAR_PLAIN && v->flags & RD_VAR_WRITTEN)
            c->at[c->count++] = (struct random_var){v->first, last_of(v)};
    }
    __atomic_store_n(&c->known, 1, __ATOMIC_RELEASE);
    if (!w->team)
        return;
    rd_team_lock(w->team);
    rd_team_call(w->team);
    rd_team_unlock(w->team);
}

/* Draws set number `set`; each variable is equally likely. */
static void draw(struct random_search *w, uint64_t set) {
    struct rd_rng g;
    rd_rng_seed(&g, rd_hash2(w->base.seed ^ 0x766172, set * SAME_SET + 1));
    w->set = set + 1;
    w->track_count = 0;
    while (w->track_count < w->vars) {
        const struct random_var *chosen = NULL;
        uint32_t seen = 0;
        for (uint32_t i = 0; i < w->choice->count; i++) {
            const struct random_var *v = &w->choice->at[i];
            uint32_t size = (uint32_t)RD_MIN(v->last - v->first + 1, (uint64_t)UINT32_MAX);
            if (!rd_track_find(w->track, w->track_count, v->first, size) && rd_rng_below(&g, ++seen) == 0)
                chosen = v;
        }
        if (!chosen)
            break;
        track(w, chosen->first, chosen->last);
    }
    for (uint32_t i = 0; i < w->track_count; i++)
        w->track[i].var = i;
}

/* Makes the set of the next execution the tracked one. Returns false if the variables are not known yet. */
static bool take_set(struct random_search *w) {
    if (w->named)
        return true;
    if (w->team)
        w->team->seen = __atomic_load_n(&w->team->hub->event, __ATOMIC_ACQUIRE);
    if (!__atomic_load_n(&w->choice->known, __ATOMIC_ACQUIRE))
        return false;
    RD_CHECK(rd_sampler_number(&w->base) > 0); /* number 0 is the profile */
    uint64_t set = (rd_sampler_number(&w->base) - 1) / SAME_SET;
    if (w->set != set + 1)
        draw(w, set);
    return true;
}

static enum rd_next next(void *state, struct rd_draft *draft) {
    struct random_search *w = state;
    bool profile = w->bounded && !w->named && rd_sampler_number(&w->base) == 0;
    if (w->bounded && !profile && !take_set(w))
        return RD_NEXT_WAIT; /* another worker runs the profile */
    rd_sampler_plan(&w->base, draft, RD_PICK_RANDOM);
    if (profile) {
        draft->plan.access_points = RD_ACCESSES_PROFILE;
    } else if (w->bounded) {
        draft->plan.access_points = RD_ACCESSES_TRACKED;
        draft->plan.track_count = w->track_count;
        memcpy(draft->track, w->track, w->track_count * sizeof *w->track);
    }
    return RD_NEXT_RUN;
}

static void feedback(void *state, const struct rd_plan *plan, const struct rd_record *r) {
    struct random_search *w = state;
    double weight = rd_tree_estimate_weight(r);
    if (w->choice && plan->access_points == RD_ACCESSES_PROFILE)
        learn(w, r->profile);
    if (!w->bounded) /* each set of variables is another distribution */
        rd_sampled_add(&w->base.sampled, r);
    if (r->out->verdict != RD_CUT && weight > 0)
        w->mean += (1 / weight - w->mean) / (double)++w->samples;
}

static void claim(const void *state, struct rd_claim *c) {
    const struct random_search *w = state;
    struct rd_text t;
    *c = rd_claim_none();
    if (w->bounded)
        return;
    c->estimate = w->mean;
    rd_text_init(&t, c->proved, sizeof c->proved);
    rd_sampled_claim(&w->base.sampled, &t, c);
}

struct random_tally {
    double mean;
    uint64_t samples;
};

static size_t tally(const void *state, void *to, size_t room) {
    const struct random_search *w = state;
    struct random_tally t = {w->mean, w->samples};
    memcpy(to, &t, sizeof t);
    return sizeof t + rd_sampler_tally(w, (char *)to + sizeof t, room - sizeof t);
}

static void merge(void *state, const void *from, size_t size) {
    struct random_search *w = state;
    struct random_tally t;
    RD_CHECK(size > sizeof t);
    memcpy(&t, from, sizeof t);
    w->samples += t.samples;
    if (t.samples)
        w->mean += (t.mean - w->mean) * (double)t.samples / (double)w->samples;
    rd_sampler_merge(w, (const char *)from + sizeof t, size - sizeof t);
}

static const struct rd_search_team_ops team_ops = {.share = RD_SHARE_TICKETS, .tally = tally, .merge = merge};

const struct rd_search rd_search_random = {
    .name = "random",
    .summary =
        "a random walk: uniform among the threads that can go on; v=N or var=NAME,…: at the accesses to N shared "
        "variables or to these",
    .keys = "v# var=",
    .guarantee = {.sentence = RD_SAMPLES_ONLY},
    .keeps_within = true,
    .focusable = true,
    .open = open_walk,
    .next = next,
    .feedback = feedback,
    .claim = claim,
    .hooks = {.check = check},
    .team = &team_ops,
};
