/*
 * icb.c - iterative context bounding (Musuvathi and Qadeer, "Iterative context bounding for systematic testing of
 * multithreaded programs", PLDI 2007, algorithm 1): executions in the order of their preemptions, each exactly
 * once.
 *
 * The paper searches depth first as long as a switch is free, and puts switches that preempt into a queue for the
 * next phase. Here the recursion is a stack of nodes with key 0. A node of a later phase moves to the end of that
 * phase's queue only when it is the first of the stack, so that the queue has the order of the paper. With `csb`
 * each phase has `csb` more preemptions for free: a node with p preemptions is in phase p / (csb + 1). In a team a
 * phase is a level.
 *
 * `cache` leaves out the continuations of a prefix if a prefix of the same happens-before class, with the same
 * running thread and no more preemptions, was covered before. The paper's cache is keyed by the state alone. That
 * would leave out all executions: the recursive calls for different threads at one point have the same state.
 *
 * `v` allows preemptions at so many different variables (Bindal, Bansal and Lal, "Variable and thread bounding for
 * systematic testing of multithreaded programs", ISSTA 2013; trace/preempted.h). With the paper's own rule for a
 * search in the order of preemptions (`literal`) the first v preemptions may be anywhere and all later ones only at
 * their variables, so two of the first v at one variable waste a variable.
 */
#include "search/bounded/bounded.h"
#include "search/por/bpor.h"
#include "search/por/prefix_classes.h"
#include "search/team/team.h"
#include "search/visited.h"
#include "trace/preempted.h"

#include "base/text.h"

#include <string.h>

enum { VARS_MAX = 64 };

struct icb_search {
    struct rd_bounded base;
    uint32_t csb;
    uint32_t phase;
    bool caching;
    struct rd_prefix_classes classes;
    struct rd_visited visited;
    int64_t vars_limit; /* -1: any number */
    bool literal;
    uint64_t vars[VARS_MAX]; /* at which the last execution was preempted */
    uint32_t var_count;
};

static void *open_icb(struct rd_arena *a, const struct rd_params *params) {
    struct icb_search *s = rd_arena_zero(a, sizeof *s);
    rd_bounded_open(&s->base, a, params, "c");
    s->csb = (uint32_t)rd_param_number(params, "csb", 0);
    s->caching = rd_param_given(params, "cache");
    if (s->caching)
        rd_visited_open(&s->visited, a, params->team);
    s->vars_limit = rd_param_given(params, "v") ? (int64_t)rd_param_number(params, "v", 0) : -1;
    s->literal = rd_param_given(params, "vb");
    return s;
}

static enum rd_next next(void *state, struct rd_draft *d) {
    struct icb_search *s = state;
    return rd_delta_tree_next(&s->base.tree, d, RD_PICK_STAY);
}

static uint32_t phase_of(const struct icb_search *s, uint32_t preemptions) { return preemptions / (s->csb + 1); }

/* Moves nodes of later phases to their queues until the next node is of this phase, or the phase is over. */
static void settle(struct icb_search *s) {
    const struct rd_delta_tree_node *first;
    while ((first = rd_delta_tree_first(&s->base.tree)) && first->key == 0 && phase_of(s, first->cost) > s->phase)
        rd_delta_tree_defer(&s->base.tree, phase_of(s, first->cost));
    if (!first) {
        int64_t all = s->base.bound.beyond ? s->base.limit : ((int64_t)s->phase + 1) * (s->csb + 1) - 1;
        if (s->base.tree.lost)
            rd_bound_finish(&s->base.bound, rd_bounded_kept(&s->base, all));
        else
            rd_bound_end(&s->base.bound, all);
        return;
    }
    if (phase_of(s, first->cost) == s->phase)
        return;
    RD_CHECK(phase_of(s, first->cost) > s->phase);
    s->phase = phase_of(s, first->cost);
    rd_bound_finish(&s->base.bound, rd_bounded_kept(&s->base, (int64_t)s->phase * (s->csb + 1) - 1));
}

/*
 * Returns whether all executions that continue the prefix up to this step were covered. If not, the prefix counts
 * as covered from now on.
 */
static bool known(struct icb_search *s, const struct rd_record *r, uint32_t step, uint32_t used) {
    RD_CHECK(s->classes.after.count == r->out->steps && step < r->out->steps);
    uint64_t class = s->classes.after.at[step];
    bool stays = step + 1 < r->out->steps && r->steps[step + 1].flags & RD_STEP_COULD_STAY;
    rd_tid tid = stays ? r->steps[step].tid : RD_TID_NONE;
    return class && rd_visited_claim(&s->visited, class, tid, used);
}

/* Returns the variable of a preemption at this step, as a number; those of threads are smaller than any place. */
static uint64_t variable(const struct rd_record *r, uint32_t step) {
    if (step == 0)
        return 0;
    struct rd_preempted_at at = rd_preempted_at(r->steps, step);
    return at.place ? at.place : at.thread;
}

static bool is_among(const struct icb_search *s, uint64_t variable) {
    uint32_t i = 0;
    while (i < s->var_count && s->vars[i] != variable)
        i++;
    return i < s->var_count;
}

/* Collects the variables of the preemptions before this step; with the literal rule only of the first few. */
static void gather(struct icb_search *s, const struct rd_record *r, uint32_t from) {
    uint32_t preemptions = 0;
    s->var_count = 0;
    for (uint32_t i = 0; i < from && i < r->out->steps; i++) {
        if (!(r->steps[i].flags & RD_STEP_PREEMPTION) || (s->literal && preemptions++ >= s->vars_limit))
            continue;
        if (!is_among(s, variable(r, i))) {
            RD_CHECK(s->var_count < s->vars_limit);
            s->vars[s->var_count++] = variable(r, i);
        }
    }
}

/* Returns whether the execution may be preempted at this step, after `used` preemptions. */
static bool allowed(const struct icb_search *s, const struct rd_record *r, uint32_t step, uint32_t used) {
    if (s->vars_limit < 0 || (s->literal ? used : s->var_count) < s->vars_limit)
        return true;
    return is_among(s, variable(r, step));
}

static void branch(struct icb_search *s, const struct rd_record *r, uint32_t step, uint32_t used) {
    uint16_t others[RD_TID_MAX];
    /* the last one added is the first to be run */
    for (uint32_t n = rd_delta_tree_others(r, step, others, NULL); n > 0; n--) {
        uint16_t pick = others[n - 1];
        uint32_t cost = used + rd_delta_tree_preempts(r, step, pick);
        RD_ASSERT(phase_of(s, cost) >= s->phase);
        uint64_t class = s->caching ? rd_prefix_classes_instead(&s->classes, r, step, pick) : 0;
        if (!rd_bounded_admits(&s->base, cost))
            continue;
        if (cost > used && !allowed(s, r, step, used))
            s->base.barred = s->base.barred ? RD_MIN(s->base.barred, cost) : cost;
        else if (!class || !rd_visited_has(&s->visited, class, pick, cost))
            rd_delta_tree_add(&s->base.tree, rd_delta_tree_child(r, step, pick, cost), RD_DELTA_TREE_STACK);
    }
}

static void feedback(void *state, const struct rd_plan *plan, const struct rd_record *r) {
    struct icb_search *s = state;
    uint32_t used = rd_bounded_count(&s->base);
    uint32_t from = rd_delta_tree_from(&s->base.tree, plan, r);
    s->base.unfair |= r->out->fairness || r->out->fair_tail;
    if (s->vars_limit >= 0)
        gather(s, r, from);
    if (s->caching)
        rd_prefix_classes_of(&s->classes, s->base.tree.arena, r);
    /* the choice of this node itself may have led to a covered prefix */
    bool stop = s->caching && from > 0 && from <= r->out->steps && known(s, r, from - 1, used);
    for (uint32_t i = from; i < r->out->steps && !stop; i++) {
        branch(s, r, i, used);
        stop = s->caching && known(s, r, i, used);
    }
    rd_delta_tree_done(&s->base.tree);
    if (!s->base.team)
        settle(s);
}

/* Returns the progress of the search, alone or in its team. */
static struct rd_bound progress(const struct icb_search *s) {
    int64_t phase = s->base.team ? (int64_t)s->base.team->hub->level : 0, width = (int64_t)s->csb + 1;
    return rd_bounded_progress(&s->base, phase * width - 1, (phase + 1) * width - 1);
}

static void claim(const void *state, struct rd_claim *c) {
    const struct icb_search *s = state;
    *c = rd_claim_none();
    rd_bounded_claim(&s->base, c);
    c->reduced = s->caching;
    struct rd_bound all = progress(s), any = all; /* `any`: without a bound on variables */
    if (s->base.barred) {
        any.finished = RD_MIN(any.finished, (int64_t)s->base.barred - 1);
        any.complete = false;
    }
    if (s->base.barred && s->vars_limit > 0 && (all.ended || any.finished < all.finished))
        rd_bound_var_words(&all, (uint64_t)s->vars_limit, s->literal, c);
    else
        rd_bound_words(&any, "preemption", c);
    if (!c->incomplete)
        c->preemptions = (int32_t)RD_MIN(any.finished, (int64_t)INT32_MAX);
    if (s->caching && s->base.unfair && !c->voids[0])
        rd_text_copy(c->voids, sizeof c->voids,
                     "a thread was held back for fairness, which the cache does not know of");
}

static uint64_t level(void *state) {
    struct icb_search *s = state;
    const struct rd_delta_tree_node *first;
    if (s->base.tree
            .lost) /* set before this worker waits, so that no worker begins the next level without knowing it */
        __atomic_store_n(&s->base.team->hub->lost, 1, __ATOMIC_RELEASE);
    if (!s->base.tree.started)
        return 0;
    while ((first = rd_delta_tree_first(&s->base.tree)) && first->key == 0 &&
           phase_of(s, first->cost) > s->base.team->hub->level)
        rd_delta_tree_defer(&s->base.tree, phase_of(s, first->cost));
    return first ? phase_of(s, first->cost) : RD_LEVEL_NONE;
}

static const struct rd_search *variant(const struct rd_params *params) {
    return rd_param_given(params, "sleep") ? &rd_search_bounded_sleep : NULL;
}

static bool reduces(const struct rd_params *params) { return rd_param_given(params, "cache"); }

static const char *check(const struct rd_params *params) {
    bool sleeps = rd_param_given(params, "sleep");
    if (sleeps && rd_param_given(params, "cache"))
        return "'cache' and 'sleep' cannot be used together";
    if (rd_param_number(params, "csb", 0) > UINT16_MAX)
        return "'csb' must be at most 65535";
    if (rd_param_number(params, "v", 0) > VARS_MAX)
        return "'v' of icb must be at most 64";
    if (rd_param_given(params, "v") && (sleeps || rd_param_given(params, "cache")))
        /* the cache knows only that a prefix was covered, not with which variables */
        return "'v' cannot be used together with 'cache' or 'sleep'";
    const char *rule = rd_param_text(params, "vb");
    if (rule && (strcmp(rule, "literal") != 0 || !rd_param_given(params, "v")))
        return "'vb' of icb can only be 'literal', and needs 'v'";
    return sleeps && rd_param_given(params, "csb") ? "'csb' and 'sleep' cannot be used together" : NULL;
}

static const struct rd_search_team_ops team_ops = {
    .share = RD_SHARE_UNITS,
    .level = level,
    .give = rd_bounded_give,
    .take = rd_bounded_take,
    .tally = rd_bounded_tally,
    .merge = rd_bounded_merge,
};

const struct rd_search rd_search_icb = {
    .name = "icb",
    .summary =
        "in the order of preemptions: c=N at most N, v=N at N variables, csb=N free ones a phase; cache or sleep: "
        "leave out what is equivalent",
    .keys = "c# v# vb= csb# cache sleep",
    .guarantee = {.sentence = "every schedule with at most as many preemptions as the bound allows was run",
                  .exhaustive = true,
                  .outcomes = true},
    .focusable = true,
    .keeps_within = true,
    .open = open_icb,
    .next = next,
    .feedback = feedback,
    .claim = claim,
    .hooks = {.check = check, .variant = variant, .reduces = reduces},
    .team = &team_ops,
};
