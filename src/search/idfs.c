/*
 * idfs.c - iterative depth bounding: depth-first search of what executions do in their first N operations, then in
 * their first 2N, and so on until none is longer. Each round begins anew, so short executions are run in every one.
 */
#include "search/bound.h"
#include "search/dfs.h"

struct idfs {
    struct rd_dfs *dfs;
    struct rd_bound bound;
    uint64_t step, limit; /* how much deeper each round goes; where to stop, 0: nowhere */
};

static void *open_idfs(struct rd_arena *a, const struct rd_params *params) {
    struct idfs *s = rd_arena_zero(a, sizeof *s);
    s->step = rd_param_number(params, "step", 10);
    s->limit = rd_param_number(params, "depth", 0);
    s->bound.finished = -1;
    s->dfs = rd_dfs_open(a, s->limit ? RD_MIN(s->step, s->limit) : s->step);
    return s;
}

static enum rd_next next(void *state, struct rd_draft *d) {
    struct idfs *s = state;
    uint64_t depth = rd_dfs_depth(s->dfs);
    if (rd_dfs_next(s->dfs, d) == RD_NEXT_RUN)
        return RD_NEXT_RUN;
    s->bound.beyond = rd_dfs_cut(s->dfs) > 0;
    if (!s->bound.beyond || depth == s->limit) {
        rd_bound_end(&s->bound, (int64_t)depth);
        return RD_NEXT_DONE;
    }
    rd_bound_finish(&s->bound, (int64_t)depth);
    s->bound.executions = 0; /* of a round */
    depth = s->limit ? RD_MIN(depth + s->step, s->limit) : depth + s->step;
    rd_dfs_restart(s->dfs, depth);
    return rd_dfs_next(s->dfs, d);
}

static void feedback(void *state, const struct rd_plan *plan, const struct rd_record *r) {
    struct idfs *s = state;
    s->bound.executions++;
    rd_dfs_feedback(s->dfs, plan, r);
}

static void claim(const void *state, struct rd_claim *c) {
    const struct idfs *s = state;
    *c = rd_claim_nothing();
    struct rd_text t;
    rd_bound_depth_words(&s->bound, c);
    rd_text_init(&t, c->phase, sizeof c->phase);
    rd_text_str(&t, "what executions do after operation ");
    rd_bound_count(&t, (uint64_t)RD_MAX(s->bound.finished, (int64_t)0));
    c->depth = (int32_t)RD_MIN(s->bound.finished, (int64_t)INT32_MAX);
}

static const char *check(const struct rd_params *params) {
    return rd_param_number(params, "step", 10) == 0 ? "'step' must be at least 1" : NULL;
}

const struct rd_search rd_search_idfs = {
    .name = "idfs",
    .summary = "depth first, first of short executions: step=10 operations more a round, depth=N at most N",
    .keys = "step# depth#",
    .exhaustive = true,
    .outcomes = true,
    .focus = true,
    .check = check,
    .open = open_idfs,
    .next = next,
    .feedback = feedback,
    .claim = claim,
    .guarantee = "what every schedule does in as many operations as the bound allows was run",
};
