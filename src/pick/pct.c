/*
 * pct.c - strict priorities with change points (Burckhardt, Kothari, Musuvathi and Nagarakatte, "A randomized
 * scheduler with probabilistic guarantees of finding bugs", ASPLOS 2010). Threads have a random order, and the
 * first enabled one runs. At d - 1 points, drawn from the first k with replacement, a thread falls below all
 * threads that have not fallen; among fallen threads the one of the later change is above.
 *
 * The plan: `a` is d, `b` is k. Points with one candidate do not count. At such a point nothing can be changed, so
 * the thread that falls is the one that would be chosen *at* the change point: a thread that ran alone before it
 * can still be held back then. As published (the plan asks always) every step counts, and a thread falls *after*
 * its step.
 *
 * With `b` 0 the changes are at the variables that the plan tracks: change i is at the `steps`-th operation on
 * variable `parent` of weight i. The thread that is about to perform that operation falls; its earlier operations
 * on other variables have been performed.
 *
 * Priorities change at change points only. So as long as the candidates are the same and no change has come, the
 * same thread goes on, and no other one is examined.
 */
#include "pick/pct.h"

#include "base/rng.h"
#include "pick/pick.h"
#include "trace/track.h"

#include <string.h>

struct pct {
    struct rd_rng rng;
    uint64_t seed;
    uint32_t asked, changes;
    uint32_t best; /* index of the candidate chosen last, + 1; 0: priorities have changed since */
    bool after, at_variables;
    uint32_t done[RD_PCT_DEPTH_MAX]; /* by variable: operations on it */
    /* by change: the point it is at; at variables: the point it came at, 0 if it has not come */
    uint32_t at[RD_PCT_DEPTH_MAX - 1];
    /* by change: the thread that fell by it; none if it has not come, or if the thread fell again since */
    rd_tid fallen[RD_PCT_DEPTH_MAX - 1];
    uint32_t known; /* threads whose first priority is in `first` */
    uint64_t first[RD_TID_MAX];
};

static_assert(sizeof(struct pct) <= RD_PICKER_STATE, "fits");

static void begin(void *state, const struct rd_plan *plan) {
    struct pct *p = state;
    RD_CHECK(plan->a >= 1 && plan->a <= RD_PCT_DEPTH_MAX && (plan->b >= 1 || plan->ask_always));
    memset(p, 0, offsetof(struct pct, first));
    p->seed = rd_mix(plan->seed);
    p->changes = plan->a - 1;
    p->after = plan->ask_always && plan->b;
    p->at_variables = plan->b == 0;
    rd_rng_seed(&p->rng, plan->seed);
    for (uint32_t i = 0; i < p->changes; i++) {
        p->at[i] = p->at_variables ? 0 : 1 + rd_rng_below(&p->rng, plan->b);
        p->fallen[i] = RD_TID_NONE;
    }
}

/* Returns the priority of a thread: the number of its change if it has fallen; all others are above these. */
static uint64_t priority(struct pct *p, rd_tid tid) {
    for (uint32_t i = 0; i < p->changes; i++)
        if (p->fallen[i] == tid)
            return i;
    for (; p->known <= tid; p->known++)
        p->first[p->known] = rd_hash2(p->seed, p->known) | UINT64_C(1) << 63;
    return p->first[tid];
}

static uint32_t highest(struct pct *p, const struct rd_point *point) {
    uint32_t best = 0;
    uint64_t most = 0;
    if (RD_LIKELY(point->same && p->best))
        return p->best - 1;
    for (uint32_t i = 0; i < point->count; i++) {
        uint64_t mine = priority(p, point->cand[i].tid);
        if (i == 0 || mine > most) {
            best = i;
            most = mine;
        }
    }
    p->best = best + 1;
    return best;
}

/* Returns the tracked variable of the candidate's pending operation, or NULL. */
static const struct rd_track *variable(const struct pct *p, const struct rd_point *point, uint32_t cand) {
    return p->at_variables ? rd_track_of_op(point->track, point->track_count, point->cand[cand].op) : NULL;
}

/* Returns whether this change comes now if this candidate would be chosen. */
static bool is_due(const struct pct *p, const struct rd_point *point, uint32_t change, uint32_t cand) {
    if (!p->at_variables)
        return p->at[change] == p->asked;
    const struct rd_weight *w = &point->weight[change];
    const struct rd_track *v = p->at[change] ? NULL : variable(p, point, cand);
    return v && w->parent == v->var && w->steps == p->done[v->var] + 1;
}

static void fall(struct pct *p, uint32_t change, rd_tid tid) {
    RD_CHECK(change < p->changes && tid < RD_TID_MAX);
    for (uint32_t k = 0; k < p->changes; k++)
        if (p->fallen[k] == tid)
            p->fallen[k] = RD_TID_NONE;
    p->fallen[change] = tid;
    p->at[change] = p->asked;
    p->best = 0;
}

static uint32_t pick(void *state, const struct rd_point *point) {
    struct pct *p = state;
    if (!point->cand)
        return rd_rng_below(&p->rng, point->count);
    p->asked++;
    uint32_t best = highest(p, point), taken = best;
    for (uint32_t i = 0; i < p->changes; i++) {
        if (!is_due(p, point, i, best))
            continue;
        fall(p, i, point->cand[best].tid);
        if (!p->after)
            best = taken = highest(p, point);
    }
    const struct rd_track *v = variable(p, point, taken);
    if (v)
        p->done[v->var]++;
    return taken;
}

const struct rd_picker rd_pick_pct = {"pct", "by random priorities that change at random points", begin, pick,
                                      false};
