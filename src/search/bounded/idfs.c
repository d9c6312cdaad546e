/*
 * idfs.c - iterative depth bounding: a depth-first search of the first N operations of executions, then of the
 * first 2N, and so on until no execution is longer. Each round begins with an empty path, so short executions are
 * run in every round.
 *
 * In a team (team/team.h) a round is a level: the first worker begins each round, when all workers have finished
 * the previous one.
 */
#include "search/bounded/bound.h"
#include "search/dfs.h"
#include "search/team/team.h"

#include <string.h>

/* Executions of a worker in the last round that it took part in, and in the round before that. */
struct rounds {
    uint64_t last, in_last, in_previous;
};

struct idfs {
    struct rd_dfs *dfs;
    struct rd_bound bound;
    uint64_t step, limit; /* `step`: by how much each round is deeper; `limit`: the last depth, 0: none */
    struct rd_team *team;
    struct rounds rounds;
    uint64_t others[2]; /* executions of the other workers, in the team's last round and in the one before */
};

static void *open_idfs(struct rd_arena *a, const struct rd_params *params) {
    struct idfs *s = rd_arena_zero(a, sizeof *s);
    s->step = rd_param_number(params, "step", 10);
    s->limit = rd_param_number(params, "depth", 0);
    s->bound.finished = -1;
    s->dfs = rd_dfs_open(a, s->limit ? RD_MIN(s->step, s->limit) : s->step);
    s->team = params->team;
    if (s->team && s->team->me)
        rd_dfs_wait(s->dfs); /* the first worker runs the first execution */
    return s;
}

static enum rd_next next(void *state, struct rd_draft *d) {
    struct idfs *s = state;
    uint64_t depth = rd_dfs_depth(s->dfs);
    enum rd_next asked = rd_dfs_next(s->dfs, d);
    RD_CHECK(asked == RD_NEXT_RUN || !s->team); /* in a team `level` has said that there is an execution */
    if (asked == RD_NEXT_RUN)
        return RD_NEXT_RUN;
    s->bound.beyond = rd_dfs_cut(s->dfs) > 0;
    if (!s->bound.beyond || depth == s->limit) {
        rd_bound_end(&s->bound, (int64_t)depth);
        return RD_NEXT_DONE;
    }
    rd_bound_finish(&s->bound, (int64_t)depth);
    s->bound.executions = 0; /* executions are counted for each round */
    depth = s->limit ? RD_MIN(depth + s->step, s->limit) : depth + s->step;
    rd_dfs_restart(s->dfs, depth);
    return rd_dfs_next(s->dfs, d);
}

static void feedback(void *state, const struct rd_plan *plan, const struct rd_record *r) {
    struct idfs *s = state;
    s->bound.executions++;
    s->rounds.in_last++;
    if (s->team && r->out->verdict == RD_CUT)
        __atomic_store_n(&s->team->hub->beyond, s->rounds.last + 1, __ATOMIC_RELEASE);
    rd_dfs_feedback(s->dfs, plan, r);
}

/* ---- teams ---- */

static uint64_t depth_of(const struct idfs *s, uint64_t round) {
    uint64_t depth = s->step * (round + 1);
    return s->limit ? RD_MIN(depth, s->limit) : depth;
}

static uint64_t in_round(const struct rounds *r, uint64_t round) {
    return round == r->last ? r->in_last : round + 1 == r->last ? r->in_previous : 0;
}

static void begin_round(struct idfs *s, uint64_t round) {
    RD_CHECK(round >= s->rounds.last && !rd_dfs_has(s->dfs));
    if (round != s->rounds.last)
        s->rounds = (struct rounds){round, 0, in_round(&s->rounds, round - 1)};
    rd_dfs_restart(s->dfs, depth_of(s, round));
}

static uint64_t level(void *state) {
    struct idfs *s = state;
    uint64_t *round = &s->rounds.last;
    if (rd_dfs_has(s->dfs))
        return *round;
    if (s->team->me || (s->limit && depth_of(s, *round) == s->limit))
        return RD_LEVEL_NONE;
    if (__atomic_load_n(&s->team->hub->level, __ATOMIC_ACQUIRE) <= *round)
        return *round + 1; /* when all workers have finished this round */
    if (__atomic_load_n(&s->team->hub->beyond, __ATOMIC_ACQUIRE) <= *round)
        return RD_LEVEL_NONE;
    begin_round(s, *round + 1);
    return *round;
}

static size_t give(void *state, uint64_t level, void *to, size_t room) {
    (void)level;
    return rd_dfs_give(((struct idfs *)state)->dfs, to, room);
}

static void take(void *state, const void *unit, size_t size) {
    struct idfs *s = state;
    begin_round(s, s->team->hub->level);
    rd_dfs_wait(s->dfs);
    rd_dfs_take(s->dfs, unit, size);
}

static size_t tally(const void *state, void *to, size_t room) {
    const struct idfs *s = state;
    RD_CHECK(sizeof s->rounds <= room);
    memcpy(to, &s->rounds, sizeof s->rounds);
    return sizeof s->rounds;
}

/* Adds the executions of the team's last round and of the one before: the claim is about one of the two. */
static void merge(void *state, const void *from, size_t size) {
    struct idfs *s = state;
    struct rounds r;
    RD_CHECK(size == sizeof r);
    memcpy(&r, from, sizeof r);
    uint64_t level = s->team->hub->level;
    RD_CHECK(r.last <= level);
    s->others[0] += in_round(&r, level);
    s->others[1] += level ? in_round(&r, level - 1) : 0;
}

/*
 * Returns the progress of the team. A level begins when the previous one is finished, even if no execution belongs
 * to the new one.
 */
static struct rd_bound of_team(const struct idfs *s) {
    const struct rd_hub *h = s->team->hub;
    struct rd_bound b = {.finished = -1};
    bool at_limit = s->limit && depth_of(s, h->level) == s->limit && h->beyond >= h->level;
    bool done = rd_team_done(s->team), this = done && (h->level == 0 || at_limit);
    if (!this && h->level == 0)
        return b;
    uint64_t round = this ? h->level : h->level - 1;
    b.executions = in_round(&s->rounds, round) + s->others[this ? 0 : 1];
    b.beyond = h->beyond > round;
    if (done)
        rd_bound_end(&b, (int64_t)depth_of(s, round));
    else
        rd_bound_finish(&b, (int64_t)depth_of(s, round));
    return b;
}

static void claim(const void *state, struct rd_claim *c) {
    const struct idfs *s = state;
    struct rd_bound bound = s->team ? of_team(s) : s->bound;
    *c = rd_claim_none();
    struct rd_text t;
    rd_bound_depth_words(&bound, c);
    rd_text_init(&t, c->phase, sizeof c->phase);
    rd_text_str(&t, "what executions do after operation ");
    rd_bound_count(&t, (uint64_t)RD_MAX(bound.finished, (int64_t)0));
    c->depth = (int32_t)RD_MIN(bound.finished, (int64_t)INT32_MAX);
}

static const char *check(const struct rd_params *params) {
    return rd_param_number(params, "step", 10) == 0 ? "'step' must be at least 1" : NULL;
}

static const struct rd_search_team_ops team_ops = {
    .share = RD_SHARE_UNITS,
    .level = level,
    .give = give,
    .take = take,
    .tally = tally,
    .merge = merge,
};

const struct rd_search rd_search_idfs = {
    .name = "idfs",
    .summary = "depth first, first of short executions: step=10 operations more a round, depth=N at most N",
    .keys = "step# depth#",
    .guarantee = {.sentence = "what every schedule does in as many operations as the bound allows was run",
                  .exhaustive = true,
                  .outcomes = true},
    .focusable = true,
    .open = open_idfs,
    .next = next,
    .feedback = feedback,
    .claim = claim,
    .hooks = {.check = check},
    .team = &team_ops,
};
