/*
 * delay.c - delay bounding (Emmi, Qadeer and Rakamaric, POPL 2011): the default is round robin without preemption,
 * and a delay passes over the thread whose turn it is, or over a waiter that a signal would wake. Without a delay
 * there is one execution. They come in the order of their delays; how many there are with d delays does not depend
 * on the number of threads.
 */
#include "search/bound.h"
#include "search/team/team.h"
#include "search/delta_tree.h"

struct delay {
    struct rd_delta_tree tree; /* first: tests look at it */
    struct rd_bound bound;
    struct rd_team *team;
    int64_t limit; /* -1: none */
};

static void *open_delay(struct rd_arena *a, const struct rd_params *params) {
    struct delay *s = rd_arena_zero(a, sizeof *s);
    rd_delta_tree_open(&s->tree, a, params);
    s->bound.finished = -1;
    s->team = params->team;
    s->tree.started = s->team && s->team->me; /* the first execution is another's */
    s->limit = rd_param_given(params, "d") ? (int64_t)rd_param_number(params, "d", 0) : -1;
    return s;
}

static enum rd_next next(void *state, struct rd_draft *d) {
    struct delay *s = state;
    return rd_delta_tree_next(&s->tree, d, RD_PICK_ROUND);
}

/* The alternatives in the order of their turn, beginning with the thread of the step before. */
static uint32_t in_turn(const struct rd_record *r, uint32_t step, uint16_t *list) {
    const struct rd_step *s = &r->steps[step];
    rd_tid before = step ? r->steps[step - 1].tid : 0;
    uint32_t n = 0;
    if (rd_op_flags(s->op) & RD_F_VALUE || s->flags & RD_STEP_FORCED)
        return rd_delta_tree_others(r, step, list, NULL);
    for (unsigned pass = 0; pass < 4; pass++) { /* those that can only give up come after all others */
        for (uint32_t i = 0; i < s->ncand; i++) {
            rd_tid tid = r->cands[s->cand + i];
            if (tid != s->tid && rd_step_only_times_out(s, i) == pass / 2 && (tid < before) == pass % 2)
                list[n++] = tid;
        }
    }
    return n;
}

static void feedback(void *state, const struct rd_plan *plan, const struct rd_record *r) {
    struct delay *s = state;
    uint32_t used = rd_delta_tree_node(&s->tree, s->tree.now)->cost;
    uint16_t others[RD_TID_MAX];
    s->bound.executions++;
    for (uint32_t i = rd_delta_tree_from(&s->tree, plan, r); i < r->out->steps; i++) {
        for (uint32_t n = in_turn(r, i, others); n > 0; n--) { /* n - 1 of them and the one taken are passed over */
            struct rd_delta_tree_node child = rd_delta_tree_child(r, i, others[n - 1], used + n);
            child.key = child.cost;
            if (s->limit >= 0 && child.cost > s->limit)
                s->bound.beyond = true;
            else
                rd_delta_tree_add(&s->tree, child, RD_DELTA_TREE_STACK);
        }
    }
    rd_delta_tree_done(&s->tree);
    const struct rd_delta_tree_node *first = rd_delta_tree_first(&s->tree);
    if (first)
        rd_bound_finish(&s->bound, (int64_t)first->cost - 1);
    else
        rd_bound_end(&s->bound, s->bound.beyond ? s->limit : (int64_t)used);
}

static void claim(const void *state, struct rd_claim *c) {
    const struct delay *s = state;
    struct rd_bound b = s->bound;
    if (s->team) { /* what all workers together have finished */
        const struct rd_hub *h = s->team->hub;
        b = (struct rd_bound){b.executions, h->covered, (int64_t)h->level - 1, b.beyond, false, false};
        if (rd_team_done(s->team))
            rd_bound_end(&b, b.beyond ? s->limit : (int64_t)h->level);
    }
    *c = rd_claim_none();
    rd_delta_tree_claim(&s->tree, c);
    rd_bound_words(&b, "delay", c);
    if (!c->incomplete)
        c->delays = (int32_t)RD_MIN(b.finished, (int64_t)INT32_MAX);
}

static uint64_t level(void *state) {
    struct delay *s = state;
    const struct rd_delta_tree_node *first = rd_delta_tree_first(&s->tree);
    return !s->tree.started ? 0 : first ? first->cost : RD_LEVEL_NONE;
}

static size_t give(void *state, uint64_t level, void *to, size_t room) {
    return rd_delta_tree_give(&((struct delay *)state)->tree, level, to, room);
}

static void take(void *state, const void *unit, size_t size) {
    rd_delta_tree_take(&((struct delay *)state)->tree, unit, size);
}

static size_t tally(const void *state, void *to, size_t room) {
    const struct delay *s = state;
    struct rd_delta_tree_tally t = {.executions = s->bound.executions, .beyond = s->bound.beyond};
    return rd_delta_tree_tally(&s->tree, t, to, room);
}

static void merge(void *state, const void *from, size_t size) {
    struct delay *s = state;
    struct rd_delta_tree_tally t = rd_delta_tree_merge(&s->tree, from, size);
    s->bound.executions += t.executions;
    s->bound.beyond |= t.beyond;
}

static const struct rd_search_team_ops team_ops = {
    .share = RD_SHARE_UNITS,
    .level = level,
    .give = give,
    .take = take,
    .tally = tally,
    .merge = merge,
};

const struct rd_search rd_search_delay = {
    .name = "delay",
    .summary = "in the order of delays, each of which passes over a thread in round robin: d=N at most N",
    .keys = "d#",
    .guarantee = {.sentence = "every schedule with at most as many delays as the bound allows was run",
                  .exhaustive = true,
                  .outcomes = true},
    .focusable = true,
    .keeps_within = true,
    .open = open_delay,
    .next = next,
    .feedback = feedback,
    .claim = claim,
    .team = &team_ops,
};
