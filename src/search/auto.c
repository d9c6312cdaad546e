/*
 * auto.c - the default: a quick random sweep, which reaches bugs anywhere in an execution, then depth-first
 * search, which ends with a proof when the test is small. The sweep's length is the parameter `sweep`.
 */
#include "search/bound.h"
#include "search/search.h"

struct plan_of {
    void *walk, *dfs;
    uint64_t left;
    bool walking;
};

static void *open_auto(struct rd_arena *a, const struct rd_params *params) {
    struct plan_of *p = rd_arena_zero(a, sizeof *p);
    p->left = rd_param_number(params, "sweep", 200);
    p->walk = rd_search_random.open(a, params);
    p->dfs = rd_search_dfs.open(a, params);
    return p;
}

static enum rd_next next(void *state, struct rd_draft *draft) {
    struct plan_of *p = state;
    p->walking = p->left > 0;
    if (!p->walking)
        return rd_search_dfs.next(p->dfs, draft);
    p->left--;
    return rd_search_random.next(p->walk, draft);
}

static void feedback(void *state, const struct rd_plan *plan, const struct rd_record *r) {
    struct plan_of *p = state;
    if (p->walking)
        rd_search_random.feedback(p->walk, plan, r);
    else
        rd_search_dfs.feedback(p->dfs, plan, r);
}

static void claim(const void *state, struct rd_claim *c) {
    const struct plan_of *p = state;
    if (!p->walking) {
        rd_search_dfs.claim(p->dfs, c);
        return;
    }
    struct rd_claim walk;
    rd_search_random.claim(p->walk, &walk);
    *c = rd_claim_nothing(); /* what it says of a walk is not true of this strategy */
    c->estimate = walk.estimate;
}

const struct rd_search rd_search_auto = {
    .name = "auto",
    .summary = "the default: a random sweep (sweep=200 executions), then dfs",
    .keys = "sweep#",
    .exhaustive = true,
    .outcomes = true,
    .focus = true,
    .open = open_auto,
    .next = next,
    .feedback = feedback,
    .claim = claim,
    .guarantee = "every schedule of this test on this input was run",
};
