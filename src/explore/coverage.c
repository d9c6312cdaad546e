/*
 * coverage.c - see coverage.h. The states are those of "Iterative context bounding for systematic testing of
 * multithreaded programs" (PLDI 2007): two prefixes of executions lead to the same state when the same events
 * happened in them in the same happens-before order. They are worked out from the recorded steps, so an execution
 * costs nothing more when nobody asks.
 */
#include "explore/coverage.h"

#include "trace/hb_class.h"

#include <string.h>

static uint64_t key_of(const uint64_t hash[2]) { return hash[0] ^ rd_mix(hash[1]); }

/* For whoever counts the orders of several workers. */
static void write_down(struct rd_channel *c, uint64_t key, uint32_t preemptions) {
    struct rd_logged_class *log = rd_channel_class_log(c);
    uint64_t *n = &c->result.summary.classes_logged;
    if (!log)
        return;
    if (*n < RD_CLASSES_LOGGED)
        log[*n] = (struct rd_logged_class){key, RD_MIN(preemptions, RD_PREEMPTION_COUNTS - 1u)};
    __atomic_store_n(n, *n + 1, __ATOMIC_RELEASE);
}

/* Remembers the fewest preemptions that led to a class, and moves its count there. True: the class is new. */
static bool note(struct rd_map *m, struct rd_arena *a, uint64_t key, uint32_t preemptions, uint64_t *by) {
    uint64_t fewest = RD_MIN(preemptions, RD_PREEMPTION_COUNTS - 1u) + 1;
    uint64_t *known = rd_map_put(m, a, key);
    bool fresh = *known == 0;
    if (!fresh && *known <= fewest)
        return false;
    if (!fresh)
        by[*known - 1]--;
    by[fewest - 1]++;
    *known = fewest;
    return fresh;
}

/* The class after every step. Between an operation and the choice inside it there is no state. */
static uint32_t reach(struct rd_coverage_state *v, const struct rd_record *r) {
    uint32_t steps = r->out->steps, n = 0, preemptions = 0;
    if (v->reached_room < steps + 1) {
        v->reached_room = steps * 2 + 64;
        v->reached = rd_arena_alloc(v->arena, v->reached_room * sizeof *v->reached);
    }
    size_t before = v->arena->used;
    struct rd_hb_class order;
    rd_hb_class_init(&order, v->arena);
    v->reached[n++] = (struct rd_reached){key_of(order.hash), 0};
    for (uint32_t i = 0; i < steps; i++) {
        const struct rd_step *s = &r->steps[i];
        preemptions += (s->flags & RD_STEP_PREEMPTION) != 0;
        if (rd_step_is_way(s)) {
            rd_hb_class_way(&order, s->tid, (uint32_t)s->value);
        } else {
            struct rd_event e = rd_event_of_step(s);
            rd_hb_class_event(&order, &e);
        }
        if (i + 1 == steps || !rd_step_is_way(s + 1))
            v->reached[n++] = (struct rd_reached){key_of(order.hash), preemptions};
    }
    v->arena->used = before; /* only the keys are kept */
    return n;
}

uint64_t rd_coverage_state_lazy(struct rd_arena *a, const struct rd_record *r) {
    size_t before = a->used;
    struct rd_hb_class order;
    rd_hb_class_init(&order, a);
    for (uint32_t i = 0; i < r->out->steps; i++) {
        if (rd_step_is_way(&r->steps[i])) {
            rd_hb_class_way(&order, r->steps[i].tid, (uint32_t)r->steps[i].value);
            continue;
        }
        struct rd_event e = rd_event_of_step(&r->steps[i]);
        rd_event_forget_mutexes(&e);
        rd_hb_class_event(&order, &e);
    }
    a->used = before;
    return key_of(order.hash);
}

static void count_lazy(struct rd_coverage_state *v, struct rd_channel *c) {
    struct rd_record r = rd_channel_record(c);
    uint64_t *seen = rd_map_put(&v->lazy, v->arena, rd_coverage_state_lazy(v->arena, &r));
    c->result.summary.coverage.lazy += *seen == 0;
    *seen = 1;
}

static void count_states(struct rd_coverage_state *v, struct rd_channel *c) {
    struct rd_coverage *k = &c->result.summary.coverage;
    struct rd_record r = rd_channel_record(c);
    uint32_t n = reach(v, &r);
    for (uint32_t i = 0; i < n; i++) {
        const struct rd_reached *s = &v->reached[i];
        if (k->states >= RD_STATES_MAX && !rd_map_get(&v->states, s->key))
            k->states_dropped++;
        else
            k->states += note(&v->states, v->arena, s->key, s->preemptions, k->states_by);
    }
}

/* What conditions a claim about these executions has. */
static unsigned played(const struct rd_outcome *o, const struct rd_step *steps) {
    unsigned bits = (o->clock_read ? RD_PLAYED_CLOCK : 0) | (o->wrote ? RD_PLAYED_WRITE : 0);
    bits |= o->files ? RD_PLAYED_FILES : 0;
    for (uint32_t i = 0; i < o->steps; i++) {
        bits |= steps[i].timed ? RD_PLAYED_TIMED : 0;
        bits |= steps[i].op == RD_OP_COND_WAIT ? RD_PLAYED_WAITS : 0;
    }
    return bits;
}

void rd_coverage_state_digest(struct rd_channel *c) {
    const struct rd_outcome *o = &c->execution.outcome;
    uint64_t *d = &c->result.summary.digest;
    *d = rd_hash2(rd_hash2(*d, o->class_hash[0]),
                  rd_hash2(o->class_hash[1], (uint64_t)o->steps << 32 | o->preemptions));
    *d = rd_hash2(*d, o->verdict == RD_FOUND ? o->finding.key : o->verdict);
}

bool rd_coverage_state_count(struct rd_coverage_state *v, struct rd_channel *c) {
    rd_coverage_state_digest(c);
    struct rd_summary *s = &c->result.summary;
    const struct rd_outcome *o = &c->execution.outcome;
    s->steps += o->steps;
    s->points += o->points;
    s->fair_tails += o->fair_tail;
    s->fairness += o->fairness;
    s->waited_outside += o->waited_outside;
    s->focused |= o->focused;
    s->atomic += o->atomic;
    s->unseen |= o->unseen;
    s->children += o->children;
    s->limited += o->limited;
    s->hangs += o->verdict == RD_FOUND && o->finding.kind == RD_HANG;
    s->played |= played(o, rd_channel_record(c).steps);
    s->threads_max = RD_MAX(s->threads_max, o->alive_max);
    s->steps_high = RD_MAX(s->steps_high, o->steps);
    if (c->config.coverage)
        count_states(v, c);
    if (o->verdict == RD_CUT) { /* not an execution: what it has is the beginning of one */
        s->cut++;
        return false;
    }
    if (c->config.coverage)
        count_lazy(v, c);
    s->executions++;
    s->dropped += o->verdict == RD_DROPPED;
    s->preemptions_max = RD_MAX(s->preemptions_max, o->preemptions);
    s->preemptions[RD_MIN(o->preemptions, RD_PREEMPTION_COUNTS - 1u)]++;
    uint64_t *fewest = &s->classes_by[RD_MIN(o->preemptions, RD_PREEMPTION_COUNTS - 1u)], before = *fewest;
    bool fresh = note(&v->orders, v->arena, key_of(o->class_hash), o->preemptions, s->classes_by);
    if (*fewest != before)
        write_down(c, key_of(o->class_hash), o->preemptions);
    s->orders += fresh;
    return fresh;
}

bool rd_coverage_state_wanted(const struct rd_channel *c) {
    const struct rd_summary *s = &c->result.summary;
    uint64_t stride = RD_MAX(s->coverage.stride, (uint64_t)1);
    return c->samples_max > 1 && (s->executions + s->cut - 1) % stride == 0;
}

/* Every second one makes room for as many again. */
static void thin(struct rd_coverage *k, struct rd_sample *samples) {
    for (uint32_t i = 0; i < k->sample_count; i += 2)
        samples[i / 2] = samples[i];
    k->sample_count = (k->sample_count + 1) / 2;
    k->stride *= 2;
}

void rd_coverage_state_sample(struct rd_channel *c, bool new_order) {
    const struct rd_summary *s = &c->result.summary;
    const struct rd_outcome *o = &c->execution.outcome;
    struct rd_coverage *k = &c->result.summary.coverage;
    int32_t bound = RD_MAX(s->claim.preemptions, RD_MAX(s->claim.delays, s->claim.depth));
    k->last = (struct rd_sample){.executions = s->executions,
                                 .cut = s->cut,
                                 .elapsed_ns = s->elapsed_ns,
                                 .orders = s->orders,
                                 .lazy = k->lazy,
                                 .states = k->states,
                                 .steps = o->steps,
                                 .points = o->points,
                                 .preemptions = o->preemptions,
                                 .bound = bound,
                                 .verdict = (uint8_t)o->verdict,
                                 .new_order = new_order};
    k->stride = RD_MAX(k->stride, (uint64_t)1);
    if (!rd_coverage_state_wanted(c))
        return;
    if (k->sample_count == c->samples_max)
        thin(k, rd_channel_samples(c));
    if (rd_coverage_state_wanted(c)) /* the stride may be another now */
        rd_channel_samples(c)[k->sample_count++] = k->last;
}
