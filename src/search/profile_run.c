/*
 * profile_run.c - executions that only count which threads use which variable (trace/profile.h), each under another
 * random schedule. It is not in the table of strategies: it says nothing about schedules.
 */
#include "search/search.h"

struct profile {
    uint64_t seed, count;
};

static void *open_profile(struct rd_arena *a, const struct rd_params *params) {
    struct profile *p = rd_arena_zero(a, sizeof *p);
    p->seed = params->seed;
    return p;
}

static enum rd_next next(void *state, struct rd_draft *draft) {
    struct profile *p = state;
    draft->plan = (struct rd_plan){
        .picker = RD_PICK_RANDOM, .seed = rd_hash2(p->seed, p->count++), .access_points = RD_ACCESSES_PROFILE};
    return RD_NEXT_RUN;
}

static void feedback(void *state, const struct rd_plan *plan, const struct rd_record *r) {
    (void)state, (void)plan, (void)r;
}

static void claim(const void *state, struct rd_claim *c) { (void)state, (void)c; }

const struct rd_search rd_search_profile = {
    .name = "profile",
    .summary = "counts who uses which variable",
    .keys = "",
    .guarantee = {.sentence = "variables were counted; nothing is proved"},
    .profiles_memory = true,
    .profiles_only = true,
    .open = open_profile,
    .next = next,
    .feedback = feedback,
    .claim = claim,
};
