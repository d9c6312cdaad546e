/* sampler.c - see sampler.h. */
#include "search/sampler/sampler.h"

#include "search/team/team.h"

void rd_sampler_open(struct rd_sampler *s, struct rd_arena *a, const struct rd_params *params,
                     uint64_t memory_max) {
    s->seed = params->seed;
    s->team = params->team;
    rd_sampled_open(&s->sampled, a, memory_max);
}

uint64_t rd_sampler_number(const struct rd_sampler *s) { return s->team ? s->team->ticket : s->planned; }

void rd_sampler_plan(struct rd_sampler *s, struct rd_draft *d, uint32_t picker) {
    RD_CHECK(picker < RD_PICKERS);
    d->plan = (struct rd_plan){.picker = picker, .seed = rd_hash2(s->seed, rd_sampler_number(s))};
    s->planned++;
}

void *rd_sampler_open_plain(struct rd_arena *a, const struct rd_params *params) {
    struct rd_sampler *s = rd_arena_zero(a, sizeof *s);
    rd_sampler_open(s, a, params, params->memory_max);
    return s;
}

void rd_sampler_feedback(void *state, const struct rd_plan *plan, const struct rd_record *r) {
    struct rd_sampler *s = state;
    (void)plan;
    rd_sampled_add(&s->sampled, r);
}

void rd_sampler_claim(const void *state, struct rd_claim *c) {
    const struct rd_sampler *s = state;
    struct rd_text t;
    *c = rd_claim_none();
    rd_text_init(&t, c->proved, sizeof c->proved);
    rd_sampled_claim(&s->sampled, &t, c);
}

static uint64_t distribution_of(const struct rd_sampler *s) { return s->distribution ? s->distribution(s) : 0; }

size_t rd_sampler_tally(const void *state, void *to, size_t room) {
    const struct rd_sampler *s = state;
    return rd_sampled_tally_of(&s->sampled, distribution_of(s), to, room);
}

void rd_sampler_merge(void *state, const void *from, size_t size) {
    struct rd_sampler *s = state;
    rd_sampled_merge_of(&s->sampled, distribution_of(s), from, size);
}

const struct rd_search_team_ops rd_sampler_team_ops = {
    .share = RD_SHARE_TICKETS, .tally = rd_sampler_tally, .merge = rd_sampler_merge};
