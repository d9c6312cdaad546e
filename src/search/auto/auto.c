/*
 * auto.c - the default strategy, a composite search:
 *
 * 1. Three executions show whether the program does things that a reduction cannot handle: the default order, its
 * reverse, a random walk.
 * 2. A quick sweep with samplers (sampler_rotation.h) takes turns with partial-order reduction, the proof.
 * 3. If the proof is predicted to finish within the budget, only the proof goes on (budget_estimate.h). Otherwise
 * a bounded search, the bounds, takes turns with samplers and a small share for the proof: each bound that it
 * finishes is a claim.
 *
 * If threads are held back (--focus, raddle_atomic_begin, the fairness rule), or a signal may go to any thread,
 * the claims of a reduction are void. Then the proof and the bounds begin again with searches without a reduction
 * (`plain`): dfs for the proof, icb for the bounds.
 *
 * If executions are long, one or two variables at a time are examined besides (long_executions.h). If accesses to
 * memory are not seen, a reduction is right only if threads share no data without synchronisation, and no detector
 * can check that. Then the sweep is completed even if the proof is finished earlier, because samplers do not rely
 * on that assumption. In any case a class that a sampler shows, and that the finished proof has not shown, refutes
 * the proof (refutation.h).
 *
 * If an execution is a divergence, because of input from outside, there is no proof: only samplers whose plans do
 * not rely on the records of earlier executions go on.
 *
 * In a team (team/team.h) the workers divide each component in its own way, and decisions hold for all of them:
 * that the proof begins again, that it is finished. The shares are of the whole team, so each worker has few
 * components and stays with them: if the proof does not fit, some workers run the bounds and some draw samples. A
 * worker that has to wait in its component draws samples meanwhile.
 *
 * No clock is read: the loop says how many executions the budget allows, and all decisions follow from numbers of
 * executions. The claim is always that of one component, about its own executions.
 */
#include "search/auto/auto_state.h"

#include <string.h>

/*
 * SWEEP: executions of the sweep. SWEEP_LEAST: at least so many, however small the budget is. SWEEP_PART: at most
 * one in so many executions of the budget.
 */
enum { SWEEP = 1000, SWEEP_LEAST = 64, SWEEP_PART = 30 };
/*
 * PATIENCE: yields in a row that hold no thread back as long as there is a reduction. ASK_EVERY: executions of the
 * proof, or of the bounds, after which their claim is read. LOOK_EVERY: executions of a worker after which it
 * counts the workers.
 */
enum { PATIENCE = 20, ASK_EVERY = 32, LOOK_EVERY = 16 };
/* Bytes for the proof, and for the bounds, if the user has set no limit. */
static const uint64_t PROOF_BYTES = (uint64_t)1 << 30, BOUND_BYTES = (uint64_t)1 << 28;

/* Number of the first sampler as a component; before it come the proof and the bounds, each reduced and plain. */
enum { FIRST_SAMPLER = 4 };

/* In per cent. A proof that will not fit keeps a small share, because the prediction may be wrong. */
static const uint32_t sweep_share[RD_AUTO_TURNS] = {50, 0, 50};
static const uint32_t share_of[][RD_AUTO_TURNS] = {[RD_BUDGET_ESTIMATE_UNKNOWN] = {50, 25, 25},
                                                   [RD_BUDGET_ESTIMATE_FITS] = {100, 0, 0},
                                                   [RD_BUDGET_ESTIMATE_NEVER] = {10, 45, 45}};

enum { FIRST_RUNS = 3 };

static uint64_t memory_of(const struct rd_auto *p, uint64_t part, uint64_t otherwise) {
    return p->params.memory_max ? RD_MAX(p->params.memory_max / part, (uint64_t)1) : otherwise;
}

static void open_parts(struct rd_auto *p) {
    uint32_t number = p->plain ? 2 : 0;
    rd_part_open(&p->proof, &p->all, number, p->plain ? "dfs" : "dpor", 0);
    rd_part_open(&p->bounds, &p->all, number + 1, p->plain ? "icb" : "bpor", memory_of(p, 4, BOUND_BYTES));
    p->given_up[RD_AUTO_PROOF] = p->given_up[RD_AUTO_BOUNDS] = p->diverged;
    p->proved = NULL;
    p->prediction = RD_BUDGET_ESTIMATE_UNKNOWN;
    p->ask_at = 0;
    p->kept = rd_claim_none();
}

static void open_common(struct rd_auto *p) {
    static_assert(FIRST_SAMPLER + RD_ROTATION_PARTS == RD_TEAM_PARTS, "every part has a hub");
    static_assert(sizeof(struct rd_auto_common) <= RD_TEAM_COMMON, "in the hub");
    p->team = p->params.team;
    if (!p->team)
        return;
    p->common = (struct rd_auto_common *)((char *)p->team->hub + p->team->hub->common_at);
    p->refutation.common = &p->common->refutation;
    if (p->team->me)
        return;
    memset(p->common, 0, sizeof *p->common);
    rd_team_open_parts(p->team);
}

static void *open_auto(struct rd_arena *a, const struct rd_params *params) {
    struct rd_auto *p = rd_arena_zero(a, sizeof *p);
    p->params = *params;
    p->all = (struct rd_parts){a, &p->params};
    p->sweep = rd_param_number(params, "sweep", SWEEP);
    p->begun = p->sweep ? 0 : FIRST_RUNS;
    p->sweeping = p->sweep > 0;
    p->plain = params->focused;
    rd_refutation_open(&p->refutation, a, memory_of(p, 8, 0));
    open_common(p);
    rd_long_executions_open(&p->long_executions, &p->all);
    rd_rotation_open(&p->samplers, &p->all, FIRST_SAMPLER, memory_of(p, 8, 0));
    if (p->plain)
        rd_rotation_hold(&p->samplers);
    if (!p->sweeping)
        rd_rotation_go_on(&p->samplers);
    open_parts(p);
    return p;
}

void rd_auto_go_plain(struct rd_auto *p) {
    RD_CHECK(!p->plain); /* a plain search is not a reduction: its claim cannot be void for that reason */
    p->plain = true;
    if (p->common)
        __atomic_store_n(&p->common->plain, 1, __ATOMIC_RELEASE);
    open_parts(p);
}

/* Gives up a component for the whole team. */
static void give_up(struct rd_auto *p, enum rd_auto_turn component) {
    RD_CHECK(component != RD_AUTO_SAMPLERS); /* samplers always go on */
    p->given_up[component] = true;
    if (p->common)
        __atomic_store_n(&p->common->given_up[p->plain][component], 1, __ATOMIC_RELEASE);
}

/*
 * After every ASK_EVERY executions predicts whether the proof will fit, and begins again without a reduction if
 * its claim is void.
 */
static void consider(struct rd_auto *p, uint64_t left) {
    uint64_t runs = p->team ? p->asked : p->proof.runs;
    if (p->given_up[RD_AUTO_PROOF] || runs < p->ask_at)
        return;
    p->ask_at = runs + ASK_EVERY;
    if (!p->plain && rd_part_claim(&p->proof).voids[0])
        rd_auto_go_plain(p);
    p->prediction = rd_budget_estimate_of(&p->proof, p->plain ? NULL : &p->samplers,
                                          p->common ? &p->common->estimates[p->plain] : NULL, left);
}

static void end_sweep(struct rd_auto *p, uint64_t left) {
    uint64_t so_far = p->team ? rd_team_count(p->team) : p->proof.runs + p->samplers.runs,
             most = RD_MAX((so_far + left) / SWEEP_PART, SWEEP_LEAST);
    if (p->swept < p->sweep && (left == 0 || p->swept < most))
        return;
    p->sweeping = false;
    rd_rotation_go_on(&p->samplers);
}

/*
 * Computes the shares of this worker in a team. A component in which it still has work keeps a small share,
 * because other workers may be waiting for that work.
 */
static void slice(struct rd_auto *p, uint32_t *share) {
    uint32_t all = 0;
    if (p->asked % LOOK_EVERY == 0 || !p->workers)
        p->workers = rd_team_present(p->team, &p->me);
    rd_turns_slice(share, RD_AUTO_TURNS, p->me, p->workers);
    for (uint32_t i = 0; i < RD_AUTO_TURNS; i++)
        all += share[i];
    const struct rd_part *ends[RD_AUTO_TURNS] = {&p->proof, &p->bounds, rd_rotation_ends(&p->samplers)};
    for (uint32_t i = 0; i < RD_AUTO_TURNS; i++)
        if (!share[i] && !p->given_up[i] && rd_part_holds(ends[i]))
            share[i] = all / 10 + 1;
}

static enum rd_auto_turn turn(struct rd_auto *p, uint64_t left) {
    uint32_t share[RD_AUTO_TURNS];
    if (p->sweeping)
        end_sweep(p, left);
    if (!p->sweeping)
        consider(p, left);
    /* if the bounds are complete, the proof is nearly finished, too */
    enum rd_budget_estimate prediction = p->given_up[RD_AUTO_PROOF] ? RD_BUDGET_ESTIMATE_NEVER
                                         : p->kept.complete         ? RD_BUDGET_ESTIMATE_FITS
                                                                    : p->prediction;
    for (uint32_t i = 0; i < RD_AUTO_TURNS; i++) {
        share[i] = p->sweeping ? sweep_share[i] : share_of[prediction][i];
        share[i] = p->given_up[i] ? 0 : share[i];
    }
    if (p->team)
        slice(p, share);
    return (enum rd_auto_turn)rd_turns_next(&p->turns, share, RD_AUTO_TURNS);
}

/* The proof has run all its executions. If it is void or refuted, it begins again without a reduction. */
static void end_proof(struct rd_auto *p) {
    RD_CHECK(!p->proved && !p->given_up[RD_AUTO_PROOF]);
    if (!p->plain && (rd_part_claim(&p->proof).voids[0] || rd_refutation_refutes(&p->refutation))) {
        rd_auto_go_plain(p);
        return;
    }
    p->proved = &p->proof;
    p->given_up[RD_AUTO_PROOF] = p->given_up[RD_AUTO_BOUNDS] = true;
}

/*
 * The bounds have run all their executions. If they are a reduction, their claim does not replace the proof, which
 * says more.
 */
static void end_bounds(struct rd_auto *p) {
    RD_CHECK(!p->given_up[RD_AUTO_BOUNDS]);
    struct rd_claim c = rd_part_claim(&p->bounds);
    if (!c.incomplete && !c.voids[0])
        p->kept = c;
    p->given_up[RD_AUTO_BOUNDS] = true;
    if (p->plain && !p->team && c.complete && !c.incomplete && !c.voids[0])
        p->proved = &p->bounds;
}

/*
 * After a divergence: gives up the proof and the bounds; only samplers go on whose plans do not rely on records.
 */
static void give_up_claims(struct rd_auto *p) {
    p->diverged = true;
    p->given_up[RD_AUTO_PROOF] = p->given_up[RD_AUTO_BOUNDS] = true;
    p->proved = NULL;
    p->kept = rd_claim_none();
    rd_rotation_draw(&p->samplers);
    rd_long_executions_stop(&p->long_executions);
}

/* Takes over the decisions of other workers. */
static void adopt_decisions(struct rd_auto *p) {
    struct rd_auto_common *c = p->common;
    if (!p->diverged && rd_auto_has_diverged(p))
        give_up_claims(p);
    if (__atomic_load_n(&c->plain, __ATOMIC_ACQUIRE) && !p->plain)
        rd_auto_go_plain(p);
    for (uint32_t i = 0; i < RD_AUTO_TURNS; i++)
        p->given_up[i] |= __atomic_load_n(&c->given_up[p->plain][i], __ATOMIC_ACQUIRE) != 0;
    if (p->begun < FIRST_RUNS)
        p->begun = __atomic_fetch_add(&c->begun, 1, __ATOMIC_RELAXED);
    p->swept = __atomic_load_n(&c->swept, __ATOMIC_RELAXED);
    p->asked++;
    if (rd_part_over(&p->proof) && !p->proved && !p->given_up[RD_AUTO_PROOF])
        end_proof(p);
}

static void count_swept(struct rd_auto *p) {
    if (p->common && p->sweeping)
        __atomic_add_fetch(&p->common->swept, 1, __ATOMIC_RELAXED);
    p->swept += p->sweeping;
}

static enum rd_next next(void *state, struct rd_draft *d) {
    static const uint32_t begin[FIRST_RUNS] = {RD_PICK_STAY, RD_PICK_LAST, RD_PICK_RANDOM};
    struct rd_auto *p = state;
    if (!p->proved && !d->memory_unseen && rd_long_executions_next(&p->long_executions, d))
        return RD_NEXT_RUN;
    if (p->team)
        adopt_decisions(p);
    p->beginning = p->begun < FIRST_RUNS;
    if (p->beginning) {
        d->plan = (struct rd_plan){.picker = begin[p->begun], .seed = rd_hash2(p->params.seed, p->begun)};
        p->begun++;
        return RD_NEXT_RUN;
    }
    while (!p->proved || (d->memory_unseen && p->sweeping)) {
        p->now = turn(p, d->left);
        d->plan = (struct rd_plan){0};
        enum rd_next next = RD_NEXT_WAIT;
        if (p->now != RD_AUTO_SAMPLERS)
            next = rd_part_next(p->now == RD_AUTO_PROOF ? &p->proof : &p->bounds, d);
        if (next == RD_NEXT_RUN) {
            d->plan.yields = p->plain ? 0 : PATIENCE;
            return RD_NEXT_RUN;
        }
        if (next == RD_NEXT_WAIT) {
            p->now = RD_AUTO_SAMPLERS;
            count_swept(p);
            rd_rotation_next(&p->samplers, d);
            return RD_NEXT_RUN;
        }
        (p->now == RD_AUTO_PROOF ? end_proof : end_bounds)(p);
    }
    if (p->team)
        rd_team_end(p->team, RD_OVER_DONE);
    return RD_NEXT_DONE;
}

/*
 * Gives up the proof when it needs too much memory, and the bounds when they have lost executions because of their
 * memory limit; keeps the last claim of the bounds before that.
 */
static void watch(struct rd_auto *p) {
    if (p->now == RD_AUTO_PROOF && p->proof.bytes > memory_of(p, 2, PROOF_BYTES))
        give_up(p, RD_AUTO_PROOF);
    if (p->now != RD_AUTO_BOUNDS || p->bounds.runs % ASK_EVERY)
        return;
    struct rd_claim c = rd_part_claim(&p->bounds);
    if (c.voids[0]) {
        rd_auto_go_plain(p);
        return;
    }
    if (rd_auto_bounds_lost(p, &c))
        give_up(p, RD_AUTO_BOUNDS);
    else
        p->kept = c;
}

static void feedback(void *state, const struct rd_plan *plan, const struct rd_record *r) {
    struct rd_auto *p = state;
    if (rd_long_executions_feedback(&p->long_executions, plan, r))
        return;
    bool reduced = !p->beginning && p->now != RD_AUTO_SAMPLERS && !p->plain;
    if (!p->plain)
        rd_refutation_note(&p->refutation, r, reduced && p->now == RD_AUTO_PROOF);
    if (!p->beginning && p->now == RD_AUTO_SAMPLERS) {
        rd_rotation_feedback(&p->samplers, plan, r);
    } else {
        rd_rotation_note(&p->samplers, r);
        if (!p->beginning)
            rd_part_feedback(p->now == RD_AUTO_PROOF ? &p->proof : &p->bounds, plan, r);
    }
    if (!p->samplers.held && rd_rotation_holds(r)) {
        rd_rotation_hold(&p->samplers);
        rd_long_executions_stop(&p->long_executions);
        if (!p->plain)
            rd_auto_go_plain(p);
    } else if (reduced && (r->out->fairness || r->out->fair_tail)) {
        rd_auto_go_plain(p);
    } else if (p->proved && !p->plain && rd_refutation_refutes(&p->refutation)) {
        rd_auto_go_plain(p);
    } else if (!p->beginning) {
        watch(p);
    }
}

static void diverged(void *state) {
    struct rd_auto *p = state;
    if (!p->long_executions.now && !p->beginning && p->now == RD_AUTO_SAMPLERS)
        rd_rotation_diverged(&p->samplers);
    if (p->common)
        __atomic_store_n(&p->common->diverged, 1, __ATOMIC_RELEASE);
    give_up_claims(p);
}

static void restart_set(void *state) { rd_long_executions_restart(&((struct rd_auto *)state)->long_executions); }

static const struct rd_search_team_ops team_ops = {
    .share = RD_SHARE_PARTS, .tally = rd_auto_tally, .merge = rd_auto_merge};

const struct rd_search rd_search_auto = {
    .name = "auto",
    .summary =
        "the default: a sweep with samplers (sweep=1000 executions) beside a proof by dpor; when that does not "
        "fit the budget, bpor bound by bound with samplers",
    .keys = "sweep#",
    .guarantee = {.sentence = "every schedule of this test on this input is equivalent to one that was run",
                  .exhaustive = true,
                  .outcomes = true},
    .focusable = true,
    .keeps_within = true,
    .open = open_auto,
    .next = next,
    .feedback = feedback,
    .claim = rd_auto_claim,
    .hooks = {.diverged = diverged, .restart_set = restart_set},
    .team = &team_ops,
};
