/*
 * pctvb.c - priorities that change at few variables (Bindal, Bansal and Lal, "Variable and thread bounding for
 * systematic testing of multithreaded programs", ISSTA 2013, section 5). Of Q variables v are drawn, and the d - 1
 * changes of pct come before operations on these only: one of all that an execution does to them, drawn from their
 * number. A bug of depth d whose changes are at v variables is found by each execution with a probability of at
 * least 1 / (C(Q, v) n k^(d-1)): n threads, and k operations on the v variables that are used most. The paper has
 * the change after an access; a point of ours is before one, and then only what is tracked must be one.
 *
 * The first few executions profile, and later the 64th, 128th … do again: how often each variable is used is a mean
 * of those, or the most that was seen since. An execution that has more of anything than was thought counts for
 * nothing, nor do those before it. Of several workers each profiles for itself.
 */
#include "base/rng.h"
#include "pick/pct.h"
#include "search/bound.h"
#include "search/rank/var_groups.h"
#include "search/sample.h"
#include "search/search.h"
#include "search/team/team.h"
#include "trace/track.h"

#include <string.h>

enum { PROFILES = 3, AGAIN = 64 };

struct pctvb {
    uint64_t seed, count;
    const struct rd_team *team;
    uint32_t depth, variables, threads;
    bool woken; /* somewhere it was a choice who is woken: that is drawn, and not counted */
    bool lost;  /* not everything of a variable could be tracked, or not every variable was profiled */
    struct rd_var_groups groups;
    uint32_t chosen[RD_PCT_DEPTH_MAX], chosen_count; /* in the execution that is being run */
    struct rd_sampled sampled;
};

static const char *check(const struct rd_params *params) {
    uint64_t d = rd_param_number(params, "d", 3), v = rd_param_number(params, "v", 1);
    if (d < 2 || d > RD_PCT_DEPTH_MAX)
        return "strategy parameter 'd' of pctvb must be from 2 to 32";
    return v >= 1 && v < d ? NULL : "strategy parameter 'v' of pctvb must be from 1 to d - 1";
}

static void *open_pctvb(struct rd_arena *a, const struct rd_params *params) {
    struct pctvb *s = rd_arena_zero(a, sizeof *s);
    s->groups.arena = a;
    s->seed = params->seed;
    s->team = params->team;
    rd_sampled_open(&s->sampled, a, params->memory_max / 2); /* the rest is for the variables */
    s->depth = (uint32_t)rd_param_number(params, "d", 3);
    s->variables = (uint32_t)rd_param_number(params, "v", 1);
    s->threads = 1;
    return s;
}

static bool profiles(uint64_t number) {
    return number < PROFILES || (number >= AGAIN && (number & (number - 1)) == 0);
}

/* Each set of so many groups with the same probability (Floyd's algorithm). */
static void choose(struct pctvb *s, struct rd_rng *rng) {
    uint32_t all = s->groups.list.count, want = RD_MIN(s->variables, all);
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

static uint32_t uses(const struct pctvb *s) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < s->chosen_count; i++)
        sum += s->groups.list.at[s->chosen[i]].uses;
    return sum;
}

/* The change at the so manieth of all operations on the chosen ones, as one of one of them. */
static struct rd_weight change(const struct pctvb *s, uint32_t at) {
    uint32_t i = 0;
    while (at >= s->groups.list.at[s->chosen[i]].uses)
        at -= s->groups.list.at[s->chosen[i++]].uses;
    return (struct rd_weight){.steps = at + 1, .parent = (rd_tid)i};
}

static enum rd_next next(void *state, struct rd_draft *draft) {
    struct pctvb *s = state;
    uint64_t number = s->count++, seed = rd_hash2(s->seed, s->team ? s->team->ticket : number);
    if (profiles(number)) {
        draft->plan =
            (struct rd_plan){.picker = RD_PICK_RANDOM, .seed = seed, .access_points = RD_ACCESSES_PROFILE};
        return RD_NEXT_RUN;
    }
    struct rd_rng rng;
    bool all;
    rd_rng_seed(&rng, rd_mix(seed));
    choose(s, &rng);
    draft->plan = (struct rd_plan){
        .picker = RD_PICK_PCT, .seed = seed, .ask_always = 1, .access_points = RD_ACCESSES_TRACKED, .a = s->depth};
    draft->plan.track_count =
        rd_var_groups_track(&s->groups, s->chosen, s->chosen_count, draft->track, RD_TRACKS_MAX, &all);
    s->lost |= !all;
    uint32_t k = uses(s);
    draft->plan.a = k ? s->depth : 1; /* without a variable there is nowhere to change */
    for (uint32_t i = 0; k && i + 1 < s->depth; i++)
        draft->weight[i] = change(s, rd_rng_below(&rng, k));
    return RD_NEXT_RUN;
}

/* Are there more operations on a variable than was thought? */
static bool more_uses(struct pctvb *s, const struct rd_plan *plan, const struct rd_record *r) {
    uint32_t seen[RD_PCT_DEPTH_MAX] = {0};
    bool more = false;
    for (uint32_t i = 0; i < r->out->steps; i++) {
        const struct rd_step *p = &r->steps[i];
        const struct rd_track *t = rd_track_of_step(r->track, plan->track_count, p);
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
    struct pctvb *s = state;
    bool more = r->out->threads > s->threads;
    s->threads = RD_MAX(s->threads, r->out->threads);
    if (plan->access_points == RD_ACCESSES_PROFILE) {
        s->sampled.failed |= r->out->verdict == RD_FOUND;
        s->lost |= r->profile->lost != 0;
        more |= rd_var_groups_learn(&s->groups, r->profile);
    } else {
        rd_sampled_add(&s->sampled, r);
        more |= more_uses(s, plan, r);
    }
    if (more)
        rd_sampled_anew(&s->sampled);
}

/* Operations on the variables that are used most, so many as are drawn together. */
static double most_uses(const struct pctvb *s) {
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
    const struct pctvb *s = state;
    struct rd_text t;
    *c = rd_claim_none();
    rd_text_init(&t, c->proved, sizeof c->proved);
    uint32_t all = s->groups.list.count, v = RD_MIN(s->variables, all);
    double k = most_uses(s), found = 1.0 / s->threads;
    for (uint32_t i = 0; i < v; i++)
        found *= (i + 1.0) / (all - i); /* one of C(all, v) */
    for (uint32_t i = 1; i < s->depth; i++)
        found /= k;
    double share = k > 0 ? rd_sampled_missed(&s->sampled, found) : 1;
    if (!s->sampled.failed && !s->woken && !s->lost && share <= 0.5) {
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
        rd_sampled_too_few(&s->sampled, &t, s->depth, share);
    rd_sampled_claim(&s->sampled, &t, c);
}

static uint64_t distribution(const struct pctvb *s) {
    const struct rd_map *m = &s->groups.index;
    uint64_t h = 0;
    for (uint32_t i = 0; i < m->room; i++)
        if (m->slots[i].key)
            h += rd_hash2(m->slots[i].key, s->groups.list.at[m->slots[i].value - 1].uses);
    return rd_hash2(h, s->threads);
}

struct tally {
    uint32_t woken, lost;
};

static size_t tally(const void *state, void *to, size_t room) {
    const struct pctvb *s = state;
    struct tally t = {s->woken, s->lost};
    memcpy(to, &t, sizeof t);
    return sizeof t + rd_sampled_tally_of(&s->sampled, distribution(s), (char *)to + sizeof t, room - sizeof t);
}

static void merge(void *state, const void *from, size_t size) {
    struct pctvb *s = state;
    struct tally t;
    memcpy(&t, from, sizeof t);
    s->woken |= t.woken != 0;
    s->lost |= t.lost != 0;
    rd_sampled_merge_of(&s->sampled, distribution(s), (const char *)from + sizeof t, size - sizeof t);
}

static const struct rd_search_team_ops team_ops = {.share = RD_SHARE_TICKETS, .tally = tally, .merge = merge};

const struct rd_search rd_search_pctvb = {
    .name = "pctvb",
    .summary = "random priorities that change at d - 1 operations on v random variables: d=3, v=1",
    .keys = "d# v#",
    .guarantee = {.sentence = "schedules were sampled; nothing is proved"},
    .open = open_pctvb,
    .next = next,
    .feedback = feedback,
    .claim = claim,
    .hooks = {.check = check},
    .team = &team_ops,
};
