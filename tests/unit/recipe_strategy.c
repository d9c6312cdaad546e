/*
 * recipe_strategy.c - the recipe of CONTRIBUTING.md for "a strategy", followed: this file and one row of
 * src/search/table.c (`ROW(rd_search_recipe)`, which CMakeLists.txt adds to the table of the unit tests) are all
 * that it takes. The strategy draws executions of two pickers in turn; test_recipe.c is its unit test.
 */
#include "search/sampler/sampler.h"

static enum rd_next next(void *state, struct rd_draft *draft) {
    uint64_t number = rd_sampler_number(state);
    rd_sampler_plan(state, draft, number % 2 ? RD_PICK_LAST : RD_PICK_STAY);
    return RD_NEXT_RUN;
}

const struct rd_search rd_search_recipe = {
    .name = "recipe",
    .summary = "the default schedule and its reverse in turn",
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
