/* pos.c - partial-order sampling (pick/pos.c): independent executions of the picker. */
#include "search/sampler/sampler.h"

static enum rd_next next(void *state, struct rd_draft *draft) {
    rd_sampler_plan(state, draft, RD_PICK_POS);
    draft->plan.ask_always = 1;
    return RD_NEXT_RUN;
}

const struct rd_search rd_search_pos = {
    .name = "pos",
    .summary = "a random priority for every operation, drawn anew where the order matters",
    .keys = "",
    .guarantee = {.sentence = RD_SAMPLES_ONLY},
    .focusable = true,
    .keeps_within = true,
    .open = rd_sampler_open_plain,
    .next = next,
    .feedback = rd_sampler_feedback,
    .claim = rd_sampler_claim,
    .team = &rd_sampler_team_ops,
};
