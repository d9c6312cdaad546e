/*
 * profile_run.c - executions that only count which threads use which variable (trace/profile.h), each under
 * another random schedule. It is the search of 'raddle list variables', not a strategy, and keeps no statistics of
 * its sample.
 */
#include "search/sampler/sampler.h"

static enum rd_next next(void *state, struct rd_draft *draft) {
    rd_sampler_plan(state, draft, RD_PICK_RANDOM);
    draft->plan.access_points = RD_ACCESSES_PROFILE;
    return RD_NEXT_RUN;
}

static void feedback(void *state, const struct rd_plan *plan, const struct rd_record *r) {
    (void)state, (void)r;
    RD_CHECK(plan->access_points == RD_ACCESSES_PROFILE);
}

static void claim(const void *state, struct rd_claim *c) { (void)state, (void)c; }

const struct rd_search rd_search_profile = {
    .name = "profile",
    .summary = "counts who uses which variable",
    .keys = "",
    .guarantee = {.sentence = "variables were counted; nothing is proved"},
    .profiles_memory = true,
    .profiles_only = true,
    .open = rd_sampler_open_plain,
    .next = next,
    .feedback = feedback,
    .claim = claim,
};
