/*
 * explain.c - see explain.h.
 *
 * If every execution with the first k steps of the failing one fails, then so does every execution with more of
 * them. So bisection over k finds the critical step, with a few executions for each k. An execution that passes may
 * have more than k steps in common with the failing one, which saves some work.
 *
 * A few executions for each k can miss one that passes. So afterwards all executions from the critical step on are
 * run: a search with partial-order reduction whose executions all have a fixed prefix, as below a node of its
 * stack. An execution that passes there moves the critical step on.
 */
#include "explore/explain.h"

#include "explore/minimise.h"
#include "trace/event.h"

enum {
    ATTEMPTS = 6,            /* executions for each k: the threads stay, the first thread goes on, some at random */
    WINDOW = 40,             /* steps of the failing execution in which `first` is looked for … */
    WINDOW_PASSED = 1000,    /* … and of the execution that passed, in which `second` is */
    SEARCH_BYTES = 64 << 20, /* memory of the search below the prefix, which ends there */
    ALL_MAX = 400,           /* the most executions of that search … */
    NONE_PASSED_MAX = 100,   /* … and if no execution ever passed */
};

void rd_explain_open(struct rd_explain *x, struct rd_arena *a, const struct rd_step *steps, uint32_t count,
                     bool predicted, bool unreduced) {
    *x = (struct rd_explain){
        .arena = a, .steps = steps, .count = count, .predicted = predicted, .unreduced = unreduced};
    x->fails = count;
    x->used = a->used;
    x->lent = a->lent;
}

/* Opens the search that runs all executions with the first `root` steps. */
static void open_search(struct rd_explain *x, uint32_t root) {
    x->phase = RD_EXPLAIN_ALL;
    x->root = root;
    x->arena->used = x->used; /* frees the memory of the search before, if there was one */
    x->arena->lent = x->lent;
    x->search = x->unreduced ? &rd_search_dfs : &rd_search_dpor;
    x->state = x->search->open(x->arena, &(struct rd_params){0});
    x->begun = x->fed = false;
    x->search_from = x->arena->used;
    x->why.tried = x->ran = 0;
}

/*
 * Chooses the next k of the bisection, or ends it. A step with one candidate is no decision: if every execution
 * fails after it, then every execution fails before it.
 */
static void bisect(struct rd_explain *x) {
    uint32_t first = x->passed ? x->common + 1 : 0;
    RD_CHECK(first <= x->fails && x->fails <= x->count);
    while (x->fails > first && x->steps[x->fails - 1].ncand == 1)
        x->fails--;
    x->at = first + (x->fails - first) / 2;
    x->attempt = 0;
    if (first == x->fails && x->phase == RD_EXPLAIN_BISECT)
        open_search(x, first);
}

/* The plan repeats the first `count` steps of the failing execution. */
static void write_prefix(const struct rd_explain *x, struct rd_draft *d, uint32_t count) {
    RD_CHECK(count <= x->count && count <= d->prefix_max);
    rd_choices_of_steps(d->prefix, x->steps, count);
    d->plan.prefix_count = count;
}

/* Plans one of the few executions with the first `at` steps. */
static void next_attempt(struct rd_explain *x, struct rd_draft *d) {
    static const uint32_t pickers[] = {RD_PICK_STAY, RD_PICK_FIRST};
    bool random = x->attempt >= RD_COUNT(pickers);
    d->plan = (struct rd_plan){.picker = random ? RD_PICK_RANDOM : pickers[x->attempt], .seed = x->attempt};
    write_prefix(x, d, x->at);
}

/*
 * Plans the next execution below the prefix; returns false at the end. The search does not know the prefix: its
 * first plan is empty and gets the prefix here, and it is over when it backtracks into the prefix.
 */
static bool next_of_all(struct rd_explain *x, struct rd_draft *d) {
    bool enough = x->ran >= (uint32_t)(x->passed ? ALL_MAX : NONE_PASSED_MAX);
    if (enough || x->arena->used - x->search_from > SEARCH_BYTES)
        return false;
    bool more = x->search->next(x->state, d) == RD_NEXT_RUN;
    if (!x->begun) {
        x->begun = true;
        write_prefix(x, d, x->root);
        return true;
    }
    if (more && d->plan.prefix_count > x->root)
        return true;
    struct rd_claim c = {0};
    x->search->claim(x->state, &c);
    x->why.all = !x->doubt && !c.voids[0];
    return false;
}

enum rd_next rd_explain_next(struct rd_explain *x, struct rd_draft *d) {
    if (x->phase == RD_EXPLAIN_REPEAT) {
        d->plan = (struct rd_plan){.picker = RD_PICK_STAY, .steps_max_cut = x->predicted ? x->count : 0};
        write_prefix(x, d, x->count);
        return RD_NEXT_RUN;
    }
    if (x->phase == RD_EXPLAIN_BISECT)
        next_attempt(x, d);
    else if (x->phase == RD_EXPLAIN_DONE || !next_of_all(x, d))
        x->phase = RD_EXPLAIN_DONE;
    d->plan.steps_max_cut = rd_minimise_steps_max(x->count);
    return x->phase == RD_EXPLAIN_DONE ? RD_NEXT_DONE : RD_NEXT_RUN;
}

/* Returns how many first steps the execution has in common with the failing one. */
static uint32_t common_steps(const struct rd_explain *x, const struct rd_record *r) {
    uint32_t i = 0;
    for (; i < x->count && i < r->out->steps; i++) {
        const struct rd_step *a = &x->steps[i], *b = &r->steps[i];
        if (a->tid != b->tid || a->op != b->op || (rd_step_is_way(a) && a->value != b->value))
            break;
    }
    return i;
}

/* Returns the step of the failing execution that is operation `number` of thread tid, from 0; `count`: none is. */
static uint32_t step_of(const struct rd_explain *x, rd_tid tid, uint32_t number) {
    for (uint32_t i = 0; i < x->count; i++)
        if (x->steps[i].tid == tid && !rd_step_is_way(&x->steps[i]) && number-- == 0)
            return i;
    return x->count;
}

/* Counts the operations of a thread in these steps. */
static uint32_t count_operations(const struct rd_step *steps, uint32_t count, rd_tid tid) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++)
        n += steps[i].tid == tid && !rd_step_is_way(&steps[i]);
    return n;
}

/*
 * The execution that passed has the operation `s`, which has this number in its thread. Returns true if the failing
 * execution comes to it after `step`, or never; writes the step to *later, `count` for never.
 */
static bool comes_later(const struct rd_explain *x, const struct rd_step *s, uint32_t number, uint32_t step,
                        uint32_t *later) {
    *later = step_of(x, s->tid, number);
    return *later == x->count || (*later > step && x->steps[*later].op == s->op && x->steps[*later].pc == s->pc);
}

/* Returns the last step of thread tid at this place before `step`, + 1; 0: none, or there is no place. */
static uint32_t earlier_at(const struct rd_explain *x, uint32_t step, rd_tid tid, rd_place place) {
    for (uint32_t i = step; i-- > 0 && place;)
        if (x->steps[i].tid == tid && x->steps[i].place == place && !rd_step_is_way(&x->steps[i]))
            return i + 1;
    return 0;
}

/*
 * Looks for an operation that depends on `step`, and came after it in the failing execution and before it in the
 * one that passed. Writes both to x->why if there is one.
 */
static bool find_reversed(struct rd_explain *x, const struct rd_record *r, uint32_t step) {
    const struct rd_step *a = &x->steps[step];
    uint32_t number = count_operations(x->steps, step, a->tid), done[RD_TID_MAX] = {0};
    struct rd_event ea = rd_event_of_step(a);
    uint32_t end = RD_MIN(r->out->steps, x->common + (uint32_t)WINDOW_PASSED);
    for (uint32_t i = 0; i < end; i++) {
        const struct rd_step *b = &r->steps[i];
        if (rd_step_is_way(b))
            continue;
        uint32_t n = done[b->tid]++;
        if (b->tid == a->tid && n == number)
            return false;
        struct rd_event eb = rd_event_of_step(b);
        uint32_t later;
        if (i < x->common || b->tid == a->tid || !rd_event_dependent(&ea, &eb) ||
            !comes_later(x, b, n, step, &later))
            continue;
        x->why.first = step + 1;
        x->why.second = later < x->count ? later + 1 : 0;
        x->why.second_tid = b->tid;
        x->why.second_op = b->op;
        x->why.second_place = b->place;
        x->why.second_pc = b->pc;
        x->why.before = earlier_at(x, step, b->tid, b->place == a->place ? b->place : 0);
        return true;
    }
    return false;
}

/* Takes in an execution that passed: the critical step is where it leaves the failing execution, or later. */
static void take_passed(struct rd_explain *x, const struct rd_record *r) {
    uint32_t common = common_steps(x, r);
    if (common == x->count) { /* all steps are the same, but not the end: no step decides it */
        x->phase = RD_EXPLAIN_DONE;
        x->why.tried = 0;
        return;
    }
    if (x->passed && common <= x->common)
        return;
    if (common >= x->fails) /* the few executions from `fails` on had missed this one */
        x->fails = x->count;
    x->passed = true;
    x->common = common;
    x->why.first = x->why.second = x->why.before = 0;
    bool found = rd_step_is_way(&x->steps[common]);
    for (uint32_t i = common; i < x->count && i < common + (uint32_t)WINDOW && !found; i++)
        found = !rd_step_is_way(&x->steps[i]) && find_reversed(x, r, i);
    x->phase = RD_EXPLAIN_BISECT;
    bisect(x);
}

void rd_explain_feedback(struct rd_explain *x, const struct rd_plan *plan, const struct rd_record *r, bool fails) {
    /* an execution that ends with another finding is one without the predicted finding */
    bool other = x->predicted && r->out->verdict == RD_FOUND;
    RD_CHECK(x->phase != RD_EXPLAIN_DONE);
    bool passes = !fails && (r->out->verdict == RD_PASSED || other);
    if (x->phase == RD_EXPLAIN_REPEAT) {
        x->unreduced |= r->out->atomic || r->out->wrote || r->out->fairness;
        x->phase = fails ? RD_EXPLAIN_BISECT : RD_EXPLAIN_DONE;
        if (fails)
            bisect(x);
        return;
    }
    if (x->phase == RD_EXPLAIN_ALL) {
        RD_CHECK(x->begun);
        x->doubt |= rd_minimise_voids_proof(plan, r->out) || (!x->unreduced && (r->out->atomic || r->out->wrote));
        struct rd_plan p = *plan;
        if (!x->fed) /* the search planned its first execution without the prefix */
            p.prefix_count = 0;
        x->fed = true;
        x->search->feedback(x->state, &p, r);
        x->ran++;
        x->why.tried += fails;
    }
    if (passes) {
        take_passed(x, r);
        return;
    }
    if (x->phase == RD_EXPLAIN_BISECT && ++x->attempt == ATTEMPTS) {
        x->fails = x->at;
        bisect(x);
    }
}

void rd_explain_result(const struct rd_explain *x, struct rd_why *why) {
    bool all = x->phase == RD_EXPLAIN_DONE && x->why.all;
    if (x->phase < RD_EXPLAIN_ALL || !x->why.tried)
        return; /* the bisection alone proves nothing */
    why->tried = x->why.tried;
    why->all = all;
    why->explained = 1;
    why->critical = x->passed ? x->common + 1 : 0;
    why->first = x->why.first;
    why->second = x->why.second;
    why->before = x->why.before;
    why->second_tid = x->why.second_tid;
    why->second_op = x->why.second_op;
    why->second_place = x->why.second_place;
    why->second_pc = x->why.second_pc;
}
