/*
 * pct.c - strict priorities with change points (Burckhardt, Kothari, Musuvathi and Nagarakatte, "A randomized
 * scheduler with probabilistic guarantees of finding bugs", ASPLOS 2010). Threads have a random order, and the
 * first that can go on does. At d - 1 points, drawn from the first k with replacement, a thread falls below all
 * that have not fallen; of those that have, the one of the later change is above.
 *
 * The plan: `a` is d, `b` is k. Points with one candidate do not count. There nothing can be changed, so the one
 * who falls is the one that would be taken *at* the point: whoever ran before it alone can still be held back then.
 * As published (a plan that asks always) every step counts, and a thread falls *after* its step.
 */
#include "pick/pct.h"

#include "base/rng.h"
#include "pick/pick.h"

struct pct {
    struct rd_rng rng;
    uint64_t seed;
    uint32_t asked, changes;
    bool after;
    uint32_t at[RD_PCT_DEPTH_MAX - 1];
    rd_tid fallen[RD_PCT_DEPTH_MAX - 1]; /* by this change; none: not yet, or by another one since */
};

static_assert(sizeof(struct pct) <= RD_PICKER_STATE, "fits");

static void begin(void *state, const struct rd_plan *plan) {
    struct pct *p = state;
    RD_CHECK(plan->a >= 1 && plan->a <= RD_PCT_DEPTH_MAX && plan->b >= 1);
    *p = (struct pct){.seed = rd_mix(plan->seed), .changes = plan->a - 1, .after = plan->ask_always};
    rd_rng_seed(&p->rng, plan->seed);
    for (uint32_t i = 0; i < p->changes; i++) {
        p->at[i] = 1 + rd_rng_below(&p->rng, plan->b);
        p->fallen[i] = RD_TID_NONE;
    }
}

/* Those that have fallen have the number of their change, all others one above that. */
static uint64_t priority(const struct pct *p, rd_tid tid) {
    for (uint32_t i = 0; i < p->changes; i++)
        if (p->fallen[i] == tid)
            return i;
    return rd_hash2(p->seed, tid) | UINT64_C(1) << 63;
}

static uint32_t highest(const struct pct *p, const struct rd_point *point) {
    uint32_t best = 0;
    uint64_t most = 0;
    for (uint32_t i = 0; i < point->count; i++) {
        uint64_t mine = priority(p, point->cand[i].tid);
        if (i == 0 || mine > most) {
            best = i;
            most = mine;
        }
    }
    return best;
}

static uint32_t pick(void *state, const struct rd_point *point) {
    struct pct *p = state;
    if (!point->cand)
        return rd_rng_below(&p->rng, point->count);
    p->asked++;
    uint32_t best = highest(p, point), taken = best;
    for (uint32_t i = 0; i < p->changes; i++) {
        if (p->at[i] != p->asked)
            continue;
        for (uint32_t k = 0; k < p->changes; k++)
            if (p->fallen[k] == point->cand[best].tid)
                p->fallen[k] = RD_TID_NONE;
        p->fallen[i] = point->cand[best].tid;
        if (!p->after)
            best = taken = highest(p, point);
    }
    return taken;
}

const struct rd_picker rd_pick_pct = {"pct", "by random priorities that change at random points", begin, pick,
                                      false};
