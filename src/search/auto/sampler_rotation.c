/* sampler_rotation.c - see sampler_rotation.h. */
#include "search/auto/sampler_rotation.h"

#include "base/text.h"

enum { SURW, POS, PCT3, DELAY, PCT2, URW, RFF };

/* Shares in per cent of the sweep, and whether the sampler goes on after it. */
static const struct {
    const char *strategy;
    uint32_t sweep;
    bool later;
} rows[RD_ROTATION_PARTS] = {
    [SURW] = {"surw", 50, true},       [POS] = {"pos", 20, true},     [PCT3] = {"pct:d=3", 15, true},
    [DELAY] = {"delay:d=1", 15, true}, [PCT2] = {"pct:d=2", 0, true}, [URW] = {"urw", 0, true},
    [RFF] = {"rff", 0, true},
};

/*
 * LEAST: the least share of each sampler, LEAST_ENDS: that of delay bounding, both in per mille (WHOLE).
 * SHARE_EVERY: executions after which the shares are computed again.
 */
enum { LEAST = 100, WHOLE = 1000, LEAST_ENDS = 200, SHARE_EVERY = 256 };
/* Below this probability that the next execution shows a new class, the number of classes is known well enough. */
static const double MOST_SEEN = 0.2;
/* Memory of each sampler if the user has set no limit; classes that are remembered. */
enum { PART_BYTES = 32 << 20, SEEN = 1 << 16 };

static bool takes_part(const struct rd_rotation *r, uint32_t i) {
    bool may = !r->held || r->part[i].search->focusable;
    return may && !r->part[i].done && (r->sweeping ? rows[i].sweep > 0 : rows[i].later);
}

/* Computes the shares, from how many of each sampler's last executions showed new classes. */
static void compute_shares(struct rd_rotation *r) {
    uint32_t parts = 0;
    double all = 0, rate[RD_ROTATION_PARTS] = {0};
    for (uint32_t i = 0; i < RD_ROTATION_PARTS; i++) {
        parts += takes_part(r, i);
        rate[i] = takes_part(r, i) && r->ran[i] ? (double)r->found[i] / r->ran[i] : 0;
        all += rate[i];
    }
    RD_CHECK(parts > 0 && LEAST * parts <= WHOLE); /* the samplers that never end */
    for (uint32_t i = 0; i < RD_ROTATION_PARTS; i++) {
        double more = all > 0 ? rate[i] / all : 1.0 / parts;
        r->share[i] = takes_part(r, i) ? LEAST + (uint32_t)((WHOLE - LEAST * parts) * more) : 0;
        if (i == DELAY && r->share[i])
            r->share[i] = RD_MAX(r->share[i], (uint32_t)LEAST_ENDS);
        if (r->sweeping)
            r->share[i] = takes_part(r, i) ? rows[i].sweep : 0;
        r->found[i] /= 2;
        r->ran[i] /= 2;
    }
}

void rd_rotation_open(struct rd_rotation *r, const struct rd_parts *all, uint32_t number, uint64_t memory_max) {
    uint64_t each = memory_max ? memory_max / (RD_ROTATION_PARTS + 1) : PART_BYTES;
    *r = (struct rd_rotation){.sweeping = true, .seen_mask = SEEN - 1};
    while (r->seen_mask && (r->seen_mask + 1) * sizeof *r->seen > each)
        r->seen_mask /= 2;
    r->seen = rd_arena_zero(all->arena, (r->seen_mask + 1) * sizeof *r->seen);
    for (uint32_t i = 0; i < RD_ROTATION_PARTS; i++)
        rd_part_open(&r->part[i], all, number + i, rows[i].strategy, each);
    compute_shares(r);
}

void rd_rotation_go_on(struct rd_rotation *r) {
    r->sweeping = false;
    compute_shares(r);
}

bool rd_rotation_holds(const struct rd_record *r) {
    bool holds = r->out->atomic;
    for (uint32_t i = 0; i < r->out->steps && !holds; i++)
        holds = r->steps[i].op == RD_OP_ATOMIC_BEGIN;
    return holds;
}

void rd_rotation_hold(struct rd_rotation *r) {
    r->held = true;
    compute_shares(r);
}

void rd_rotation_draw(struct rd_rotation *r) {
    r->part[DELAY].done = r->drawn = true;
    compute_shares(r);
}

void rd_rotation_next(struct rd_rotation *r, struct rd_draft *d) {
    for (;;) {
        r->now = rd_turns_next(&r->turns, r->share, RD_ROTATION_PARTS);
        enum rd_next next = rd_part_next(&r->part[r->now], d);
        if (next == RD_NEXT_RUN)
            return;
        if (next == RD_NEXT_DONE)
            compute_shares(r); /* only delay bounding ends */
    }
}

bool rd_rotation_note(struct rd_rotation *r, const struct rd_record *record) {
    if (record->out->verdict == RD_CUT)
        return false;
    uint64_t key = record->out->class_hash[0] ^ rd_mix(record->out->class_hash[1]);
    uint64_t *at = &r->seen[rd_mix(key) & r->seen_mask];
    bool fresh = *at != key;
    *at = key;
    return fresh;
}

void rd_rotation_feedback(struct rd_rotation *r, const struct rd_plan *plan, const struct rd_record *record) {
    rd_part_feedback(&r->part[r->now], plan, record);
    r->ran[r->now]++;
    RD_CHECK(r->found[r->now] < r->ran[r->now]);
    r->found[r->now] += rd_rotation_note(r, record);
    if (++r->runs % SHARE_EVERY == 0)
        compute_shares(r);
}

void rd_rotation_diverged(struct rd_rotation *r) { rd_part_diverged(&r->part[r->now]); }

double rd_rotation_orders(const struct rd_rotation *r, bool *most) {
    struct rd_claim c = rd_part_claim(&r->part[POS]);
    *most = c.classes > 0 && c.fresh < MOST_SEEN;
    return c.classes;
}

/*
 * Copies the claim of sampler i to the `chance` of c. Returns false if there is none, or if it does not hold when
 * threads are held back.
 */
static bool copy_chance(const struct rd_rotation *r, uint32_t i, const struct rd_claim *k, struct rd_claim *c) {
    struct rd_text t;
    bool of_depth = i == POS || k->missed > 0; /* else the claim says that there are too few executions */
    if (!k->proved[0] || !of_depth || (r->held && !r->part[i].search->focusable))
        return false;
    rd_text_init(&t, c->chance, sizeof c->chance);
    rd_text_str(&t, rows[i].strategy);
    rd_text_str(&t, ": ");
    rd_text_str(&t, k->proved);
    c->missed = k->missed;
    c->missed_depth = k->missed_depth;
    c->missed_threads = k->missed_threads;
    c->missed_points = k->missed_points;
    return true;
}

const struct rd_part *rd_rotation_ends(const struct rd_rotation *r) { return &r->part[DELAY]; }

/*
 * Adds the claim of delay bounding, which is not a reduction and ends soon, also with many threads. Its bound of
 * no delay is a single execution, which is not worth a claim.
 */
static void claim_delays(const struct rd_rotation *r, struct rd_claim *c) {
    struct rd_claim k = rd_part_claim(&r->part[DELAY]);
    if (c->proved[0] || r->drawn || k.incomplete || k.voids[0] || k.delays < 1)
        return;
    rd_text_copy(c->proved, sizeof c->proved, k.proved);
    c->delays = k.delays;
}

void rd_rotation_claim(const struct rd_rotation *r, struct rd_claim *c) {
    struct rd_claim deep = rd_part_claim(&r->part[PCT3]), shallow = rd_part_claim(&r->part[PCT2]);
    struct rd_claim pos = rd_part_claim(&r->part[POS]);
    if (!copy_chance(r, PCT3, &deep, c) && !copy_chance(r, PCT2, &shallow, c))
        copy_chance(r, POS, &pos, c);
    c->classes = pos.classes;
    c->fresh = pos.fresh;
    claim_delays(r, c);
}
