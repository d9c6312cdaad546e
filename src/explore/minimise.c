/*
 * minimise.c - see minimise.h.
 *
 * An execution is the default behaviour (the current thread goes on) and a list of differences from it. A
 * difference is named by the operations that its thread has done so far (pick/guide.h), so leaving one out does not
 * change what the others mean. Pieces of the list are left out, large ones first, in the end single differences and
 * pairs of neighbours (delta debugging: Zeller and Hildebrandt, TSE 2002; for schedules Choi and Zeller, ISSTA
 * 2002). A pair is often the switch to a thread and the switch away from it: without both, the thread does these
 * steps together with its next turn (Jalbert and Sen, FSE 2010, merge neighbouring segments of a thread). An
 * execution that shows the finding and has a lower cost becomes the best one, with the differences that it really
 * has.
 *
 * This ends in a local minimum, which need not have the fewest preemptions. So iterative context bounding then runs
 * all executions with fewer preemptions: the first one that shows the finding has the fewest, or there is none.
 * Only then the number of preemptions is called proved.
 */
#include "explore/minimise.h"

#include "base/text.h"
#include "pick/guide.h"

#include <string.h>

/* Memory of the search of PROVE, which ends there without a proof. */
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

/* Did a wait end by a time-out, a cancellation or a spurious wake-up although another thread could go on? */
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

uint32_t rd_minimise_steps_max(uint32_t count) { return count * 4 + 10000; }

bool rd_minimise_voids_proof(const struct rd_plan *plan, const struct rd_outcome *o) {
    bool hangs = o->verdict == RD_FOUND && o->finding.kind == RD_HANG;
    bool cut = o->verdict == RD_CUT && plan->steps_max_cut && o->steps >= plan->steps_max_cut;
    return hangs || cut || o->fair_tail || o->limited || o->children || o->waited_outside || o->unseen;
}

void rd_minimise_open(struct rd_minimise *m, struct rd_arena *a, const struct rd_step *steps, uint32_t count,
                      bool predicted, bool unreduced) {
    *m = (struct rd_minimise){.arena = a, .predicted = predicted, .unreduced = unreduced};
    m->recorded = steps;
    m->recorded_count = count;
    m->before = m->cost = rd_cost_of(steps, count);
}

/* Returns the thread that the default behaviour takes at this step, as far as the record tells. */
static rd_tid default_thread(const struct rd_record *r, uint32_t step, rd_tid current) {
    const struct rd_step *s = &r->steps[step];
    if (s->flags & RD_STEP_COULD_STAY)
        return current;
    for (uint32_t i = 0; i < s->ncand; i++)
        if (i >= RD_LATE_MAX || !(s->only_times_out >> i & 1))
            return r->cands[s->cand + i];
    return r->cands[s->cand];
}

/* Computes the differences of an execution from the default behaviour. */
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
                    (struct rd_delta){.choice = rd_guide_way(s->tid, done[s->tid], (uint16_t)s->value), .step = i});
            continue;
        }
        /* a wait that ended early is a difference even if the record shows its thread as the default one */
        bool differs = s->tid != default_thread(r, i, current) || s->flags & RD_STEP_GAVE_UP;
        if (differs && !(s->flags & RD_STEP_FORCED))
            rd_vec_push(m->arena, &m->delta,
                        (struct rd_delta){.choice = rd_guide_turn(current, done[current], s->tid),
                                          .step = i,
                                          .preempts = s->flags & RD_STEP_PREEMPTION});
        current = s->tid;
        done[current]++;
    }
}

/* Makes this execution the best one. pre: it is better, or the first that shows the finding */
static void keep_best(struct rd_minimise *m, const struct rd_record *r, uint32_t count,
                      const struct rd_finding *f) {
    struct rd_cost cost = rd_cost_of(r->steps, count);
    RD_CHECK(count <= r->out->steps);
    RD_CHECK(m->phase == RD_MINIMISE_REPEAT || rd_cost_compare(&cost, &m->cost) < 0);
    if (count > m->room) {
        m->steps = rd_arena_alloc(m->arena, count * sizeof *m->steps);
        m->room = count;
    }
    memcpy(m->steps, r->steps, count * sizeof *m->steps);
    m->cost = cost;
    m->finding = *f;
    find_deltas(m, r, count);
}

/* May this difference be left out in this phase? */
static bool is_optional(const struct rd_minimise *m, const struct rd_delta *d) {
    return m->phase == RD_MINIMISE_DIFFERENCES || (m->phase == RD_MINIMISE_PREEMPTIONS && d->preempts);
}

/* Returns the number of values that `from` has: each names differences, or a turn, to leave out. */
static uint32_t count_places(const struct rd_minimise *m) {
    uint32_t n = 0;
    if (m->how == RD_MINIMISE_TURNS)
        return m->cost.switches; /* the turn after the last switch shows the finding */
    for (uint32_t i = 0; i < m->delta.count; i++)
        n += is_optional(m, &m->delta.at[i]);
    return m->how == RD_MINIMISE_PAIRS && n ? n - 1 : n;
}

static void enter_phase(struct rd_minimise *m, enum rd_minimise_phase phase) {
    RD_CHECK(phase > m->phase || (phase == RD_MINIMISE_DIFFERENCES && m->phase == RD_MINIMISE_PROVE));
    m->phase = phase;
    m->how = RD_MINIMISE_PIECES;
    m->from = 0;
    m->shrunk = false;
    m->size = phase == RD_MINIMISE_PREEMPTIONS ? RD_MAX(count_places(m) / 2, 1u) : 1;
}

/*
 * Moves on to what is left out next; returns false at the end of the phase. After the pieces of one size come those
 * of half that size, then pairs, then turns. When a pass over single differences, pairs or turns has given a better
 * execution, single differences come again.
 */
static bool next_piece(struct rd_minimise *m) {
    while (m->from >= count_places(m)) {
        bool has_shrunk = m->shrunk;
        m->from = 0;
        m->shrunk = false;
        if (m->how == RD_MINIMISE_PIECES && m->size > 1) {
            m->size = RD_MAX(RD_MIN(m->size, count_places(m)) / 2, 1u);
        } else if (has_shrunk) {
            m->how = RD_MINIMISE_PIECES;
            m->size = 1;
        } else if (m->how == RD_MINIMISE_PIECES) {
            m->how = RD_MINIMISE_PAIRS;
            m->size = 2;
        } else if (m->how == RD_MINIMISE_PAIRS && m->phase == RD_MINIMISE_DIFFERENCES) {
            m->how = RD_MINIMISE_TURNS;
        } else {
            return false;
        }
    }
    return true;
}

/* A turn of a thread that is left out. The thread before it goes on, or the thread after it begins at once. */
struct turn {
    uint32_t first, end;     /* its steps; end 0: there is no such turn */
    struct rd_delta instead; /* the switch from the thread before it to the thread after it */
    bool needed;             /* these are different threads, so that switch is a difference */
};

/* Finds turn number `from`, counted by the switches that begin turns. */
static struct turn find_turn(const struct rd_minimise *m) {
    uint32_t done[RD_TID_MAX] = {0}, turns = 0;
    struct turn p = {0};
    rd_tid current = 0, before = 0;
    for (uint32_t i = 0; i < m->cost.steps; i++) {
        const struct rd_step *s = &m->steps[i];
        if (rd_step_is_way(s))
            continue;
        if (s->flags & RD_STEP_SWITCH && turns++ == m->from) {
            p.first = i;
            before = current;
            p.instead.choice = rd_guide_turn(before, done[before], 0);
        } else if (s->flags & RD_STEP_SWITCH && turns == m->from + 2) {
            p.end = i;
            p.instead.choice.pick = s->tid;
            p.needed = s->tid != before;
            return p;
        }
        current = s->tid;
        done[current]++;
    }
    return p;
}

/* Writes the differences of the next execution: all but those that are left out, in the order of steps. */
static uint32_t choose_deltas(const struct rd_minimise *m, struct rd_choice *to) {
    uint32_t optional = 0, n = 0;
    bool pieces = m->phase == RD_MINIMISE_PREEMPTIONS || m->phase == RD_MINIMISE_DIFFERENCES;
    bool turns = pieces && m->how == RD_MINIMISE_TURNS;
    struct turn p = turns ? find_turn(m) : (struct turn){0};
    bool placed = !p.end || !p.needed;
    for (uint32_t i = 0; i < m->delta.count; i++) {
        const struct rd_delta *d = &m->delta.at[i];
        bool out = pieces && !turns && is_optional(m, d) && optional >= m->from && optional < m->from + m->size;
        optional += is_optional(m, d);
        if (!placed && d->step >= p.first) {
            to[n++] = p.instead.choice;
            placed = true;
        }
        out |= p.end && (d->step == p.first || d->step == p.end) && !rd_guide_is_way(&d->choice);
        out |= m->phase == RD_MINIMISE_DEFAULT || (m->phase == RD_MINIMISE_NO_PREEMPTION && d->preempts);
        if (!out)
            to[n++] = d->choice;
    }
    if (!placed)
        to[n++] = p.instead.choice;
    return n;
}

/* Is this a guide? Its keys ascend (rd_guide_key). */
static inline bool is_guide(const struct rd_choice *list, uint32_t n) {
    for (uint32_t i = 1; i < n; i++)
        if (rd_guide_key(&list[i - 1]) >= rd_guide_key(&list[i]))
            return false;
    return true;
}

/* Sorts the differences by thread, as a guide must be, by counting how many each thread has. */
void rd_minimise_guide(const struct rd_minimise *m, struct rd_draft *d) {
    struct rd_choice *list = rd_arena_alloc(m->arena, (m->delta.count + 1) * sizeof *list);
    uint32_t at[RD_TID_MAX + 1] = {0}, n = choose_deltas(m, list);
    RD_CHECK(n <= m->delta.count + 1 && n <= d->prefix_max);
    for (uint32_t i = 0; i < n; i++)
        at[rd_guide_tid(&list[i]) + 1]++;
    for (uint32_t t = 0; t < RD_TID_MAX; t++)
        at[t + 1] += at[t];
    for (uint32_t i = 0; i < n; i++)
        d->prefix[at[rd_guide_tid(&list[i])]++] = list[i];
    RD_ASSERT(is_guide(d->prefix, n));
    m->arena->used = (size_t)((char *)list - m->arena->base); /* frees the list, the last allocation */
    d->plan = (struct rd_plan){.picker = RD_PICK_GUIDE, .a = n, .ask_always = 1};
}

/* Opens iterative context bounding up to one preemption less than the best execution has. */
static void open_proof(struct rd_minimise *m) {
    char text[48];
    struct rd_error error;
    struct rd_params params = {.memory_max = PROOF_BYTES};
    struct rd_text t;
    RD_CHECK(m->cost.preemptions > 0);
    rd_text_init(&t, text, sizeof text);
    rd_text_str(&t, "icb:c=");
    rd_text_dec(&t, (int64_t)m->cost.preemptions - 1);
    rd_text_str(&t, m->unreduced ? "" : ",cache");
    const struct rd_search *s = rd_search_parse(text, &params, &error);
    RD_CHECK(s == &rd_search_icb);
    m->search_from = m->arena->used;
    m->search = s->open(m->arena, &params);
}

/* Has the search of PROVE run all executions with at most so many preemptions? */
static bool has_covered(const struct rd_minimise *m, int64_t preemptions) {
    struct rd_claim c;
    rd_search_icb.claim(m->search, &c);
    return !m->doubt && !c.voids[0] && !c.incomplete && (c.preemptions >= preemptions || c.complete);
}

/* Plans the next execution of PROVE. RD_NEXT_DONE: with or without a proof (m->proved) the phase is over. */
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
    m->proved = has_covered(m, (int64_t)m->cost.preemptions - 1);
    return RD_NEXT_DONE;
}

enum rd_next rd_minimise_next(struct rd_minimise *m, struct rd_draft *d) {
    if (m->phase == RD_MINIMISE_REPEAT) {
        RD_CHECK(m->recorded_count <= d->prefix_max);
        rd_choices_of_steps(d->prefix, m->recorded, m->recorded_count);
        d->plan = (struct rd_plan){.prefix_count = m->recorded_count, .picker = RD_PICK_STAY};
        d->plan.steps_max_cut = m->predicted ? m->recorded_count : 0;
        return RD_NEXT_RUN;
    }
    if ((m->phase == RD_MINIMISE_DEFAULT || m->phase == RD_MINIMISE_NO_PREEMPTION) && m->cost.preemptions == 0)
        enter_phase(m, RD_MINIMISE_DIFFERENCES);
    if (m->phase == RD_MINIMISE_PREEMPTIONS && !next_piece(m))
        enter_phase(m, RD_MINIMISE_DIFFERENCES);
    if (m->phase == RD_MINIMISE_DIFFERENCES && !next_piece(m))
        enter_phase(m, m->search ? RD_MINIMISE_DONE : RD_MINIMISE_PROVE);
    if (m->phase == RD_MINIMISE_PROVE && next_proof(m, d) == RD_NEXT_DONE)
        m->phase = RD_MINIMISE_DONE;
    if (m->phase == RD_MINIMISE_DONE)
        return RD_NEXT_DONE;
    if (m->phase != RD_MINIMISE_PROVE)
        rd_minimise_guide(m, d);
    d->plan.steps_max_cut = rd_minimise_steps_max(m->before.steps);
    return RD_NEXT_RUN;
}

void rd_minimise_feedback(struct rd_minimise *m, const struct rd_plan *plan, const struct rd_record *r,
                          const struct rd_finding *f) {
    RD_CHECK(m->phase != RD_MINIMISE_DONE);
    uint32_t count = f && f->step ? f->step : r->out->steps;
    struct rd_cost cost = rd_cost_of(r->steps, count);
    bool better = f && rd_cost_compare(&cost, &m->cost) < 0;
    switch (m->phase) {
    case RD_MINIMISE_REPEAT:
        m->repeated = f != NULL;
        if (f)
            keep_best(m, r, count, f);
        m->unreduced |= r->out->atomic || r->out->wrote || r->out->fairness;
        enter_phase(m, f ? RD_MINIMISE_DEFAULT : RD_MINIMISE_DONE);
        return;
    case RD_MINIMISE_DEFAULT:
    case RD_MINIMISE_NO_PREEMPTION:
        if (better)
            keep_best(m, r, count, f);
        enter_phase(m, m->phase == RD_MINIMISE_DEFAULT ? RD_MINIMISE_NO_PREEMPTION : RD_MINIMISE_PREEMPTIONS);
        return;
    case RD_MINIMISE_PROVE:
        m->doubt |= rd_minimise_voids_proof(plan, r->out) || (!m->unreduced && (r->out->atomic || r->out->wrote));
        rd_search_icb.feedback(m->search, plan, r);
        if (!f || cost.preemptions >= m->cost.preemptions)
            return;
        m->proved = has_covered(m, (int64_t)cost.preemptions - 1);
        keep_best(m, r, count, f);
        enter_phase(m, RD_MINIMISE_DIFFERENCES);
        return;
    default:
        if (better) {
            keep_best(m, r, count, f);
            m->shrunk = true;
        } else {
            m->from += m->how == RD_MINIMISE_PIECES ? m->size : 1;
        }
    }
}
