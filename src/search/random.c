/* random.c - a random walk: at every point each thread that can go on is equally likely. Never finishes. */
#include "search/search.h"

struct walk {
    uint64_t seed, count;
};

static void *open_walk(struct rd_arena *a, const struct rd_params *params) {
    struct walk *w = rd_arena_zero(a, sizeof *w);
    w->seed = params->seed;
    return w;
}

static enum rd_next next(void *state, struct rd_draft *draft) {
    struct walk *w = state;
    draft->plan = (struct rd_plan){.picker = RD_PICK_RANDOM, .seed = rd_hash2(w->seed, w->count++)};
    return RD_NEXT_RUN;
}

static void feedback(void *state, const struct rd_plan *plan, const struct rd_record *r) {
    (void)state;
    (void)plan;
    (void)r;
}

const struct rd_search rd_search_random = {
    .name = "random",
    .summary = "a random walk: uniform among the threads that can go on",
    .keys = "",
    .exhaustive = false,
    .open = open_walk,
    .next = next,
    .feedback = feedback,
    .guarantee = "schedules were sampled; nothing is proved",
};
