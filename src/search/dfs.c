/*
 * dfs.c - depth-first search: every schedule exactly once.
 *
 * The search keeps the path of the last execution: for each step the candidates, and the number of tried ones. The
 * next execution repeats the path to the deepest step with an untried candidate, takes that candidate, and goes on
 * with the default picker. The first alternative of a step is the candidate that the first execution took there;
 * the others follow in ascending order. Steps of the fair tail have no alternatives.
 */
#include "search/dfs.h"

#include "search/bounded/bound.h"
#include "search/tree_estimate.h"
#include "search/team/team.h"

#include <string.h>

struct dfs_node {
    struct rd_choice choice; /* taken by the last execution */
    uint32_t first;          /* taken by the first execution that reached the node */
    uint32_t tried;          /* alternatives that were tried, the first included */
    uint32_t end;            /* alternatives from here on were given to another worker */
    uint32_t cand;           /* its first candidate in the pool; unused at a VALUE step */
    uint32_t count;
};

struct rd_dfs {
    struct rd_arena *arena;
    struct {
        RD_VEC(struct dfs_node);
    } path;
    struct {
        RD_VEC(rd_tid);
    } pool; /* candidates of all nodes of the path, in order */
    bool started;
    uint64_t depth, cut;
    struct rd_tree_estimate estimate;
    struct rd_bound bound;
    struct rd_team *team;
};

struct rd_dfs *rd_dfs_open(struct rd_arena *a, uint64_t depth) {
    struct rd_dfs *d = rd_arena_zero(a, sizeof *d);
    d->arena = a;
    rd_dfs_restart(d, depth);
    return d;
}

void rd_dfs_restart(struct rd_dfs *d, uint64_t depth) {
    d->depth = depth <= UINT32_MAX ? depth : 0; /* no execution is longer than that */
    d->path.count = d->pool.count = 0;
    d->started = false;
    d->cut = 0;
    d->estimate = (struct rd_tree_estimate){0};
    d->bound = (struct rd_bound){.finished = -1};
}

uint64_t rd_dfs_depth(const struct rd_dfs *d) { return d->depth; }
uint64_t rd_dfs_cut(const struct rd_dfs *d) { return d->cut; }

static void *open_dfs(struct rd_arena *a, const struct rd_params *params) {
    struct rd_dfs *d = rd_dfs_open(a, rd_param_number(params, "depth", 0));
    d->team = params->team;
    d->started = d->team && d->team->me; /* the first worker runs the first execution */
    return d;
}

/* Returns alternative `n` of a node: 0 is the one taken first, then the others in ascending order. */
static uint16_t alternative(const struct rd_dfs *d, const struct dfs_node *at, uint32_t n) {
    bool value = rd_op_flags(at->choice.op) & RD_F_VALUE;
    for (uint32_t i = 0; i < at->count; i++) {
        uint16_t pick = value ? (uint16_t)i : d->pool.at[at->cand + i];
        if (pick != at->first && --n == 0)
            return pick;
    }
    RD_BUG("no such alternative");
}

static void leave_finished(struct rd_dfs *d) {
    while (d->path.count && d->path.at[d->path.count - 1].tried == d->path.at[d->path.count - 1].end)
        d->path.count--;
}

enum rd_next rd_dfs_next(struct rd_dfs *d, struct rd_draft *draft) {
    draft->plan = (struct rd_plan){.picker = RD_PICK_STAY, .steps_max_cut = (uint32_t)d->depth};
    if (!d->started) {
        d->started = true;
        return RD_NEXT_RUN;
    }
    leave_finished(d);
    if (d->path.count == 0) {
        d->bound.beyond = d->cut > 0;
        rd_bound_end(&d->bound, d->depth ? (int64_t)d->depth : -1);
        return RD_NEXT_DONE;
    }
    struct dfs_node *last = &d->path.at[d->path.count - 1];
    RD_CHECK(last->tried < last->end && last->end <= last->count);
    d->pool.count = last->cand + (rd_op_flags(last->choice.op) & RD_F_VALUE ? 0 : last->count);
    RD_CHECK(d->path.count <= draft->prefix_max);
    for (uint32_t i = 0; i + 1 < d->path.count; i++)
        draft->prefix[i] = d->path.at[i].choice;
    struct rd_choice *c = &draft->prefix[d->path.count - 1];
    *c = last->choice;
    c->pick = alternative(d, last, last->tried++);
    if (!(rd_op_flags(c->op) & RD_F_VALUE))
        /*
         * another thread is picked than before: only the fingerprint of the candidates must be the same, not the
         * operation
         */
        c->op = RD_OP_NONE;
    draft->plan.prefix_count = d->path.count;
    return RD_NEXT_RUN;
}

static void push(struct rd_dfs *d, const struct rd_step *s, const struct rd_record *r) {
    bool value = rd_op_flags(s->op) & RD_F_VALUE;
    struct dfs_node n = {.count = s->flags & RD_STEP_FORCED ? 1 : s->ncand, .tried = 1, .cand = d->pool.count};
    n.choice = (struct rd_choice){.place = s->place, .pc = s->pc, .fp = s->fp, .op = s->op};
    n.choice.pick = value ? (uint16_t)s->value : s->tid;
    n.first = n.choice.pick;
    n.end = n.count;
    for (uint32_t i = 0; !value && i < n.count; i++)
        rd_vec_push(d->arena, &d->pool, r->cands[s->cand + i]);
    rd_vec_push(d->arena, &d->path, n);
}

void rd_dfs_feedback(struct rd_dfs *d, const struct rd_plan *plan, const struct rd_record *r) {
    RD_CHECK(plan->prefix_count == d->path.count || r->out->steps < plan->prefix_count);
    for (uint32_t i = d->path.count ? d->path.count - 1 : 0; i < r->out->steps; i++) {
        if (i >= d->path.count) {
            push(d, &r->steps[i], r);
            continue;
        }
        struct rd_choice *c = &d->path.at[i].choice; /* the step at which another alternative was taken */
        const struct rd_step *s = &r->steps[i];
        bool value = rd_op_flags(s->op) & RD_F_VALUE;
        *c = (struct rd_choice){.place = s->place, .pc = s->pc, .fp = s->fp, .op = s->op};
        c->pick = value ? (uint16_t)s->value : s->tid;
    }
    RD_CHECK(d->path.count >= r->out->steps);
    d->bound.executions++;
    d->cut += r->out->verdict == RD_CUT;
    rd_tree_estimate_add(&d->estimate, r);
}

static enum rd_next next(void *state, struct rd_draft *draft) { return rd_dfs_next(state, draft); }

static void feedback(void *state, const struct rd_plan *plan, const struct rd_record *r) {
    rd_dfs_feedback(state, plan, r);
}

static void claim(const void *state, struct rd_claim *c) {
    const struct rd_dfs *d = state;
    struct rd_bound bound = d->bound;
    if (d->team) { /* the search is finished when all workers are, not when this one is */
        bound = (struct rd_bound){.executions = d->bound.executions, .finished = -1, .beyond = d->cut > 0};
        if (rd_team_done(d->team))
            rd_bound_end(&bound, d->depth ? (int64_t)d->depth : -1);
    }
    *c = rd_claim_none();
    rd_bound_depth_words(&bound, c);
    rd_text_copy(c->phase, sizeof c->phase, "every execution, depth first");
    c->depth = (int32_t)bound.finished;
    rd_tree_estimate_claim(&d->estimate, bound.complete, c);
}

/* ---- teams ---- */

/*
 * The head of a unit: a node of the path with the alternatives that are given away. The choices that lead to the
 * node and its candidates follow.
 */
struct dfs_unit {
    uint32_t length; /* choices, the node's own included */
    uint32_t first, tried, end, count;
    uint32_t cands;
};

void rd_dfs_wait(struct rd_dfs *d) { d->started = true; }

bool rd_dfs_has(struct rd_dfs *d) {
    if (d->started)
        leave_finished(d);
    return !d->started || d->path.count;
}

static uint64_t level(void *state) { return rd_dfs_has(state) ? 0 : RD_LEVEL_NONE; }

size_t rd_dfs_give(struct rd_dfs *d, void *to, size_t room) {
    uint32_t at = d->path.count, left = 0;
    for (uint32_t i = d->path.count; i-- > 0;) {
        left += d->path.at[i].end - d->path.at[i].tried;
        at = d->path.at[i].end > d->path.at[i].tried ? i : at;
    }
    if (left < 2)
        return 0;
    struct dfs_node *n = &d->path.at[at];
    uint32_t mine = n->end - n->tried == left ? left / 2 : 0;
    RD_CHECK(at < d->path.count && n->tried + mine < n->end);
    bool value = rd_op_flags(n->choice.op) & RD_F_VALUE;
    struct dfs_unit u = {at + 1, n->first, n->tried + mine, n->end, n->count, value ? 0 : n->count};
    size_t size = sizeof u + u.length * sizeof(struct rd_choice) + u.cands * sizeof(rd_tid);
    if (size > room)
        return 0;
    memcpy(to, &u, sizeof u);
    struct rd_choice *choice = (struct rd_choice *)((char *)to + sizeof u);
    for (uint32_t i = 0; i < u.length; i++)
        choice[i] = d->path.at[i].choice;
    if (u.cands)
        memcpy(choice + u.length, d->pool.at + n->cand, u.cands * sizeof(rd_tid));
    n->end = n->tried + mine;
    return size;
}

void rd_dfs_take(struct rd_dfs *d, const void *from, size_t size) {
    struct dfs_unit u;
    memcpy(&u, from, sizeof u);
    const struct rd_choice *choice = (const struct rd_choice *)((const char *)from + sizeof u);
    const rd_tid *cand = (const rd_tid *)(choice + u.length);
    RD_CHECK(u.length > 0 && u.tried < u.end && u.end <= u.count && u.cands <= RD_TID_MAX);
    RD_CHECK(d->path.count == 0); /* this worker has no execution left */
    RD_CHECK(size == sizeof u + u.length * sizeof *choice + u.cands * sizeof *cand);
    d->path.count = d->pool.count = 0;
    for (uint32_t i = 0; i < u.length; i++)
        rd_vec_push(d->arena, &d->path, (struct dfs_node){.choice = choice[i], .tried = 1, .end = 1, .count = 1});
    struct dfs_node *n = &d->path.at[u.length - 1];
    *n = (struct dfs_node){n->choice, u.first, u.tried, u.end, 0, u.count};
    for (uint32_t i = 0; i < u.cands; i++)
        rd_vec_push(d->arena, &d->pool, cand[i]);
}

static size_t give(void *state, uint64_t level, void *to, size_t room) {
    (void)level;
    return rd_dfs_give(state, to, room);
}

static void take(void *state, const void *unit, size_t size) { rd_dfs_take(state, unit, size); }

struct dfs_tally {
    struct rd_tree_estimate estimate;
    uint64_t executions, cut;
};

static size_t tally(const void *state, void *to, size_t room) {
    const struct rd_dfs *d = state;
    struct dfs_tally t = {d->estimate, d->bound.executions, d->cut};
    RD_CHECK(sizeof t <= room);
    memcpy(to, &t, sizeof t);
    return sizeof t;
}

static void merge(void *state, const void *from, size_t size) {
    struct rd_dfs *d = state;
    struct dfs_tally t;
    RD_CHECK(size == sizeof t);
    memcpy(&t, from, sizeof t);
    d->estimate.weight += t.estimate.weight;
    d->estimate.executions += t.estimate.executions;
    d->bound.executions += t.executions;
    d->cut += t.cut;
}

static const struct rd_search_team_ops team_ops = {
    .share = RD_SHARE_UNITS,
    .level = level,
    .give = give,
    .take = take,
    .tally = tally,
    .merge = merge,
};

const struct rd_search rd_search_dfs = {
    .name = "dfs",
    .summary = "depth first: every schedule exactly once; depth=N: only its first N operations",
    .keys = "depth#",
    .guarantee = {.sentence = "every schedule of this test on this input was run",
                  .exhaustive = true,
                  .outcomes = true},
    .focusable = true,
    .open = open_dfs,
    .next = next,
    .feedback = feedback,
    .claim = claim,
    .team = &team_ops,
};
