/*
 * auto_state.h - the state of the default strategy, for its files: auto.c (the search) and auto_claim.c (the claim,
 * alone and of a team).
 */
#ifndef RD_SEARCH_AUTO_AUTO_STATE_H
#define RD_SEARCH_AUTO_AUTO_STATE_H

#include "search/auto/budget_estimate.h"
#include "search/auto/long_executions.h"
#include "search/auto/refutation.h"

/* The participants that take turns: the proof, the bounds, and the samplers. */
enum rd_auto_turn { RD_AUTO_PROOF, RD_AUTO_BOUNDS, RD_AUTO_SAMPLERS, RD_AUTO_TURNS };

struct rd_auto {
    struct rd_params params;
    struct rd_parts all;
    struct rd_part proof, bounds;
    struct rd_rotation samplers;
    struct rd_long_executions long_executions;
    struct rd_refutation refutation; /* whether samples refute the proof, if that is a reduction */
    struct rd_turns turns;
    enum rd_auto_turn now;
    uint32_t begun; /* executions of step 1 so far */
    bool beginning; /* the last execution was one of these */
    uint64_t sweep, swept;
    bool sweeping;
    bool plain;    /* no reduction: equivalent executions are run */
    bool diverged; /* an execution was a divergence, because of input from outside: there is no proof */
    bool given_up[RD_AUTO_TURNS];
    enum rd_budget_estimate prediction;
    uint64_t ask_at; /* executions of the proof after which its claim is read again */
    /* the component that has run all its executions and gives the claim; NULL: none */
    const struct rd_part *proved;
    struct rd_claim kept; /* the last good claim of the bounds */
    struct rd_team *team; /* NULL: alone */
    struct rd_auto_common *common;
    uint64_t asked; /* in a team: executions of this worker */
    /* in a team: the position of this worker among those present, and their number, when it last counted */
    uint32_t me, workers;
};

/* The state that the workers of a team share, in the hub. */
struct rd_auto_common {
    uint32_t plain, begun;
    uint32_t diverged, pad;
    uint32_t given_up[2][RD_AUTO_TURNS]; /* by `plain` */
    uint64_t swept;
    struct rd_budget_estimate_common estimates[2];
    struct rd_refutation_common refutation;
};

/* Begins the proof and the bounds again without reductions; the claims of the reductions are dropped. */
void rd_auto_go_plain(struct rd_auto *p);
/* Returns whether an execution of this worker, or of another one, was a divergence. */
static inline bool rd_auto_has_diverged(const struct rd_auto *p) {
    return p->diverged || (p->common && __atomic_load_n(&p->common->diverged, __ATOMIC_ACQUIRE));
}
/*
 * Returns whether a worker has given up executions within the bounds, because of its memory limit. pre: `c`, the
 * claim of the bounds, was read before the call, so it is valid if this returns false.
 */
static inline bool rd_auto_bounds_lost(const struct rd_auto *p, const struct rd_claim *c) {
    return c->incomplete || (p->team && __atomic_load_n(&p->bounds.team.hub->lost, __ATOMIC_ACQUIRE));
}

/* Slots of struct rd_search and of its table for teams. */
void rd_auto_claim(const void *state, struct rd_claim *c);
size_t rd_auto_tally(const void *state, void *to, size_t room);
void rd_auto_merge(void *state, const void *tally, size_t size);

#endif
