/*
 * icb.c - iterative context bounding (Musuvathi and Qadeer, PLDI 2007, algorithm 1): executions in the order of
 * their preemptions, each exactly once.
 *
 * The paper searches depth first as long as a switch is free, and puts the switches that preempt in a queue for the
 * next phase. Here the recursion is a stack of nodes with the key 0: a node that comes up and belongs to a later
 * phase goes to the end of the queue of that phase then, not before, so that the queue has the paper's order. With
 * `csb` a phase has so many preemptions for free; a node with p preemptions is in phase p / (csb + 1).
 *
 * `cache` leaves out what was covered before: a prefix with the same happens-before class, the same running thread
 * and no fewer preemptions leads nowhere new. The paper's cache has only the state for a key and would leave out
 * everything: the first step of an execution and the thread that it begins with have the same state.
 *
 * `v` allows preemptions at so many different variables (Bindal, Bansal and Lal, "Variable and thread bounding for
 * systematic testing of multithreaded programs", ISSTA 2013): the variable of a preemption is what the thread that
 * is preempted did its last operation on. By the paper's own rule for a search in the order of preemptions
 * (`literal`) the first v preemptions may be anywhere and all later ones at their variables only, so that two of
 * the first v at one variable waste a variable.
 */
#include "search/bound.h"
#include "search/por/bpor.h"
#include "search/por/prefix_classes.h"
#include "search/team/team.h"
#include "search/delta_tree.h"
#include "search/visited.h"
#include "trace/event.h"

#include "base/text.h"

#include <string.h>

enum { VARS_MAX = 64 };

struct icb {
    struct rd_delta_tree tree; /* first: tests look at it */
    struct rd_bound bound;
    struct rd_team *team;
    int64_t limit; /* preemptions; -1: none */
    uint32_t csb;
    uint32_t phase;
    bool caching, unfair;
    struct rd_prefix_classes classes;
    struct rd_visited visited;
    int64_t vars_limit; /* -1: none */
    bool literal;
    uint64_t vars[VARS_MAX]; /* at which the execution that has just been was preempted */
    uint32_t var_count;
    uint32_t barred; /* the fewest preemptions of what was left out because of its variables; 0: nothing was */
};

static void *open_icb(struct rd_arena *a, const struct rd_params *params) {
    struct icb *s = rd_arena_zero(a, sizeof *s);
    rd_delta_tree_open(&s->tree, a, params);
    s->bound.finished = -1;
    s->team = params->team;
    s->tree.started = s->team && s->team->me; /* the first execution is another's */
    s->limit = rd_param_given(params, "c") ? (int64_t)rd_param_number(params, "c", 0) : -1;
    s->csb = (uint32_t)rd_param_number(params, "csb", 0);
    s->caching = rd_param_given(params, "cache");
    if (s->caching)
        rd_visited_open(&s->visited, a, s->team);
    s->vars_limit = rd_param_given(params, "v") ? (int64_t)rd_param_number(params, "v", 0) : -1;
    s->literal = rd_param_given(params, "vb");
    return s;
}

static enum rd_next next(void *state, struct rd_draft *d) {
    struct icb *s = state;
    return rd_delta_tree_next(&s->tree, d, RD_PICK_STAY);
}

static uint32_t phase_of(const struct icb *s, uint32_t preemptions) { return preemptions / (s->csb + 1); }

/* What comes up next is of this phase, or the phase is over. */
static void settle(struct icb *s) {
    const struct rd_delta_tree_node *first;
    while ((first = rd_delta_tree_first(&s->tree)) && first->key == 0 && phase_of(s, first->cost) > s->phase)
        rd_delta_tree_defer(&s->tree, phase_of(s, first->cost));
    if (!first) {
        rd_bound_end(&s->bound, s->bound.beyond ? s->limit : ((int64_t)s->phase + 1) * (s->csb + 1) - 1);
        return;
    }
    if (phase_of(s, first->cost) == s->phase)
        return;
    s->phase = phase_of(s, first->cost);
    rd_bound_finish(&s->bound, (int64_t)s->phase * (s->csb + 1) - 1);
}

/* Is what follows this step known? If not it is from now on. */
static bool known(struct icb *s, const struct rd_record *r, uint32_t step, uint32_t used) {
    uint64_t class = s->classes.after.at[step];
    bool stays = step + 1 < r->out->steps && r->steps[step + 1].flags & RD_STEP_COULD_STAY;
    rd_tid tid = stays ? r->steps[step].tid : RD_TID_NONE;
    return class && rd_visited_claim(&s->visited, class, tid, used);
}

/*
 * What the operation before this step was done on. What has no place is done on a thread: the one that is created
 * or joined, else the one that does it.
 */
static uint64_t variable(const struct rd_record *r, uint32_t step) {
    while (step > 0 && rd_step_is_way(&r->steps[step - 1]))
        step--;
    if (step == 0)
        return 0;
    struct rd_event e = rd_event_of_step(&r->steps[step - 1]);
    return e.place ? e.place : e.target != RD_TID_NONE ? e.target : e.tid;
}

static bool is_among(const struct icb *s, uint64_t variable) {
    uint32_t i = 0;
    while (i < s->var_count && s->vars[i] != variable)
        i++;
    return i < s->var_count;
}

/* The variables of the preemptions before this step; by the literal rule those of the first few. */
static void gather(struct icb *s, const struct rd_record *r, uint32_t from) {
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

/* May the execution be preempted at this step, when that was done so often before? */
static bool allowed(const struct icb *s, const struct rd_record *r, uint32_t step, uint32_t used) {
    if (s->vars_limit < 0 || (s->literal ? used : s->var_count) < s->vars_limit)
        return true;
    return is_among(s, variable(r, step));
}

static void branch(struct icb *s, const struct rd_record *r, uint32_t step, uint32_t used) {
    uint16_t others[RD_TID_MAX];
    for (uint32_t n = rd_delta_tree_others(r, step, others, NULL); n > 0; n--) { /* the last one comes up last */
        uint16_t pick = others[n - 1];
        uint32_t cost = used + rd_delta_tree_preempts(r, step, pick);
        uint64_t class = s->caching ? rd_prefix_classes_instead(&s->classes, r, step, pick) : 0;
        if (s->limit >= 0 && cost > s->limit)
            s->bound.beyond = true;
        else if (cost > used && !allowed(s, r, step, used))
            s->barred = s->barred ? RD_MIN(s->barred, cost) : cost;
        else if (!class || !rd_visited_has(&s->visited, class, pick, cost))
            rd_delta_tree_add(&s->tree, rd_delta_tree_child(r, step, pick, cost), RD_DELTA_TREE_STACK);
    }
}

static void feedback(void *state, const struct rd_plan *plan, const struct rd_record *r) {
    struct icb *s = state;
    uint32_t used = rd_delta_tree_node(&s->tree, s->tree.now)->cost;
    uint32_t from = rd_delta_tree_from(&s->tree, plan, r);
    s->bound.executions++;
    s->unfair |= r->out->fairness || r->out->fair_tail;
    if (s->vars_limit >= 0)
        gather(s, r, from);
    if (s->caching)
        rd_prefix_classes_of(&s->classes, s->tree.arena, r);
    /* the choice that the execution was run for may have led to what is known */
    bool stop = s->caching && from > 0 && from <= r->out->steps && known(s, r, from - 1, used);
    for (uint32_t i = from; i < r->out->steps && !stop; i++) {
        branch(s, r, i, used);
        stop = s->caching && known(s, r, i, used);
    }
    rd_delta_tree_done(&s->tree);
    if (!s->team)
        settle(s);
}

/* What all workers together have finished. */
static struct rd_bound of_team(const struct icb *s) {
    const struct rd_hub *h = s->team->hub;
    struct rd_bound b = s->bound;
    int64_t most = ((int64_t)h->level + 1) * (s->csb + 1) - 1;
    b.finished = (int64_t)h->level * (s->csb + 1) - 1;
    b.covered = h->covered;
    if (rd_team_done(s->team))
        rd_bound_end(&b, b.beyond ? s->limit : most);
    return b;
}

static void claim(const void *state, struct rd_claim *c) {
    const struct icb *s = state;
    *c = rd_claim_none();
    rd_delta_tree_claim(&s->tree, c);
    c->reduced = s->caching;
    struct rd_bound all = s->team ? of_team(s) : s->bound, any = all; /* whatever the variables are */
    if (s->barred) {
        any.finished = RD_MIN(any.finished, (int64_t)s->barred - 1);
        any.complete = false;
    }
    if (s->barred && s->vars_limit > 0 && (all.ended || any.finished < all.finished))
        rd_bound_var_words(&all, (uint64_t)s->vars_limit, s->literal, c);
    else
        rd_bound_words(&any, "preemption", c);
    if (!c->incomplete)
        c->preemptions = (int32_t)RD_MIN(any.finished, (int64_t)INT32_MAX);
    if (s->caching && s->unfair && !c->voids[0])
        rd_text_copy(c->voids, sizeof c->voids,
                     "a thread was held back for fairness, which the cache does not know of");
}

static uint64_t level(void *state) {
    struct icb *s = state;
    const struct rd_delta_tree_node *first;
    if (s->tree.lost) /* before it waits: nobody goes on to another level without knowing */
        __atomic_store_n(&s->team->hub->lost, 1, __ATOMIC_RELEASE);
    if (!s->tree.started)
        return 0;
    while ((first = rd_delta_tree_first(&s->tree)) && first->key == 0 &&
           phase_of(s, first->cost) > s->team->hub->level)
        rd_delta_tree_defer(&s->tree, phase_of(s, first->cost));
    return first ? phase_of(s, first->cost) : RD_LEVEL_NONE;
}

static size_t give(void *state, uint64_t level, void *to, size_t room) {
    return rd_delta_tree_give(&((struct icb *)state)->tree, level, to, room);
}

static void take(void *state, const void *unit, size_t size) {
    rd_delta_tree_take(&((struct icb *)state)->tree, unit, size);
}

static size_t tally(const void *state, void *to, size_t room) {
    const struct icb *s = state;
    struct rd_delta_tree_tally t = {
        .executions = s->bound.executions, .barred = s->barred, .beyond = s->bound.beyond, .unfair = s->unfair};
    return rd_delta_tree_tally(&s->tree, t, to, room);
}

static void merge(void *state, const void *from, size_t size) {
    struct icb *s = state;
    struct rd_delta_tree_tally t = rd_delta_tree_merge(&s->tree, from, size);
    s->bound.executions += t.executions;
    s->bound.beyond |= t.beyond;
    s->unfair |= t.unfair;
    s->barred = s->barred && t.barred ? RD_MIN(s->barred, t.barred) : s->barred + t.barred;
}

static const struct rd_search *as(const struct rd_params *params) {
    return rd_param_given(params, "sleep") ? &rd_search_bounded_sleep : NULL;
}

static const char *check(const struct rd_params *params) {
    bool sleeps = rd_param_given(params, "sleep");
    if (sleeps && rd_param_given(params, "cache"))
        return "'cache' and 'sleep' cannot be used together";
    if (rd_param_number(params, "csb", 0) > UINT16_MAX)
        return "'csb' must be at most 65535";
    if (rd_param_number(params, "v", 0) > VARS_MAX)
        return "'v' of icb must be at most 64";
    if (rd_param_given(params, "v") && (sleeps || rd_param_given(params, "cache")))
        return "'v' cannot be used together with 'cache' or 'sleep'"; /* what they cover, they cover for one V */
    const char *rule = rd_param_text(params, "vb");
    if (rule && (strcmp(rule, "literal") != 0 || !rd_param_given(params, "v")))
        return "'vb' of icb can only be 'literal', and needs 'v'";
    return sleeps && rd_param_given(params, "csb") ? "'csb' and 'sleep' cannot be used together" : NULL;
}

static const struct rd_search_team_ops team_ops = {
    .share = RD_SHARE_UNITS,
    .level = level,
    .give = give,
    .take = take,
    .tally = tally,
    .merge = merge,
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
    .hooks = {.check = check, .variant = as},
    .team = &team_ops,
};
