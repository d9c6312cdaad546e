/*
 * rank.c - strict priorities that change at given points, after RankChecker (Bindal, Bansal and Lal, "Variable and
 * thread bounding for systematic testing of multithreaded programs", ISSTA 2013). Its changes cut a thread into
 * fragments with a priority each: n threads and c changes make n + c fragments, in any order.
 *
 * The plan: `a` is the number of threads, `b` that of changes, and it asks always. Its weights are, in order
 * (`steps` of each):
 * - the first a: the priorities of the threads; the enabled thread with the highest one runs
 * - the next b: the priorities that the changes give, in the order in which the changes come
 * - the b after those: when a change comes. Before this step, to thread `parent`; or, if `parent` is a variable
 *   (rd_rank_variable), after this access to it, to the thread that makes it.
 *
 * Threads beyond a come last. A timed wait times out when no other thread is enabled. Which waiter a signal wakes
 * is drawn.
 *
 * A thread that yields again and again while no other thread runs may be waiting for another one: after
 * RD_RANK_YIELDS yields it falls below all others. It does not fall earlier, because a single yield is no reason to
 * leave the order of priorities.
 */
#include "pick/rank.h"

#include "base/rng.h"
#include "pick/pick.h"
#include "trace/track.h"

#include <string.h>

struct rank {
    uint64_t seed;
    uint32_t threads, changes;
    uint32_t made; /* changes so far */
    bool loaded;
    rd_tid yielding; /* the thread that yielded last, and its yields since another thread ran */
    uint32_t yields;
    int32_t lowest;
    uint32_t seen[RD_RANK_VARS_MAX]; /* accesses to each variable */
    int32_t priority[RD_TID_MAX];
};

static_assert(sizeof(struct rank) <= RD_PICKER_STATE, "fits");

static void begin(void *state, const struct rd_plan *plan) {
    struct rank *p = state;
    RD_CHECK(plan->ask_always && plan->b <= RD_RANK_CHANGES_MAX && !rd_rank_too_many(plan->a));
    memset(p, 0, sizeof *p);
    p->seed = plan->seed;
    p->threads = plan->a;
    p->changes = plan->b;
    p->yielding = RD_TID_NONE;
}

static void load(struct rank *p, const struct rd_weight *w) {
    for (uint32_t t = 0; t < RD_TID_MAX; t++)
        p->priority[t] = t < p->threads ? (int32_t)w[t].steps : -(int32_t)t;
    p->lowest = -RD_TID_MAX;
    p->loaded = true;
}

static void change(struct rank *p, const struct rd_weight *w, rd_tid tid) {
    RD_CHECK(p->made < p->changes && tid < RD_TID_MAX);
    p->priority[tid] = (int32_t)w[rd_rank_fragment(p->threads, p->made++)].steps;
}

/* Makes the changes whose step is this one or an earlier one; the plan's prefix may have passed several. */
static void change_by_step(struct rank *p, const struct rd_point *point) {
    while (p->made < p->changes) {
        const struct rd_weight *at = &point->weight[rd_rank_change(p->threads, p->changes, p->made)];
        if (at->parent >= RD_TID_MAX || at->steps > point->step)
            return;
        change(p, point->weight, at->parent);
    }
}

/* Returns whether a change comes after this access, which is about to be performed. */
static bool due_after(struct rank *p, const struct rd_point *point, const struct rd_op *op) {
    const struct rd_track *t = rd_track_of_op(point->track, point->track_count, op);
    if (!t || t->var >= RD_RANK_VARS_MAX || p->made == p->changes)
        return false;
    uint32_t count = ++p->seen[t->var];
    for (uint32_t i = 0; i < p->changes; i++) {
        const struct rd_weight *at = &point->weight[rd_rank_change(p->threads, p->changes, i)];
        if (at->parent == rd_rank_variable(t->var) && at->steps == count)
            return true;
    }
    return false;
}

static bool gives_up(const struct rd_cand *c) { return c->only_times_out && c->op->deadline; }

static uint32_t highest(const struct rank *p, const struct rd_point *point) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < point->count; i++) {
        const struct rd_cand *a = &point->cand[i], *b = &point->cand[best];
        bool late = gives_up(a);
        if (late != gives_up(b) ? !late : p->priority[a->tid] > p->priority[b->tid])
            best = i;
    }
    return best;
}

static void note_yield(struct rank *p, const struct rd_cand *c) {
    if (c->tid != p->yielding) {
        p->yielding = c->tid;
        p->yields = 0;
    }
    p->yields += (rd_op_flags(c->op->kind) & RD_F_YIELD) != 0;
    if (p->yields > RD_RANK_YIELDS) {
        p->priority[c->tid] = --p->lowest;
        p->yields = 0;
    }
}

static uint32_t pick(void *state, const struct rd_point *point) {
    struct rank *p = state;
    if (!point->cand) {
        struct rd_rng rng; /* seeded by the step, so that the way does not depend on earlier decisions */
        rd_rng_seed(&rng, rd_hash2(p->seed, point->step));
        return rd_rng_below(&rng, point->count);
    }
    if (!p->loaded)
        load(p, point->weight);
    change_by_step(p, point);
    uint32_t best = highest(p, point);
    const struct rd_cand *c = &point->cand[best];
    if (due_after(p, point, c->op))
        change(p, point->weight, c->tid);
    note_yield(p, c);
    return best;
}

const struct rd_picker rd_pick_rank = {"rank", "by priorities that change at given points", begin, pick, false};
