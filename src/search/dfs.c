/*
 * dfs.c - depth-first search: every schedule exactly once.
 *
 * The search keeps the path of the last execution: for each of its steps the candidates and how many of them
 * were tried. The next execution repeats the path to the deepest step with an untried candidate, takes that one,
 * and goes on by the default behaviour. Which candidate comes first at a step is what the execution did there;
 * the others follow in ascending order. Steps that the fair tail forced are not branched at.
 */
#include "search/search.h"

#include <string.h>

struct node {
    struct rd_choice choice; /* what the last execution took here */
    uint32_t first;          /* what the first execution that came here took */
    uint32_t tried;          /* how many alternatives were tried, the first included */
    uint32_t cand;           /* candidates in the pool; unused at a VALUE step */
    uint32_t count;
};

struct dfs {
    struct rd_arena *arena;
    struct {
        RD_VEC(struct node);
    } path;
    struct {
        RD_VEC(rd_tid);
    } pool; /* candidates of all nodes of the path, in order */
    bool started;
};

static void *open_dfs(struct rd_arena *a, const struct rd_params *params) {
    (void)params;
    struct dfs *d = rd_arena_zero(a, sizeof *d);
    d->arena = a;
    return d;
}

/* The alternative number `n` at a node: 0 is the first one taken, then the others in ascending order. */
static uint16_t alternative(const struct dfs *d, const struct node *at, uint32_t n) {
    bool value = rd_op_flags(at->choice.op) & RD_F_VALUE;
    for (uint32_t i = 0; i < at->count; i++) {
        uint16_t pick = value ? (uint16_t)i : d->pool.at[at->cand + i];
        if (pick != at->first && --n == 0)
            return pick;
    }
    RD_BUG("no such alternative");
}

static enum rd_next next(void *state, struct rd_draft *draft) {
    struct dfs *d = state;
    draft->plan = (struct rd_plan){.picker = RD_PICK_STAY};
    if (!d->started) {
        d->started = true;
        return RD_NEXT_RUN;
    }
    while (d->path.count && d->path.at[d->path.count - 1].tried == d->path.at[d->path.count - 1].count)
        d->path.count--;
    if (d->path.count == 0)
        return RD_NEXT_DONE;
    struct node *last = &d->path.at[d->path.count - 1];
    d->pool.count = last->cand + (rd_op_flags(last->choice.op) & RD_F_VALUE ? 0 : last->count);
    RD_CHECK(d->path.count <= draft->prefix_max);
    for (uint32_t i = 0; i + 1 < d->path.count; i++)
        draft->prefix[i] = d->path.at[i].choice;
    struct rd_choice *c = &draft->prefix[d->path.count - 1];
    *c = last->choice;
    c->pick = alternative(d, last, last->tried++);
    if (!(rd_op_flags(c->op) & RD_F_VALUE))
        c->op = RD_OP_NONE; /* the candidates must be the same; what this one does is in the fingerprint */
    draft->plan.prefix_count = d->path.count;
    return RD_NEXT_RUN;
}

static void push(struct dfs *d, const struct rd_step *s, const struct rd_record *r) {
    bool value = rd_op_flags(s->op) & RD_F_VALUE;
    struct node n = {.count = s->flags & RD_STEP_FORCED ? 1 : s->ncand, .tried = 1, .cand = d->pool.count};
    n.choice = (struct rd_choice){.place = s->place, .pc = s->pc, .fp = s->fp, .op = s->op};
    n.choice.pick = value ? (uint16_t)s->value : s->tid;
    n.first = n.choice.pick;
    for (uint32_t i = 0; !value && i < n.count; i++)
        rd_vec_push(d->arena, &d->pool, r->cands[s->cand + i]);
    rd_vec_push(d->arena, &d->path, n);
}

static void feedback(void *state, const struct rd_plan *plan, const struct rd_record *r) {
    struct dfs *d = state;
    RD_CHECK(plan->prefix_count == d->path.count || r->out->steps < plan->prefix_count);
    for (uint32_t i = d->path.count ? d->path.count - 1 : 0; i < r->out->steps; i++) {
        if (i >= d->path.count) {
            push(d, &r->steps[i], r);
            continue;
        }
        struct rd_choice *c = &d->path.at[i].choice; /* the step whose alternative was just taken */
        const struct rd_step *s = &r->steps[i];
        bool value = rd_op_flags(s->op) & RD_F_VALUE;
        *c = (struct rd_choice){.place = s->place, .pc = s->pc, .fp = s->fp, .op = s->op};
        c->pick = value ? (uint16_t)s->value : s->tid;
    }
}

const struct rd_search rd_search_dfs = {
    .name = "dfs",
    .summary = "depth first: every schedule exactly once",
    .keys = "",
    .exhaustive = true,
    .open = open_dfs,
    .next = next,
    .feedback = feedback,
    .guarantee = "every schedule of this test on this input was run",
};
