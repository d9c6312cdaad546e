/*
 * explain.c - see explain.h.
 *
 * Whether every execution fails after the first k steps can only turn from no to yes as k grows, so the critical
 * step is looked for by bisection, with a few executions at each k; one that passes also has some number of first
 * steps in common with the failing one, often more than it was asked for. Few executions can miss one that passes.
 * So then all executions from there on are run (partial-order reduction below a fixed prefix, which is what it does
 * at any node of its stack), and one that passes moves the critical step on.
 */
#include "explore/explain.h"

#include "explore/minimise.h"
#include "trace/event.h"

/*
 * Executions at each k: as few switches as can be, the threads in order, and some at random. How far the order that
 * matters is looked for, in steps. Memory of the search below the critical step: it gives up there.
 */
enum { ATTEMPTS = 6, WINDOW = 40, WINDOW_PASSED = 1000, SEARCH_BYTES = 64 << 20 };
/* So many executions from the critical step on are run, and of those of which none ever passed. */
enum { ALL_MAX = 400, NONE_PASSED_MAX = 100 };

void rd_explain_open(struct rd_explain *x, struct rd_arena *a, const struct rd_step *steps, uint32_t count,
                     bool predicted, bool plain) {
    *x = (struct rd_explain){.arena = a, .steps = steps, .count = count, .predicted = predicted, .plain = plain};
    x->fails = count;
    x->used = a->used;
    x->lent = a->lent;
}

/* Where nothing was to be chosen, the steps before decide as much. */
static void settle(struct rd_explain *x) {
    uint32_t first = x->escaped ? x->common + 1 : 0;
    while (x->fails > first && x->steps[x->fails - 1].ncand == 1)
        x->fails--;
    x->at = first + (x->fails - first) / 2;
    x->attempt = 0;
    if (first < x->fails || x->phase != RD_EXPLAIN_BISECT)
        return;
    x->phase = RD_EXPLAIN_ALL;
    x->root = first;
    x->arena->used = x->used; /* of the one before, if there was one */
    x->arena->lent = x->lent;
    x->search = x->plain ? &rd_search_dfs : &rd_search_dpor;
    x->state = x->search->open(x->arena, &(struct rd_params){0});
    x->begun = x->fed = false;
    x->search_from = x->arena->used;
    x->why.tried = x->ran = 0;
}

static void write_prefix(const struct rd_explain *x, struct rd_draft *d, uint32_t count) {
    RD_CHECK(count <= d->prefix_max);
    rd_choices_of_steps(d->prefix, x->steps, count);
    d->plan.prefix_count = count;
}

static void next_attempt(struct rd_explain *x, struct rd_draft *d) {
    static const uint32_t pickers[] = {RD_PICK_STAY, RD_PICK_FIRST};
    bool random = x->attempt >= RD_COUNT(pickers);
    d->plan = (struct rd_plan){.picker = random ? RD_PICK_RANDOM : pickers[x->attempt], .seed = x->attempt};
    write_prefix(x, d, x->at);
}

/* The next one of all from the root on; false: there is none. */
static bool next_of_all(struct rd_explain *x, struct rd_draft *d) {
    bool enough = x->ran >= (uint32_t)(x->escaped ? ALL_MAX : NONE_PASSED_MAX);
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
    d->plan.steps_max_cut = rd_steps_allowed(x->count);
    return x->phase == RD_EXPLAIN_DONE ? RD_NEXT_DONE : RD_NEXT_RUN;
}

/* How many first steps it has in common with the failing one. */
static uint32_t common_steps(const struct rd_explain *x, const struct rd_record *r) {
    uint32_t i = 0;
    for (; i < x->count && i < r->out->steps; i++) {
        const struct rd_step *a = &x->steps[i], *b = &r->steps[i];
        if (a->tid != b->tid || a->op != b->op || (rd_step_is_way(a) && a->value != b->value))
            break;
    }
    return i;
}

/* The step of the failing execution that is this thread's operation of that number, or `count`. */
static uint32_t step_of(const struct rd_explain *x, rd_tid tid, uint32_t number) {
    for (uint32_t i = 0; i < x->count; i++)
        if (x->steps[i].tid == tid && !rd_step_is_way(&x->steps[i]) && number-- == 0)
            return i;
    return x->count;
}

static uint32_t operations(const struct rd_step *steps, uint32_t count, rd_tid tid) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < count; i++)
        n += steps[i].tid == tid && !rd_step_is_way(&steps[i]);
    return n;
}

/* Is that operation, with this number of its thread, done later than `step` in the failing execution, or never? */
static bool comes_later(const struct rd_explain *x, const struct rd_step *s, uint32_t number, uint32_t step,
                        uint32_t *later) {
    *later = step_of(x, s->tid, number);
    return *later == x->count || (*later > step && x->steps[*later].op == s->op && x->steps[*later].pc == s->pc);
}

/* The last operation of that thread before `step` on what one of the two is about. */
static uint32_t earlier_one(const struct rd_explain *x, uint32_t step, rd_tid tid, rd_place place) {
    for (uint32_t i = step; i-- > 0 && place;)
        if (x->steps[i].tid == tid && x->steps[i].place == place && !rd_step_is_way(&x->steps[i]))
            return i + 1;
    return 0;
}

/* Is there an operation that came after this step here and before it in the execution that passed? */
static bool find_rival(struct rd_explain *x, const struct rd_record *r, uint32_t step) {
    const struct rd_step *a = &x->steps[step];
    uint32_t number = operations(x->steps, step, a->tid), done[RD_TID_MAX] = {0};
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
        x->why.before = earlier_one(x, step, b->tid, b->place == a->place ? b->place : 0);
        return true;
    }
    return false;
}

/* An execution that passes: the critical step is where it leaves the failing one, or later. */
static void escape(struct rd_explain *x, const struct rd_record *r) {
    uint32_t common = common_steps(x, r);
    if (common == x->count) { /* the same steps, another end */
        x->phase = RD_EXPLAIN_DONE;
        x->why.tried = 0;
        return;
    }
    if (x->escaped && common <= x->common)
        return;
    if (common >= x->fails) /* those few executions had missed it */
        x->fails = x->count;
    x->escaped = true;
    x->common = common;
    x->why.first = x->why.second = x->why.before = 0;
    bool found = rd_step_is_way(&x->steps[common]);
    for (uint32_t i = common; i < x->count && i < common + (uint32_t)WINDOW && !found; i++)
        found = !rd_step_is_way(&x->steps[i]) && find_rival(x, r, i);
    x->phase = RD_EXPLAIN_BISECT;
    settle(x);
}

void rd_explain_feedback(struct rd_explain *x, const struct rd_plan *plan, const struct rd_record *r, bool fails) {
    /* what can be read in an execution is not there in one that ends with something else either */
    bool other = x->predicted && r->out->verdict == RD_FOUND;
    bool passes = !fails && (r->out->verdict == RD_PASSED || other);
    if (x->phase == RD_EXPLAIN_REPEAT) {
        x->plain |= r->out->atomic || r->out->wrote || r->out->fairness;
        x->phase = fails ? RD_EXPLAIN_BISECT : RD_EXPLAIN_DONE;
        if (fails)
            settle(x);
        return;
    }
    if (x->phase == RD_EXPLAIN_ALL) {
        x->doubt |= rd_is_doubtful(plan, r->out) || (!x->plain && (r->out->atomic || r->out->wrote));
        struct rd_plan p = *plan;
        if (!x->fed) /* for the search its first execution has no prefix */
            p.prefix_count = 0;
        x->fed = true;
        x->search->feedback(x->state, &p, r);
        x->ran++;
        x->why.tried += fails;
    }
    if (passes) {
        escape(x, r);
        return;
    }
    if (x->phase == RD_EXPLAIN_BISECT && ++x->attempt == ATTEMPTS) {
        x->fails = x->at;
        settle(x);
    }
}

void rd_explain_result(const struct rd_explain *x, struct rd_why *why) {
    bool all = x->phase == RD_EXPLAIN_DONE && x->why.all;
    if (x->phase < RD_EXPLAIN_ALL || !x->why.tried)
        return; /* nothing that was bisected holds yet */
    why->tried = x->why.tried;
    why->all = all;
    why->explained = 1;
    why->critical = x->escaped ? x->common + 1 : 0;
    why->first = x->why.first;
    why->second = x->why.second;
    why->before = x->why.before;
    why->second_tid = x->why.second_tid;
    why->second_op = x->why.second_op;
    why->second_place = x->why.second_place;
    why->second_pc = x->why.second_pc;
}
