/*
 * auto.c - the default, a plan made of other searches:
 *
 * 1. Three executions to begin with: the default order, its reverse, a random walk. What the program does that a
 *    reduction cannot do with shows here, mostly.
 * 2. A quick sweep with samplers (rotate.h) and, by turns with it, the attempt at a proof: partial-order reduction,
 *    which ends with one execution of every class.
 * 3. When the proof will fit into the budget, by its own estimate, nothing else is run any more. Otherwise a search
 * in the order of preemptions proves what it can, bound by bound, and samplers go on beside it; the proof keeps a
 *    share, and its estimate may get better.
 *
 * Where threads are held back (--focus, raddle_atomic_begin, the fairness rule) or a signal may go to anybody, the
 * claims of a reduction are void. Then everything begins again with searches that leave nothing out: dfs for the
 * proof, icb for the bounds.
 *
 * Where accesses to memory are not seen, a reduction is right only if threads share no data without
 * synchronisation, and nobody checks that. Then the sweep is made to its end even if the proof is done before:
 * samplers do not need it. Anywhere, an order of events that a sampler shows and the finished proof does not
 * refutes it (agree.h).
 *
 * Where the program goes another way under the same choices, because of what comes from outside it, only samplers
 * that draw everything go on.
 *
 * No clock is asked: the loop says how many executions the budget allows, and everything else follows from their
 * numbers. What is claimed is always what one of the searches claims of its own executions.
 */
#include "search/agree.h"
#include "search/bound.h"
#include "search/rotate.h"

/* Executions of the sweep, and at least how many however small the budget is; it gets a 30th of that. */
enum { SWEEP = 1000, SWEEP_LEAST = 64, SWEEP_PART = 30 };
/* Yields in a row that hold nobody back as long as there is a reduction: many loops of them end by themselves. */
enum { PATIENCE = 20 };
/* Executions of the proof, or of the bounds, after which they are asked again what they have to say. */
enum { ASK_EVERY = 32 };
/* Bytes for the proof, and for the bounds, where nobody has set a limit. */
static const uint64_t PROOF_BYTES = (uint64_t)1 << 30, BOUND_BYTES = (uint64_t)1 << 28;

enum turn { PROOF, BOUNDS, OTHERS, TURNS };
enum hope { UNKNOWN, FITS, NEVER };

/* In per cent. A proof that will not fit is still given a try now and then: estimates are that. */
static const uint32_t sweep_share[TURNS] = {50, 0, 50};
static const uint32_t share_of[][TURNS] = {[UNKNOWN] = {50, 25, 25}, [FITS] = {100, 0, 0}, [NEVER] = {10, 45, 45}};

struct plan_of {
    struct rd_params params;
    struct rd_parts all;
    struct rd_part proof, bounds;
    struct rd_rotation others;
    struct rd_agree agree; /* of a proof that leaves something out */
    struct rd_turns turns;
    enum turn now;
    uint32_t begun; /* executions to begin with, so far */
    bool beginning; /* the last one was such */
    uint64_t sweep, swept;
    bool sweeping;
    bool plain; /* nothing is left out that is only equivalent */
    bool lost;  /* it goes another way when something else comes from outside: there is nothing to prove */
    bool given_up[TURNS];
    enum hope hope;
    uint64_t ask_at;              /* executions of the proof */
    const struct rd_part *proved; /* the one that has left nothing to be run */
    struct rd_claim kept;         /* of the bounds, as it was last found good */
};

enum { BEGIN = 3 };

static uint64_t memory_of(const struct plan_of *p, uint64_t part, uint64_t otherwise) {
    return p->params.memory_max ? RD_MAX(p->params.memory_max / part, (uint64_t)1) : otherwise;
}

static void open_parts(struct plan_of *p) {
    rd_part_open(&p->proof, &p->all, p->plain ? "dfs" : "dpor", 0);
    rd_part_open(&p->bounds, &p->all, p->plain ? "icb" : "bpor", memory_of(p, 4, BOUND_BYTES));
    p->given_up[PROOF] = p->given_up[BOUNDS] = p->lost;
    p->proved = NULL;
    p->hope = UNKNOWN;
    p->ask_at = 0;
    p->kept = rd_claim_nothing();
}

static void *open_auto(struct rd_arena *a, const struct rd_params *params) {
    struct plan_of *p = rd_arena_zero(a, sizeof *p);
    p->params = *params;
    p->all = (struct rd_parts){a, &p->params};
    p->sweep = rd_param_number(params, "sweep", SWEEP);
    p->begun = p->sweep ? 0 : BEGIN;
    p->sweeping = p->sweep > 0;
    p->plain = params->focused;
    rd_rotate_open(&p->others, &p->all, memory_of(p, 8, 0));
    rd_agree_open(&p->agree, a, memory_of(p, 8, 0));
    if (p->plain)
        rd_rotate_hold(&p->others);
    if (!p->sweeping)
        rd_rotate_go_on(&p->others);
    open_parts(p);
    return p;
}

/* From here on nothing is left out, and what was proved by leaving something out does not count. */
static void go_plain(struct plan_of *p) {
    p->plain = true;
    open_parts(p);
}

/*
 * Will the proof fit? Its own estimate is about the tree as it is known, and there is none while that still grows.
 * The samples know that there are at least so many orders, and when most were seen, how many.
 */
static enum hope hope_of(const struct plan_of *p, uint64_t left) {
    bool most = false;
    double own = rd_part_claim(&p->proof).estimate, orders = p->plain ? 0 : rd_rotate_orders(&p->others, &most);
    double more = RD_MAX(own, orders) - (double)p->proof.runs, room = (double)left;
    if (left == 0)
        return FITS;
    if (more > 8 * room)
        return NEVER;
    bool known = own > 0 || (most && more > 0);
    return known && more <= room / 2 ? FITS : UNKNOWN;
}

/* What the proof has left to do is asked now and then; whether its claims are void, too. */
static void consider(struct plan_of *p, uint64_t left) {
    if (p->given_up[PROOF] || p->proof.runs < p->ask_at)
        return;
    p->ask_at = p->proof.runs + ASK_EVERY;
    if (!p->plain && rd_part_claim(&p->proof).voids[0])
        go_plain(p);
    p->hope = hope_of(p, left);
}

static void end_sweep(struct plan_of *p, uint64_t left) {
    uint64_t so_far = p->proof.runs + p->others.runs, most = RD_MAX((so_far + left) / SWEEP_PART, SWEEP_LEAST);
    if (p->swept < p->sweep && (left == 0 || p->swept < most))
        return;
    p->sweeping = false;
    rd_rotate_go_on(&p->others);
}

static enum turn turn(struct plan_of *p, uint64_t left) {
    uint32_t share[TURNS];
    if (p->sweeping)
        end_sweep(p, left);
    if (!p->sweeping)
        consider(p, left);
    /* where nothing was beyond the bounds any more, the proof is not far either */
    enum hope hope = p->given_up[PROOF] ? NEVER : p->kept.complete ? FITS : p->hope;
    for (uint32_t i = 0; i < TURNS; i++) {
        share[i] = p->sweeping ? sweep_share[i] : share_of[hope][i];
        share[i] = p->given_up[i] ? 0 : share[i];
    }
    return (enum turn)rd_turns_next(&p->turns, share, TURNS);
}

/* Nothing is left to the proof. Where that is void or refuted, it begins again without a reduction. */
static void end_proof(struct plan_of *p) {
    if (!p->plain && (rd_part_claim(&p->proof).voids[0] || rd_agree_refutes(&p->agree))) {
        go_plain(p);
        return;
    }
    p->proved = &p->proof;
    p->given_up[PROOF] = p->given_up[BOUNDS] = true;
}

/* The bounds have come to an end: of those that leave something out the proof says more. */
static void end_bounds(struct plan_of *p) {
    struct rd_claim c = rd_part_claim(&p->bounds);
    if (!c.incomplete && !c.voids[0])
        p->kept = c;
    p->given_up[BOUNDS] = true;
    if (p->plain && c.complete && !c.incomplete && !c.voids[0])
        p->proved = &p->bounds;
}

static enum rd_next next(void *state, struct rd_draft *d) {
    static const uint32_t begin[BEGIN] = {RD_PICK_STAY, RD_PICK_LAST, RD_PICK_RANDOM};
    struct plan_of *p = state;
    p->beginning = p->begun < BEGIN;
    if (p->beginning) {
        d->plan = (struct rd_plan){.picker = begin[p->begun], .seed = rd_hash2(p->params.seed, p->begun)};
        p->begun++;
        return RD_NEXT_RUN;
    }
    while (!p->proved || (d->blind && p->sweeping)) {
        p->now = turn(p, d->left);
        d->plan = (struct rd_plan){0};
        if (p->now == OTHERS) {
            p->swept += p->sweeping;
            rd_rotate_next(&p->others, d);
            return RD_NEXT_RUN;
        }
        if (rd_part_next(p->now == PROOF ? &p->proof : &p->bounds, d)) {
            d->plan.yields = p->plain ? 0 : PATIENCE;
            return RD_NEXT_RUN;
        }
        if (p->now == PROOF)
            end_proof(p);
        else
            end_bounds(p);
    }
    return RD_NEXT_DONE;
}

static bool holds_back(const struct rd_record *r) {
    bool holds = r->out->atomic;
    for (uint32_t i = 0; i < r->out->steps && !holds; i++)
        holds = r->steps[i].op == RD_OP_ATOMIC_BEGIN;
    return holds;
}

/* The memory of a part that has nothing to give up, and what the bounds had proved before they gave up something.
 */
static void watch(struct plan_of *p) {
    if (p->now == PROOF && p->proof.bytes > memory_of(p, 2, PROOF_BYTES))
        p->given_up[PROOF] = true;
    if (p->now != BOUNDS || p->bounds.runs % ASK_EVERY)
        return;
    struct rd_claim c = rd_part_claim(&p->bounds);
    if (c.voids[0]) {
        go_plain(p);
        return;
    }
    p->given_up[BOUNDS] = c.incomplete;
    if (!c.incomplete)
        p->kept = c;
}

static void feedback(void *state, const struct rd_plan *plan, const struct rd_record *r) {
    struct plan_of *p = state;
    bool reduced = !p->beginning && p->now != OTHERS && !p->plain;
    if (!p->plain)
        rd_agree_note(&p->agree, r, reduced && p->now == PROOF);
    if (!p->beginning && p->now == OTHERS) {
        rd_rotate_feedback(&p->others, plan, r);
    } else {
        rd_rotate_note(&p->others, r);
        if (!p->beginning)
            rd_part_feedback(p->now == PROOF ? &p->proof : &p->bounds, plan, r);
    }
    if (!p->others.held && holds_back(r)) {
        rd_rotate_hold(&p->others);
        if (!p->plain)
            go_plain(p);
    } else if (reduced && (r->out->fairness || r->out->fair_tail)) {
        go_plain(p);
    } else if (p->proved && !p->plain && rd_agree_refutes(&p->agree)) {
        go_plain(p);
    } else if (!p->beginning) {
        watch(p);
    }
}

static void astray(void *state) {
    struct plan_of *p = state;
    p->lost = true;
    p->given_up[PROOF] = p->given_up[BOUNDS] = true;
    p->proved = NULL;
    p->kept = rd_claim_nothing();
    rd_rotate_draw(&p->others);
}

static void claim(const void *state, struct rd_claim *c) {
    const struct plan_of *p = state;
    if (p->proved) {
        *c = rd_part_claim(p->proved);
        return;
    }
    struct rd_claim bounds = p->given_up[BOUNDS] ? p->kept : rd_part_claim(&p->bounds);
    struct rd_claim proof = p->given_up[PROOF] ? rd_claim_nothing() : rd_part_claim(&p->proof);
    *c = bounds.incomplete ? p->kept : bounds;
    c->incomplete = c->complete = 0;
    c->done = proof.done;
    c->estimate = proof.estimate;
    c->or_more = proof.or_more;
    if (c->voids[0])
        *c = rd_claim_nothing();
    rd_rotate_claim(&p->others, c);
    if (p->sweeping)
        rd_text_copy(c->phase, sizeof c->phase, "a sweep of samplers, and a proof");
    else if (p->hope == FITS)
        rd_text_copy(c->phase, sizeof c->phase, proof.phase);
}

const struct rd_search rd_search_auto = {
    .name = "auto",
    .summary =
        "the default: a sweep with samplers (sweep=1000 executions) beside a proof by dpor; when that does not "
        "fit the budget, bpor bound by bound with samplers",
    .keys = "sweep#",
    .exhaustive = true,
    .outcomes = true,
    .focus = true,
    .frugal = true,
    .open = open_auto,
    .next = next,
    .feedback = feedback,
    .astray = astray,
    .claim = claim,
    .guarantee = "every schedule of this test on this input is equivalent to one that was run",
};
