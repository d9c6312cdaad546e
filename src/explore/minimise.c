/*
 * minimise.c - see minimise.h.
 *
 * An execution is the default behaviour (go on with the current thread) and a list of differences from it, each by
 * what its thread has done so far (pick/guide.h): leaving one out does not change what the others mean. Pieces of
 * the list are left out, first large ones, in the end single ones and pairs of neighbours (delta debugging: Zeller
 * and Hildebrandt, TSE 2002; for schedules Choi and Zeller, ISSTA 2002). A pair is what brings a thread in and
 * takes it out again: without both, its part is done together with its next one (Jalbert and Sen, FSE 2010, merge
 * neighbouring segments of a thread). Whatever shows the finding and is better by its cost is kept, with the
 * differences that it really has.
 *
 * That ends where no single step of this kind is better, which need not be the fewest preemptions. So the search in
 * the order of preemptions is run up to one less: it finds one with fewer, the fewest then, or shows that there is
 * none. Only then the number is called proved.
 */
#include "explore/minimise.h"

#include "base/text.h"
#include "pick/guide.h"

#include <string.h>

/* Memory of the search that proves: it gives up there. */
enum { PROOF_BYTES = 64 << 20 };

int rd_cost_compare(const struct rd_cost *a, const struct rd_cost *b) {
    if (a->preemptions != b->preemptions)
        return a->preemptions < b->preemptions ? -1 : 1;
    if (a->unusual != b->unusual)
        return a->unusual < b->unusual ? -1 : 1;
    if (a->switches != b->switches)
        return a->switches < b->switches ? -1 : 1;
    return a->steps < b->steps ? -1 : a->steps > b->steps;
}

/* Did it give up, or go on without being woken, although somebody else could go on? */
static bool is_early(const struct rd_step *s) {
    return s->flags & RD_STEP_GAVE_UP && (uint32_t)__builtin_popcount(s->only_times_out) < s->ncand;
}

struct rd_cost rd_cost_of(const struct rd_step *steps, uint32_t count) {
    struct rd_cost c = {.steps = count};
    for (uint32_t i = 0; i < count; i++) {
        const struct rd_step *s = &steps[i];
        c.preemptions += (s->flags & RD_STEP_PREEMPTION) != 0;
        c.switches += (s->flags & RD_STEP_SWITCH) != 0;
        c.unusual += rd_step_is_way(s) ? s->value != 0 : is_early(s);
    }
    return c;
}

uint32_t rd_steps_allowed(uint32_t count) { return count * 4 + 10000; }

bool rd_is_doubtful(const struct rd_plan *plan, const struct rd_outcome *o) {
    bool hangs = o->verdict == RD_FOUND && o->finding.kind == RD_HANG;
    bool cut = o->verdict == RD_CUT && plan->steps_max_cut && o->steps >= plan->steps_max_cut;
    return hangs || cut || o->fair_tail || o->limited || o->children || o->waited_outside || o->unseen;
}

void rd_minimise_open(struct rd_minimise *m, struct rd_arena *a, const struct rd_step *steps, uint32_t count,
                      bool predicted, bool plain) {
    *m = (struct rd_minimise){.arena = a, .predicted = predicted, .plain = plain};
    m->given = steps;
    m->given_count = count;
    m->before = m->cost = rd_cost_of(steps, count);
}

/* Whom the default behaviour takes at this step, as far as the record tells. */
static rd_tid usual(const struct rd_record *r, uint32_t step, rd_tid current) {
    const struct rd_step *s = &r->steps[step];
    if (s->flags & RD_STEP_COULD_STAY)
        return current;
    for (uint32_t i = 0; i < s->ncand; i++)
        if (i >= 31 || !(s->only_times_out >> i & 1))
            return r->cands[s->cand + i];
    return r->cands[s->cand];
}

static void find_deltas(struct rd_minimise *m, const struct rd_record *r, uint32_t count) {
    uint32_t done[RD_TID_MAX] = {0};
    rd_tid current = 0;
    m->delta.count = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct rd_step *s = &r->steps[i];
        if (rd_step_is_way(s)) {
            if (s->value)
                rd_vec_push(
                    m->arena, &m->delta,
                    (struct rd_delta){.said = rd_guide_way(s->tid, done[s->tid], (uint16_t)s->value), .step = i});
            continue;
        }
        /* who goes on out of an allowance may not be whom the record takes for the usual one */
        bool differs = s->tid != usual(r, i, current) || s->flags & RD_STEP_GAVE_UP;
        if (differs && !(s->flags & RD_STEP_FORCED))
            rd_vec_push(m->arena, &m->delta,
                        (struct rd_delta){.said = rd_guide_turn(current, done[current], s->tid),
                                          .step = i,
                                          .preempts = s->flags & RD_STEP_PREEMPTION});
        current = s->tid;
        done[current]++;
    }
}

/* This execution is the best one now. */
static void keep(struct rd_minimise *m, const struct rd_record *r, uint32_t count, const struct rd_finding *f) {
    if (count > m->room) {
        m->steps = rd_arena_alloc(m->arena, count * sizeof *m->steps);
        m->room = count;
    }
    memcpy(m->steps, r->steps, count * sizeof *m->steps);
    m->cost = rd_cost_of(m->steps, count);
    m->finding = *f;
    find_deltas(m, r, count);
}

/* May this difference be left out in this phase, alone or in a piece? */
static bool is_part(const struct rd_minimise *m, const struct rd_delta *d) {
    return m->phase == RD_MINIMISE_TIDY || (m->phase == RD_MINIMISE_CUT && d->preempts);
}

/* How many places there are to leave something out at. */
static uint32_t places(const struct rd_minimise *m) {
    uint32_t n = 0;
    if (m->how == RD_MINIMISE_PARTS)
        return m->cost.switches; /* the last part shows the finding */
    for (uint32_t i = 0; i < m->delta.count; i++)
        n += is_part(m, &m->delta.at[i]);
    return m->how == RD_MINIMISE_PAIRS && n ? n - 1 : n;
}

static void enter(struct rd_minimise *m, enum rd_minimise_phase phase) {
    m->phase = phase;
    m->how = RD_MINIMISE_PIECES;
    m->from = 0;
    m->shrunk = false;
    m->size = phase == RD_MINIMISE_CUT ? RD_MAX(places(m) / 2, 1u) : 1;
}

/*
 * The next piece to be left out; false: the phase is over. After the pieces of one size come those of half of it,
 * then pairs at every place, then parts; whatever could be left out, single ones come again.
 */
static bool next_piece(struct rd_minimise *m) {
    while (m->from >= places(m)) {
        bool again = m->shrunk;
        m->from = 0;
        m->shrunk = false;
        if (m->how == RD_MINIMISE_PIECES && m->size > 1) {
            m->size = RD_MAX(RD_MIN(m->size, places(m)) / 2, 1u);
        } else if (again) {
            m->how = RD_MINIMISE_PIECES;
            m->size = 1;
        } else if (m->how == RD_MINIMISE_PIECES) {
            m->how = RD_MINIMISE_PAIRS;
            m->size = 2;
        } else if (m->how == RD_MINIMISE_PAIRS && m->phase == RD_MINIMISE_TIDY) {
            m->how = RD_MINIMISE_PARTS;
        } else {
            return false;
        }
    }
    return true;
}

/* The part of a thread that is being left out: between two switches, and what would come instead of it. */
struct part {
    uint32_t first, end; /* its steps */
    struct rd_delta instead;
    bool needed; /* … is not the default */
};

static struct part find_part(const struct rd_minimise *m) {
    uint32_t done[RD_TID_MAX] = {0}, parts = 0;
    struct part p = {0};
    rd_tid current = 0, before = 0;
    for (uint32_t i = 0; i < m->cost.steps; i++) {
        const struct rd_step *s = &m->steps[i];
        if (rd_step_is_way(s))
            continue;
        if (s->flags & RD_STEP_SWITCH && parts++ == m->from) {
            p.first = i;
            before = current;
            p.instead.said = rd_guide_turn(before, done[before], 0);
        } else if (s->flags & RD_STEP_SWITCH && parts == m->from + 2) {
            p.end = i;
            p.instead.said.pick = s->tid;
            p.needed = s->tid != before;
            return p;
        }
        current = s->tid;
        done[current]++;
    }
    return p;
}

/* The differences that are tried now: all but those that are left out, in the order of steps. */
static uint32_t choose_deltas(const struct rd_minimise *m, struct rd_choice *to) {
    uint32_t part = 0, n = 0;
    bool pieces = m->phase == RD_MINIMISE_CUT || m->phase == RD_MINIMISE_TIDY;
    bool parts = pieces && m->how == RD_MINIMISE_PARTS;
    struct part p = parts ? find_part(m) : (struct part){0};
    bool placed = !p.end || !p.needed;
    for (uint32_t i = 0; i < m->delta.count; i++) {
        const struct rd_delta *d = &m->delta.at[i];
        bool out = pieces && !parts && is_part(m, d) && part >= m->from && part < m->from + m->size;
        part += is_part(m, d);
        if (!placed && d->step >= p.first) {
            to[n++] = p.instead.said;
            placed = true;
        }
        out |= p.end && (d->step == p.first || d->step == p.end) && !rd_guide_is_way(&d->said);
        out |= m->phase == RD_MINIMISE_BARE || (m->phase == RD_MINIMISE_FREE && d->preempts);
        if (!out)
            to[n++] = d->said;
    }
    if (!placed)
        to[n++] = p.instead.said;
    return n;
}

/* Sorted as a guide must be: by thread. */
void rd_minimise_guide(const struct rd_minimise *m, struct rd_draft *d) {
    struct rd_choice *list = rd_arena_alloc(m->arena, (m->delta.count + 1) * sizeof *list);
    uint32_t at[RD_TID_MAX + 1] = {0}, n = choose_deltas(m, list);
    RD_CHECK(n <= d->prefix_max);
    for (uint32_t i = 0; i < n; i++)
        at[rd_guide_tid(&list[i]) + 1]++;
    for (uint32_t t = 0; t < RD_TID_MAX; t++)
        at[t + 1] += at[t];
    for (uint32_t i = 0; i < n; i++)
        d->prefix[at[rd_guide_tid(&list[i])]++] = list[i];
    m->arena->used = (size_t)((char *)list - m->arena->base); /* it was the last one */
    d->plan = (struct rd_plan){.picker = RD_PICK_GUIDE, .a = n, .ask_always = 1};
}

static void open_proof(struct rd_minimise *m) {
    char text[48];
    struct rd_error error;
    struct rd_params params = {.memory_max = PROOF_BYTES};
    struct rd_text t;
    rd_text_init(&t, text, sizeof text);
    rd_text_str(&t, "icb:c=");
    rd_text_dec(&t, (int64_t)m->cost.preemptions - 1);
    rd_text_str(&t, m->plain ? "" : ",cache");
    const struct rd_search *s = rd_search_parse(text, &params, &error);
    RD_CHECK(s == &rd_search_icb);
    m->search_from = m->arena->used;
    m->search = s->open(m->arena, &params);
}

/* Has the search run everything with so few preemptions? */
static bool covered(const struct rd_minimise *m, int64_t preemptions) {
    struct rd_claim c;
    rd_search_icb.claim(m->search, &c);
    return !m->doubt && !c.voids[0] && !c.incomplete && (c.preemptions >= preemptions || c.complete);
}

static enum rd_next next_proof(struct rd_minimise *m, struct rd_draft *d) {
    if (m->cost.preemptions == 0 || m->proved) {
        m->proved = true;
        return RD_NEXT_DONE;
    }
    if (!m->search)
        open_proof(m);
    if (m->arena->used - m->search_from > PROOF_BYTES)
        return RD_NEXT_DONE;
    if (rd_search_icb.next(m->search, d) == RD_NEXT_RUN)
        return RD_NEXT_RUN;
    m->proved = covered(m, (int64_t)m->cost.preemptions - 1);
    return RD_NEXT_DONE;
}

enum rd_next rd_minimise_next(struct rd_minimise *m, struct rd_draft *d) {
    if (m->phase == RD_MINIMISE_REPEAT) {
        RD_CHECK(m->given_count <= d->prefix_max);
        rd_choices_of_steps(d->prefix, m->given, m->given_count);
        d->plan = (struct rd_plan){.prefix_count = m->given_count, .picker = RD_PICK_STAY};
        d->plan.steps_max_cut = m->predicted ? m->given_count : 0;
        return RD_NEXT_RUN;
    }
    if ((m->phase == RD_MINIMISE_BARE || m->phase == RD_MINIMISE_FREE) && m->cost.preemptions == 0)
        enter(m, RD_MINIMISE_TIDY);
    if (m->phase == RD_MINIMISE_CUT && !next_piece(m))
        enter(m, RD_MINIMISE_TIDY);
    if (m->phase == RD_MINIMISE_TIDY && !next_piece(m))
        enter(m, m->search ? RD_MINIMISE_DONE : RD_MINIMISE_PROVE);
    if (m->phase == RD_MINIMISE_PROVE && next_proof(m, d) == RD_NEXT_DONE)
        m->phase = RD_MINIMISE_DONE;
    if (m->phase == RD_MINIMISE_DONE)
        return RD_NEXT_DONE;
    if (m->phase != RD_MINIMISE_PROVE)
        rd_minimise_guide(m, d);
    d->plan.steps_max_cut = rd_steps_allowed(m->before.steps);
    return RD_NEXT_RUN;
}

void rd_minimise_feedback(struct rd_minimise *m, const struct rd_plan *plan, const struct rd_record *r,
                          const struct rd_finding *f) {
    uint32_t count = f && f->step ? f->step : r->out->steps;
    struct rd_cost cost = rd_cost_of(r->steps, count);
    bool better = f && rd_cost_compare(&cost, &m->cost) < 0;
    switch (m->phase) {
    case RD_MINIMISE_REPEAT:
        m->repeated = f != NULL;
        if (f)
            keep(m, r, count, f);
        m->plain |= r->out->atomic || r->out->wrote || r->out->fairness;
        enter(m, f ? RD_MINIMISE_BARE : RD_MINIMISE_DONE);
        return;
    case RD_MINIMISE_BARE:
    case RD_MINIMISE_FREE:
        if (better)
            keep(m, r, count, f);
        enter(m, m->phase == RD_MINIMISE_BARE ? RD_MINIMISE_FREE : RD_MINIMISE_CUT);
        return;
    case RD_MINIMISE_PROVE:
        m->doubt |= rd_is_doubtful(plan, r->out) || (!m->plain && (r->out->atomic || r->out->wrote));
        rd_search_icb.feedback(m->search, plan, r);
        if (!f || cost.preemptions >= m->cost.preemptions)
            return;
        m->proved = covered(m, (int64_t)cost.preemptions - 1);
        keep(m, r, count, f);
        enter(m, RD_MINIMISE_TIDY);
        return;
    default:
        if (better) {
            keep(m, r, count, f);
            m->shrunk = true;
        } else {
            m->from += m->how == RD_MINIMISE_PIECES ? m->size : 1;
        }
    }
}
