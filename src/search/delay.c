/*
 * delay.c - delay bounding (Emmi, Qadeer and Rakamaric, POPL 2011): the default is round robin without preemption,
 * and a delay passes over the thread whose turn it is, or over a waiter that a signal would wake. Without a delay
 * there is one execution. They come in the order of their delays; how many there are with d delays does not depend
 * on the number of threads.
 */
#include "search/bound.h"
#include "search/tree.h"

struct delay {
    struct rd_tree tree; /* first: tests look at it */
    struct rd_bound bound;
    int64_t limit; /* -1: none */
};

static void *open_delay(struct rd_arena *a, const struct rd_params *params) {
    struct delay *s = rd_arena_zero(a, sizeof *s);
    rd_tree_open(&s->tree, a, params);
    s->bound.finished = -1;
    s->limit = rd_param_given(params, "d") ? (int64_t)rd_param_number(params, "d", 0) : -1;
    return s;
}

static enum rd_next next(void *state, struct rd_draft *d) {
    struct delay *s = state;
    return rd_tree_next(&s->tree, d, RD_PICK_ROUND);
}

/* The alternatives in the order of their turn, beginning with the thread of the step before. */
static uint32_t in_turn(const struct rd_record *r, uint32_t step, uint16_t *list) {
    const struct rd_step *s = &r->steps[step];
    rd_tid before = step ? r->steps[step - 1].tid : 0;
    uint32_t n = 0;
    if (rd_op_flags(s->op) & RD_F_VALUE || s->flags & RD_STEP_FORCED)
        return rd_tree_others(r, step, list, NULL);
    for (unsigned pass = 0; pass < 4; pass++) { /* those that can only give up come after all others */
        for (uint32_t i = 0; i < s->ncand; i++) {
            rd_tid tid = r->cands[s->cand + i];
            if (tid != s->tid && rd_step_late(s, i) == pass / 2 && (tid < before) == pass % 2)
                list[n++] = tid;
        }
    }
    return n;
}

static void feedback(void *state, const struct rd_plan *plan, const struct rd_record *r) {
    struct delay *s = state;
    uint32_t used = rd_tree_node(&s->tree, s->tree.now)->cost;
    uint16_t others[RD_TID_MAX];
    s->bound.executions++;
    for (uint32_t i = rd_tree_from(&s->tree, plan, r); i < r->out->steps; i++) {
        for (uint32_t n = in_turn(r, i, others); n > 0; n--) { /* n - 1 of them and the one taken are passed over */
            struct rd_tree_node child = rd_tree_child(r, i, others[n - 1], used + n);
            child.key = child.cost;
            if (s->limit >= 0 && child.cost > s->limit)
                s->bound.beyond = true;
            else
                rd_tree_add(&s->tree, child, RD_TREE_STACK);
        }
    }
    rd_tree_done(&s->tree);
    const struct rd_tree_node *first = rd_tree_first(&s->tree);
    if (first)
        rd_bound_finish(&s->bound, (int64_t)first->cost - 1);
    else
        rd_bound_end(&s->bound, s->bound.beyond ? s->limit : (int64_t)used);
}

static void claim(const void *state, struct rd_claim *c) {
    const struct delay *s = state;
    *c = rd_claim_nothing();
    rd_tree_claim(&s->tree, c);
    rd_bound_words(&s->bound, "delay", c);
    if (!c->incomplete)
        c->delays = (int32_t)RD_MIN(s->bound.finished, (int64_t)INT32_MAX);
}

const struct rd_search rd_search_delay = {
    .name = "delay",
    .summary = "in the order of delays, each of which passes over a thread in round robin: d=N at most N",
    .keys = "d#",
    .exhaustive = true,
    .outcomes = true,
    .focus = true,
    .frugal = true,
    .open = open_delay,
    .next = next,
    .feedback = feedback,
    .claim = claim,
    .guarantee = "every schedule with at most as many delays as the bound allows was run",
};
