/*
 * urw.c - a walk in proportion to what each thread has yet to do (pick/urw.c). How much that is is the mean of the
 * executions so far that ended well, worked out anew after the 1st, 2nd, 4th … of them; so the distribution changes
 * rarely, and what was drawn from another one is not counted. Of several workers each learns for itself.
 */
#include "search/bound.h"
#include "search/sample.h"
#include "search/search.h"
#include "search/team/team.h"

#include <string.h>

struct urw {
    uint64_t seed, count;
    const struct rd_team *team;
    uint64_t learned;           /* executions in `steps` */
    uint64_t steps[RD_TID_MAX]; /* of each thread, in all of them */
    struct rd_weight weight[RD_TID_MAX];
    uint32_t known;
    struct rd_sampled sampled;
};

static void *open_urw(struct rd_arena *a, const struct rd_params *params) {
    struct urw *s = rd_arena_zero(a, sizeof *s);
    s->seed = params->seed;
    s->team = params->team;
    rd_sampled_open(&s->sampled, a, params->memory_max);
    return s;
}

static enum rd_next next(void *state, struct rd_draft *draft) {
    struct urw *s = state;
    s->count = s->team ? s->team->ticket : s->count;
    draft->plan = (struct rd_plan){.picker = RD_PICK_URW, .seed = rd_hash2(s->seed, s->count++), .ask_always = 1};
    draft->plan.a = s->known;
    memcpy(draft->weight, s->weight, s->known * sizeof *s->weight);
    return RD_NEXT_RUN;
}

/* Have the weights changed? */
static bool weigh(struct urw *s, const struct rd_record *r) {
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
    struct urw *s = state;
    (void)plan;
    rd_sampled_add(&s->sampled, r);
    if (r->out->verdict != RD_PASSED)
        return;
    for (uint32_t i = 0; i < r->out->steps; i++)
        if (!(rd_op_flags(r->steps[i].op) & RD_F_VALUE))
            s->steps[r->steps[i].tid]++;
    s->learned++;
    if ((s->learned & (s->learned - 1)) == 0 && weigh(s, r))
        rd_sampled_anew(&s->sampled);
}

static void claim(const void *state, struct rd_claim *c) {
    struct rd_text t;
    *c = rd_claim_none();
    rd_text_init(&t, c->proved, sizeof c->proved);
    rd_sampled_claim(&((const struct urw *)state)->sampled, &t, c);
}

static uint64_t distribution(const struct urw *s) {
    uint64_t h = s->known;
    for (uint32_t t = 0; t < s->known; t++)
        h = rd_hash2(h, (uint64_t)s->weight[t].steps << 16 | s->weight[t].parent);
    return h;
}

static size_t tally(const void *state, void *to, size_t room) {
    const struct urw *s = state;
    return rd_sampled_tally_of(&s->sampled, distribution(s), to, room);
}

static void merge(void *state, const void *from, size_t size) {
    struct urw *s = state;
    rd_sampled_merge_of(&s->sampled, distribution(s), from, size);
}

static const struct rd_search_team_ops team_ops = {.share = RD_SHARE_TICKETS, .tally = tally, .merge = merge};

const struct rd_search rd_search_urw = {
    .name = "urw",
    .summary = "a random walk in proportion to what each thread has yet to do: schedules are about equally likely",
    .keys = "",
    .guarantee = {.sentence = "schedules were sampled; nothing is proved"},
    .keeps_within = true,
    .focusable = true,
    .open = open_urw,
    .next = next,
    .feedback = feedback,
    .claim = claim,
    .team = &team_ops,
};
