/*
 * delay.c - delay bounding (Emmi, Qadeer and Rakamaric, "Delay-bounded scheduling", POPL 2011). The deterministic
 * scheduler is round robin without preemption. A delay skips the thread that this scheduler would choose, or the
 * waiter that a signal would wake. Executions are run in the order of their delays. There is one execution without
 * a delay, and the number of executions with d delays does not depend on the number of threads.
 */
#include "search/bounded/bounded.h"
#include "search/team/team.h"

static void *open_delay(struct rd_arena *a, const struct rd_params *params) {
    struct rd_bounded *s = rd_arena_zero(a, sizeof *s);
    rd_bounded_open(s, a, params, "d");
    return s;
}

static enum rd_next next(void *state, struct rd_draft *d) {
    return rd_delta_tree_next(&((struct rd_bounded *)state)->tree, d, RD_PICK_ROUND);
}

/* Writes the alternatives to `list` in the order of their turn, beginning with the thread of the step before. */
static uint32_t in_turn(const struct rd_record *r, uint32_t step, uint16_t *list) {
    const struct rd_step *s = &r->steps[step];
    rd_tid before = step ? r->steps[step - 1].tid : 0;
    uint32_t n = 0;
    if (rd_op_flags(s->op) & RD_F_VALUE || s->flags & RD_STEP_FORCED)
        return rd_delta_tree_others(r, step, list, NULL);
    for (unsigned pass = 0; pass < 4; pass++) { /* timed waits that would time out come after all others */
        for (uint32_t i = 0; i < s->ncand; i++) {
            rd_tid tid = r->cands[s->cand + i];
            if (tid != s->tid && rd_step_only_times_out(s, i) == pass / 2 && (tid < before) == pass % 2)
                list[n++] = tid;
        }
    }
    RD_ASSERT(n < s->ncand);
    return n;
}

static void feedback(void *state, const struct rd_plan *plan, const struct rd_record *r) {
    struct rd_bounded *s = state;
    uint32_t used = rd_bounded_count(s);
    RD_ASSERT(s->team || used >= s->bound.finished); /* in the order of the cost */
    uint16_t others[RD_TID_MAX];
    for (uint32_t i = rd_delta_tree_from(&s->tree, plan, r); i < r->out->steps; i++) {
        for (uint32_t n = in_turn(r, i, others); n > 0;
             n--) { /* skips the thread that was taken and n - 1 others */
            struct rd_delta_tree_node child = rd_delta_tree_child(r, i, others[n - 1], used + n);
            child.key = child.cost;
            if (rd_bounded_admits(s, child.cost))
                rd_delta_tree_add(&s->tree, child, RD_DELTA_TREE_STACK);
        }
    }
    rd_delta_tree_done(&s->tree);
    rd_bounded_settle(s, true);
}

static void claim(const void *state, struct rd_claim *c) {
    const struct rd_bounded *s = state;
    int64_t level = s->team ? (int64_t)s->team->hub->level : 0;
    struct rd_bound b = rd_bounded_progress(s, level - 1, level);
    *c = rd_claim_none();
    rd_bounded_claim(s, c);
    rd_bound_words(&b, "delay", c);
    if (!c->incomplete)
        c->delays = (int32_t)RD_MIN(b.finished, (int64_t)INT32_MAX);
}

static uint64_t level(void *state) { return rd_bounded_level(state, true); }

static const struct rd_search_team_ops team_ops = {
    .share = RD_SHARE_UNITS,
    .level = level,
    .give = rd_bounded_give,
    .take = rd_bounded_take,
    .tally = rd_bounded_tally,
    .merge = rd_bounded_merge,
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
