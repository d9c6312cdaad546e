/* pos_rapos.c - samplers without parameters: independent executions of one picker. */
#include "search/bound.h"
#include "search/sample.h"
#include "search/search.h"
#include "search/team/team.h"

struct draws {
    uint64_t seed, count;
    const struct rd_team *team;
    struct rd_sampled sampled;
};

static void *open_draws(struct rd_arena *a, const struct rd_params *params) {
    struct draws *s = rd_arena_zero(a, sizeof *s);
    s->seed = params->seed;
    s->team = params->team;
    rd_sampled_open(&s->sampled, a, params->memory_max);
    return s;
}

static enum rd_next draw(void *state, struct rd_draft *draft, uint32_t picker) {
    struct draws *s = state;
    s->count = s->team ? s->team->ticket : s->count;
    draft->plan = (struct rd_plan){.picker = picker, .seed = rd_hash2(s->seed, s->count++), .ask_always = 1};
    return RD_NEXT_RUN;
}

static enum rd_next next_pos(void *state, struct rd_draft *draft) { return draw(state, draft, RD_PICK_POS); }
static enum rd_next next_rapos(void *state, struct rd_draft *draft) { return draw(state, draft, RD_PICK_RAPOS); }

static void feedback(void *state, const struct rd_plan *plan, const struct rd_record *r) {
    (void)plan;
    rd_sampled_add(&((struct draws *)state)->sampled, r);
}

static void claim(const void *state, struct rd_claim *c) {
    struct rd_text t;
    *c = rd_claim_none();
    rd_text_init(&t, c->proved, sizeof c->proved);
    rd_sampled_claim(&((const struct draws *)state)->sampled, &t, c);
}

static size_t tally(const void *state, void *to, size_t room) {
    return rd_sampled_tally(&((const struct draws *)state)->sampled, to, room);
}

static void merge(void *state, const void *from, size_t size) {
    rd_sampled_merge(&((struct draws *)state)->sampled, from, size);
}

#define SAMPLES_ONLY "schedules were sampled; nothing is proved"

static const struct rd_search_team_ops team_ops = {.share = RD_SHARE_TICKETS, .tally = tally, .merge = merge};

const struct rd_search rd_search_pos = {
    .name = "pos",
    .summary = "a random priority for every operation, drawn anew where the order matters",
    .keys = "",
    .guarantee = {.sentence = SAMPLES_ONLY},
    .keeps_within = true,
    .focusable = true,
    .open = open_draws,
    .next = next_pos,
    .feedback = feedback,
    .claim = claim,
    .team = &team_ops,
};

const struct rd_search rd_search_rapos = {
    .name = "rapos",
    .summary = "random sets of independent operations, then what depends on them",
    .keys = "",
    .guarantee = {.sentence = SAMPLES_ONLY},
    .keeps_within = true,
    .focusable = true,
    .open = open_draws,
    .next = next_rapos,
    .feedback = feedback,
    .claim = claim,
    .team = &team_ops,
};
