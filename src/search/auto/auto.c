/*
 * auto.c - the default strategy, a composite search:
 *
 * 1. Three executions show most of what a reduction cannot handle: the default order, its reverse, a random walk.
 * 2. A quick sweep with samplers (sampler_rotation.h) takes turns with partial-order reduction, the proof.
 * 3. If the proof is predicted to fit into the budget, nothing else is run any more (budget_estimate.h). Otherwise
 * a bounded search proves what it can, bound by bound, beside samplers and a share for the proof.
 *
 * If threads are held back (--focus, raddle_atomic_begin, the fairness rule), or a signal may go to any thread, the
 * claims of a reduction are void. Then everything begins again with searches that leave out nothing (`plain`): dfs
 * for the proof, icb for the bounds.
 *
 * If executions are long, one or two variables at a time are examined besides (long_executions.h). If accesses to
 * memory are not seen, a reduction is right only if threads share no data without synchronisation, which nothing
 * checks: then the sweep is completed even if the proof is finished before, as samplers do not rely on it. In any
 * case a class that a sampler shows and the finished proof did not refutes the proof (refutation.h).
 *
 * If the program takes another course under the same choices, because of input from outside, only samplers whose
 * plans do not rely on records go on.
 *
 * In a team (team/team.h) the workers divide each component in its own way, and decisions hold for all: that
 * everything begins again, that the proof is finished. Shares are those of the team, so each worker has few
 * components and stays with them: while the proof does not fit, some workers run the bounds and some draw samples.
 * A worker that has to wait in its component draws samples meanwhile.
 *
 * No clock is read: the loop says how many executions the budget allows, and everything follows from their numbers.
 * The claim is always what one of the searches claims of its own executions.
 */
#include "search/auto/refutation.h"
#include "search/bound.h"
#include "search/auto/budget_estimate.h"
#include "search/auto/long_executions.h"

#include <string.h>

/*
 * Executions of the sweep; how many at least, however small the budget is; which part of the budget it gets (one in
 * so many).
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

enum turn { PROOF, BOUNDS, OTHERS, TURNS };
/* Number of the first sampler as a component; before it come the proof and the bounds, each reduced and plain. */
enum { SAMPLERS = 4 };

/* In per cent. A proof that will not fit keeps a small share, because the prediction may be wrong. */
static const uint32_t sweep_share[TURNS] = {50, 0, 50};
static const uint32_t share_of[][TURNS] = {[RD_BUDGET_ESTIMATE_UNKNOWN] = {50, 25, 25},
                                           [RD_BUDGET_ESTIMATE_FITS] = {100, 0, 0},
                                           [RD_BUDGET_ESTIMATE_NEVER] = {10, 45, 45}};

struct auto_search {
    struct rd_params params;
    struct rd_parts all;
    struct rd_part proof, bounds;
    struct rd_rotation others;
    struct rd_long_executions lengthy;
    struct rd_refutation agree; /* whether samples refute the proof, if that is a reduction */
    struct rd_turns turns;
    enum turn now;
    uint32_t begun; /* executions of step 1 so far */
    bool beginning; /* the last execution was one of these */
    uint64_t sweep, swept;
    bool sweeping;
    bool plain; /* no reduction: equivalent executions are run */
    bool lost;  /* the program takes another course for other input from outside: there is nothing to prove */
    bool given_up[TURNS];
    enum rd_budget_estimate prediction;
    uint64_t ask_at;              /* executions of the proof after which its claim is read again */
    const struct rd_part *proved; /* the component that has left nothing to be run; NULL: none */
    struct rd_claim kept;         /* the last good claim of the bounds */
    struct rd_team *team;         /* NULL: alone */
    struct auto_common *common;
    uint64_t asked; /* in a team: executions of this worker */
    /* in a team: the position of this worker among those present, and their number, when it last counted */
    uint32_t me, workers;
};

/* What the workers of a team share, in the hub. */
struct auto_common {
    uint32_t plain, begun;
    uint32_t lost, pad;
    uint32_t given_up[2][TURNS]; /* by `plain` */
    uint64_t swept;
    struct rd_budget_estimate_common estimates[2];
    struct rd_refutation_common agree;
};

enum { BEGIN = 3 };

static uint64_t memory_of(const struct auto_search *p, uint64_t part, uint64_t otherwise) {
    return p->params.memory_max ? RD_MAX(p->params.memory_max / part, (uint64_t)1) : otherwise;
}

static void open_parts(struct auto_search *p) {
    uint32_t number = p->plain ? 2 : 0;
    rd_part_open(&p->proof, &p->all, number, p->plain ? "dfs" : "dpor", 0);
    rd_part_open(&p->bounds, &p->all, number + 1, p->plain ? "icb" : "bpor", memory_of(p, 4, BOUND_BYTES));
    p->given_up[PROOF] = p->given_up[BOUNDS] = p->lost;
    p->proved = NULL;
    p->prediction = RD_BUDGET_ESTIMATE_UNKNOWN;
    p->ask_at = 0;
    p->kept = rd_claim_none();
}

static void open_common(struct auto_search *p) {
    static_assert(SAMPLERS + RD_ROTATION_PARTS == RD_TEAM_PARTS, "every part has a hub");
    static_assert(sizeof(struct auto_common) <= RD_TEAM_COMMON, "in the hub");
    p->team = p->params.team;
    if (!p->team)
        return;
    p->common = (struct auto_common *)((char *)p->team->hub + p->team->hub->common_at);
    p->agree.common = &p->common->agree;
    if (p->team->me)
        return;
    memset(p->common, 0, sizeof *p->common);
    rd_team_open_parts(p->team);
}

static void *open_auto(struct rd_arena *a, const struct rd_params *params) {
    struct auto_search *p = rd_arena_zero(a, sizeof *p);
    p->params = *params;
    p->all = (struct rd_parts){a, &p->params};
    p->sweep = rd_param_number(params, "sweep", SWEEP);
    p->begun = p->sweep ? 0 : BEGIN;
    p->sweeping = p->sweep > 0;
    p->plain = params->focused;
    rd_refutation_open(&p->agree, a, memory_of(p, 8, 0));
    open_common(p);
    rd_long_executions_open(&p->lengthy, &p->all);
    rd_rotation_open(&p->others, &p->all, SAMPLERS, memory_of(p, 8, 0));
    if (p->plain)
        rd_rotation_hold(&p->others);
    if (!p->sweeping)
        rd_rotation_go_on(&p->others);
    open_parts(p);
    return p;
}

/* Begins again without reductions; what a reduction has proved does not count. */
static void go_plain(struct auto_search *p) {
    p->plain = true;
    if (p->common)
        __atomic_store_n(&p->common->plain, 1, __ATOMIC_RELEASE);
    open_parts(p);
}

/* Gives up a component for the whole team. */
static void give_up(struct auto_search *p, enum turn what) {
    p->given_up[what] = true;
    if (p->common)
        __atomic_store_n(&p->common->given_up[p->plain][what], 1, __ATOMIC_RELEASE);
}

/* Now and then predicts whether the proof will fit, and begins again if its claim is void. */
static void consider(struct auto_search *p, uint64_t left) {
    uint64_t runs = p->team ? p->asked : p->proof.runs;
    if (p->given_up[PROOF] || runs < p->ask_at)
        return;
    p->ask_at = runs + ASK_EVERY;
    if (!p->plain && rd_part_claim(&p->proof).voids[0])
        go_plain(p);
    p->prediction = rd_budget_estimate_of(&p->proof, p->plain ? NULL : &p->others,
                                          p->common ? &p->common->estimates[p->plain] : NULL, left);
}

static void end_sweep(struct auto_search *p, uint64_t left) {
    uint64_t so_far = p->team ? rd_team_count(p->team) : p->proof.runs + p->others.runs,
             most = RD_MAX((so_far + left) / SWEEP_PART, SWEEP_LEAST);
    if (p->swept < p->sweep && (left == 0 || p->swept < most))
        return;
    p->sweeping = false;
    rd_rotation_go_on(&p->others);
}

/*
 * Computes the shares of this worker in a team. It goes on with what it has begun, if slowly, as other workers may
 * be waiting for that.
 */
static void slice(struct auto_search *p, uint32_t *share) {
    uint32_t all = 0;
    if (p->asked % LOOK_EVERY == 0 || !p->workers)
        p->workers = rd_team_present(p->team, &p->me);
    rd_turns_slice(share, TURNS, p->me, p->workers);
    for (uint32_t i = 0; i < TURNS; i++)
        all += share[i];
    const struct rd_part *ends[TURNS] = {&p->proof, &p->bounds, rd_rotation_ends(&p->others)};
    for (uint32_t i = 0; i < TURNS; i++)
        if (!share[i] && !p->given_up[i] && rd_part_holds(ends[i]))
            share[i] = all / 10 + 1;
}

static enum turn turn(struct auto_search *p, uint64_t left) {
    uint32_t share[TURNS];
    if (p->sweeping)
        end_sweep(p, left);
    if (!p->sweeping)
        consider(p, left);
    /* if the bounds left nothing out, the proof is nearly finished, too */
    enum rd_budget_estimate prediction = p->given_up[PROOF] ? RD_BUDGET_ESTIMATE_NEVER
                                         : p->kept.complete ? RD_BUDGET_ESTIMATE_FITS
                                                            : p->prediction;
    for (uint32_t i = 0; i < TURNS; i++) {
        share[i] = p->sweeping ? sweep_share[i] : share_of[prediction][i];
        share[i] = p->given_up[i] ? 0 : share[i];
    }
    if (p->team)
        slice(p, share);
    return (enum turn)rd_turns_next(&p->turns, share, TURNS);
}

/* The proof has nothing left. If it is void or refuted, everything begins again without reductions. */
static void end_proof(struct auto_search *p) {
    if (!p->plain && (rd_part_claim(&p->proof).voids[0] || rd_refutation_refutes(&p->agree))) {
        go_plain(p);
        return;
    }
    p->proved = &p->proof;
    p->given_up[PROOF] = p->given_up[BOUNDS] = true;
}

/* The bounds have nothing left. If they are reduced, the proof says more. */
static void end_bounds(struct auto_search *p) {
    struct rd_claim c = rd_part_claim(&p->bounds);
    if (!c.incomplete && !c.voids[0])
        p->kept = c;
    p->given_up[BOUNDS] = true;
    if (p->plain && !p->team && c.complete && !c.incomplete && !c.voids[0])
        p->proved = &p->bounds;
}

/* There is nothing to prove: only samplers go on whose plans do not rely on records. */
static void lose(struct auto_search *p) {
    p->lost = true;
    p->given_up[PROOF] = p->given_up[BOUNDS] = true;
    p->proved = NULL;
    p->kept = rd_claim_none();
    rd_rotation_draw(&p->others);
    rd_long_executions_stop(&p->lengthy);
}

static bool is_lost(const struct auto_search *p) {
    return p->lost || (p->common && __atomic_load_n(&p->common->lost, __ATOMIC_ACQUIRE));
}

/* Takes over what other workers have decided or found out. */
static void hear(struct auto_search *p) {
    struct auto_common *c = p->common;
    if (!p->lost && is_lost(p))
        lose(p);
    if (__atomic_load_n(&c->plain, __ATOMIC_ACQUIRE) && !p->plain)
        go_plain(p);
    for (uint32_t i = 0; i < TURNS; i++)
        p->given_up[i] |= __atomic_load_n(&c->given_up[p->plain][i], __ATOMIC_ACQUIRE) != 0;
    if (p->begun < BEGIN)
        p->begun = __atomic_fetch_add(&c->begun, 1, __ATOMIC_RELAXED);
    p->swept = __atomic_load_n(&c->swept, __ATOMIC_RELAXED);
    p->asked++;
    if (rd_part_over(&p->proof) && !p->proved && !p->given_up[PROOF])
        end_proof(p);
}

static void count_swept(struct auto_search *p) {
    if (p->common && p->sweeping)
        __atomic_add_fetch(&p->common->swept, 1, __ATOMIC_RELAXED);
    p->swept += p->sweeping;
}

static enum rd_next next(void *state, struct rd_draft *d) {
    static const uint32_t begin[BEGIN] = {RD_PICK_STAY, RD_PICK_LAST, RD_PICK_RANDOM};
    struct auto_search *p = state;
    if (!p->proved && !d->memory_unseen && rd_long_executions_next(&p->lengthy, d))
        return RD_NEXT_RUN;
    if (p->team)
        hear(p);
    p->beginning = p->begun < BEGIN;
    if (p->beginning) {
        d->plan = (struct rd_plan){.picker = begin[p->begun], .seed = rd_hash2(p->params.seed, p->begun)};
        p->begun++;
        return RD_NEXT_RUN;
    }
    while (!p->proved || (d->memory_unseen && p->sweeping)) {
        p->now = turn(p, d->left);
        d->plan = (struct rd_plan){0};
        enum rd_next next = RD_NEXT_WAIT;
        if (p->now != OTHERS)
            next = rd_part_next(p->now == PROOF ? &p->proof : &p->bounds, d);
        if (next == RD_NEXT_RUN) {
            d->plan.yields = p->plain ? 0 : PATIENCE;
            return RD_NEXT_RUN;
        }
        if (next == RD_NEXT_WAIT) {
            p->now = OTHERS;
            count_swept(p);
            rd_rotation_next(&p->others, d);
            return RD_NEXT_RUN;
        }
        (p->now == PROOF ? end_proof : end_bounds)(p);
    }
    if (p->team)
        rd_team_end(p->team, RD_OVER_DONE);
    return RD_NEXT_DONE;
}

/*
 * Returns whether a worker has given up something that was due within the bounds. `c` is read first: its claim was
 * right before that.
 */
static bool bounds_lost(const struct auto_search *p, const struct rd_claim *c) {
    return c->incomplete || (p->team && __atomic_load_n(&p->bounds.team.hub->lost, __ATOMIC_ACQUIRE));
}

/*
 * Gives up the proof when it needs too much memory, and the bounds when they have lost something; keeps their last
 * good claim.
 */
static void watch(struct auto_search *p) {
    if (p->now == PROOF && p->proof.bytes > memory_of(p, 2, PROOF_BYTES))
        give_up(p, PROOF);
    if (p->now != BOUNDS || p->bounds.runs % ASK_EVERY)
        return;
    struct rd_claim c = rd_part_claim(&p->bounds);
    if (c.voids[0]) {
        go_plain(p);
        return;
    }
    if (bounds_lost(p, &c))
        give_up(p, BOUNDS);
    else
        p->kept = c;
}

static void feedback(void *state, const struct rd_plan *plan, const struct rd_record *r) {
    struct auto_search *p = state;
    if (rd_long_executions_feedback(&p->lengthy, plan, r))
        return;
    bool reduced = !p->beginning && p->now != OTHERS && !p->plain;
    if (!p->plain)
        rd_refutation_note(&p->agree, r, reduced && p->now == PROOF);
    if (!p->beginning && p->now == OTHERS) {
        rd_rotation_feedback(&p->others, plan, r);
    } else {
        rd_rotation_note(&p->others, r);
        if (!p->beginning)
            rd_part_feedback(p->now == PROOF ? &p->proof : &p->bounds, plan, r);
    }
    if (!p->others.held && rd_rotation_holds(r)) {
        rd_rotation_hold(&p->others);
        rd_long_executions_stop(&p->lengthy);
        if (!p->plain)
            go_plain(p);
    } else if (reduced && (r->out->fairness || r->out->fair_tail)) {
        go_plain(p);
    } else if (p->proved && !p->plain && rd_refutation_refutes(&p->agree)) {
        go_plain(p);
    } else if (!p->beginning) {
        watch(p);
    }
}

static void diverged(void *state) {
    struct auto_search *p = state;
    if (p->common)
        __atomic_store_n(&p->common->lost, 1, __ATOMIC_RELEASE);
    lose(p);
}

static void restart_set(void *state) { rd_long_executions_restart(&((struct auto_search *)state)->lengthy); }

/* In a team another worker may have finished the proof, and a sample that was being drawn then may refute it. */
static void claim_proved(const struct auto_search *p, struct rd_claim *c) {
    *c = rd_part_claim(p->proved ? p->proved : &p->proof);
    if (p->team && !p->plain && !c->voids[0] && rd_refutation_refutes(&p->agree))
        rd_text_copy(c->voids, sizeof c->voids, "a sample showed what none of the executions of the proof did");
}

static void claim(const void *state, struct rd_claim *c) {
    const struct auto_search *p = state;
    if (is_lost(p)) {
        *c = rd_claim_none();
        rd_rotation_claim(&p->others, c);
        return;
    }
    if (p->proved || (p->team && rd_team_done(p->team))) {
        claim_proved(p, c);
        return;
    }
    struct rd_claim bounds = p->given_up[BOUNDS] ? p->kept : rd_part_claim(&p->bounds);
    struct rd_claim proof = p->given_up[PROOF] ? rd_claim_none() : rd_part_claim(&p->proof);
    *c = bounds_lost(p, &bounds) ? p->kept : bounds;
    c->incomplete = c->complete = 0;
    bool tells = !p->team || p->team->me == 0; /* the first worker tells it for the team */
    c->done = tells ? proof.done : 0;
    c->estimate = tells ? proof.estimate : 0;
    c->or_more = tells && proof.or_more;
    if (c->voids[0])
        *c = rd_claim_none();
    rd_rotation_claim(&p->others, c);
    if (p->sweeping)
        rd_text_copy(c->phase, sizeof c->phase, "a sweep of samplers, and a proof");
    else if (p->prediction == RD_BUDGET_ESTIMATE_FITS)
        rd_text_copy(c->phase, sizeof c->phase, proof.phase);
}

/* ---- teams ---- */

static struct rd_part *part_at(struct auto_search *p, uint32_t i) {
    return i == PROOF ? &p->proof : i == BOUNDS ? &p->bounds : &p->others.part[i - OTHERS];
}

enum { PARTS = OTHERS + RD_ROTATION_PARTS };

static size_t tally(const void *state, void *to, size_t room) {
    struct auto_search *p = (struct auto_search *)state;
    struct rd_part *list[PARTS];
    uint64_t plain = p->plain;
    for (uint32_t i = 0; i < PARTS; i++)
        list[i] = part_at(p, i);
    memcpy(to, &plain, sizeof plain);
    return sizeof plain + rd_parts_tally(list, PARTS, (char *)to + sizeof plain, room - sizeof plain);
}

/* The work of a worker for a proof that has begun again since does not count. */
static void merge(void *state, const void *from, size_t size) {
    struct auto_search *p = state;
    struct rd_part *list[PARTS];
    uint64_t plain;
    memcpy(&plain, from, sizeof plain);
    if (plain && !p->plain)
        go_plain(p);
    for (uint32_t i = 0; i < PARTS; i++)
        list[i] = i >= OTHERS || (plain != 0) == p->plain ? part_at(p, i) : NULL;
    rd_parts_merge(list, PARTS, (const char *)from + sizeof plain, size - sizeof plain);
}

static const struct rd_search_team_ops team_ops = {.share = RD_SHARE_PARTS, .tally = tally, .merge = merge};

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
    .claim = claim,
    .hooks = {.diverged = diverged, .restart_set = restart_set},
    .team = &team_ops,
};
