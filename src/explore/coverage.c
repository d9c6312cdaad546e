/*
 * coverage.c - see coverage.h. States are those of "Iterative context bounding for systematic testing of
 * multithreaded programs" (PLDI 2007): two prefixes of executions lead to the same state if they have the same
 * events in the same happens-before order. They are computed from the recorded steps, so that executions cost no
 * more without --coverage.
 */
#include "explore/coverage.h"

#include "trace/hb_class.h"

#include <string.h>

/* Parts of the value of a class or state in the maps (coverage.h). */
enum { FEWEST = 0xff, NUMBER_SHIFT = 8 };
static_assert((int)RD_PREEMPTION_COUNTS <= (int)FEWEST, "the fewest preemptions, + 1, fit");

/* The 64 bits by which a class is known in the maps and in the log. */
static uint64_t key_of(const uint64_t hash[2]) { return hash[0] ^ rd_mix(hash[1]); }

/* Appends the class to the log from which the driver counts the classes of all workers. */
static void log_class(struct rd_channel *c, uint64_t key, uint32_t preemptions) {
    struct rd_logged_class *log = rd_channel_class_log(c);
    uint64_t *n = &c->result.summary.classes_logged;
    if (!log)
        return;
    if (*n < RD_CLASSES_LOGGED)
        log[*n] = (struct rd_logged_class){key, RD_MIN(preemptions, RD_PREEMPTION_COUNTS - 1u)};
    __atomic_store_n(n, *n + 1, __ATOMIC_RELEASE);
}

/*
 * Counts a class or state in `by` under the fewest preemptions that reached it so far: moves its count if this
 * execution has fewer. Returns true if the key is new.
 */
static bool count_by_fewest(struct rd_map *m, struct rd_arena *a, uint64_t key, uint32_t preemptions,
                            uint64_t *by) {
    uint64_t fewest = RD_MIN(preemptions, RD_PREEMPTION_COUNTS - 1u) + 1;
    uint64_t *known = rd_map_put(m, a, key), before = *known & FEWEST;
    bool is_new = *known == 0;
    if (!is_new && before <= fewest)
        return false;
    RD_CHECK(is_new || (before && before <= RD_PREEMPTION_COUNTS && by[before - 1] > 0));
    if (!is_new)
        by[before - 1]--;
    by[fewest - 1]++;
    *known = (*known & ~(uint64_t)FEWEST) | fewest;
    return is_new;
}

/*
 * Computes the state after every step; returns their number. There is no state between an operation and the choice
 * of its way.
 */
static uint32_t find_states(struct rd_coverage_state *v, const struct rd_record *r) {
    uint32_t steps = r->out->steps, n = 0, preemptions = 0;
    if (v->reached_room < steps + 1) {
        v->reached_room = steps * 2 + 64;
        v->reached = rd_arena_alloc(v->arena, v->reached_room * sizeof *v->reached);
    }
    size_t before = v->arena->used;
    struct rd_hb_class class;
    rd_hb_class_init(&class, v->arena);
    v->reached[n++] = (struct rd_reached){key_of(class.hash), 0};
    for (uint32_t i = 0; i < steps; i++) {
        const struct rd_step *s = &r->steps[i];
        preemptions += (s->flags & RD_STEP_PREEMPTION) != 0;
        if (rd_step_is_way(s)) {
            rd_hb_class_way(&class, s->tid, (uint32_t)s->value);
        } else {
            struct rd_event e = rd_event_of_step(s);
            rd_hb_class_event(&class, &e);
        }
        if (i + 1 == steps || !rd_step_is_way(s + 1))
            v->reached[n++] = (struct rd_reached){key_of(class.hash), preemptions};
    }
    v->arena->used = before; /* only the keys are needed */
    RD_CHECK(n <= v->reached_room);
    return n;
}

uint64_t rd_coverage_lazy_class(struct rd_arena *a, const struct rd_record *r) {
    size_t before = a->used;
    struct rd_hb_class class;
    rd_hb_class_init(&class, a);
    for (uint32_t i = 0; i < r->out->steps; i++) {
        if (rd_step_is_way(&r->steps[i])) {
            rd_hb_class_way(&class, r->steps[i].tid, (uint32_t)r->steps[i].value);
            continue;
        }
        struct rd_event e = rd_event_of_step(&r->steps[i]);
        rd_event_forget_mutexes(&e);
        rd_hb_class_event(&class, &e);
    }
    a->used = before;
    return key_of(class.hash);
}

/* Counts the lazy class of the execution in the channel. */
static void count_lazy(struct rd_coverage_state *v, struct rd_channel *c) {
    struct rd_record r = rd_channel_record(c);
    uint64_t *seen = rd_map_put(&v->lazy, v->arena, rd_coverage_lazy_class(v->arena, &r));
    c->result.summary.coverage.lazy += *seen == 0;
    *seen = 1;
}

/* Counts the states of the execution in the channel; a table that is full takes no new one. */
static void count_states(struct rd_coverage_state *v, struct rd_channel *c) {
    struct rd_coverage *k = &c->result.summary.coverage;
    struct rd_record r = rd_channel_record(c);
    uint32_t n = find_states(v, &r);
    for (uint32_t i = 0; i < n; i++) {
        const struct rd_reached *s = &v->reached[i];
        if (k->states >= RD_STATES_MAX && !rd_map_get(&v->states, s->key))
            k->states_dropped++;
        else
            k->states += count_by_fewest(&v->states, v->arena, s->key, s->preemptions, k->states_by);
    }
}

/* Returns the conditions of a claim that this execution adds: bits of enum rd_played. */
static unsigned played_by(const struct rd_outcome *o, const struct rd_step *steps) {
    unsigned bits = (o->clock_read ? RD_PLAYED_CLOCK : 0) | (o->wrote ? RD_PLAYED_WRITE : 0);
    bits |= o->files ? RD_PLAYED_FILES : 0;
    for (uint32_t i = 0; i < o->steps; i++) {
        bits |= steps[i].timed ? RD_PLAYED_TIMED : 0;
        bits |= steps[i].op == RD_OP_COND_WAIT ? RD_PLAYED_WAITS : 0;
    }
    return bits;
}

void rd_coverage_digest(struct rd_channel *c) {
    const struct rd_outcome *o = &c->execution.outcome;
    uint64_t *d = &c->result.summary.digest;
    *d = rd_hash2(rd_hash2(*d, o->class_hash[0]),
                  rd_hash2(o->class_hash[1], (uint64_t)o->steps << 32 | o->preemptions));
    *d = rd_hash2(*d, o->verdict == RD_FOUND ? o->finding.key : o->verdict);
}

void rd_coverage_count_order(struct rd_channel *c, uint64_t *value) {
    struct rd_coverage *k = &c->result.summary.coverage;
    struct rd_order_count *orders = rd_channel_orders(c);
    uint64_t number = *value >> NUMBER_SHIFT;
    if (!number && k->order_count < c->orders_max) {
        orders[k->order_count++] = (struct rd_order_count){key_of(c->execution.outcome.class_hash), 0};
        number = k->order_count;
        *value |= number << NUMBER_SHIFT;
    }
    RD_CHECK(number <= k->order_count);
    if (number)
        orders[number - 1].executions++;
    else
        k->orders_dropped++;
}

bool rd_coverage_count(struct rd_coverage_state *v, struct rd_channel *c) {
    rd_coverage_digest(c);
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
    s->played |= played_by(o, rd_channel_record(c).steps);
    s->threads_max = RD_MAX(s->threads_max, o->alive_max);
    if (c->config.coverage)
        count_states(v, c);
    if (o->verdict == RD_CUT) { /* it is only the beginning of an execution, and has no class */
        s->cut++;
        return false;
    }
    if (c->config.coverage)
        count_lazy(v, c);
    s->executions++;
    s->dropped += o->verdict == RD_DROPPED;
    s->steps_max = RD_MAX(s->steps_max, o->steps);
    s->blocking_max = RD_MAX(s->blocking_max, o->blocking);
    s->preemptions_max = RD_MAX(s->preemptions_max, o->preemptions);
    s->preemptions[RD_MIN(o->preemptions, RD_PREEMPTION_COUNTS - 1u)]++;
    uint64_t *fewest = &s->classes_by[RD_MIN(o->preemptions, RD_PREEMPTION_COUNTS - 1u)], before = *fewest;
    bool is_new = count_by_fewest(&v->classes, v->arena, key_of(o->class_hash), o->preemptions, s->classes_by);
    if (*fewest != before)
        log_class(c, key_of(o->class_hash), o->preemptions);
    s->classes += is_new;
    if (c->config.coverage)
        rd_coverage_count_order(c, rd_map_get(&v->classes, key_of(o->class_hash)));
    return is_new;
}

bool rd_coverage_is_sampled(const struct rd_channel *c) {
    const struct rd_summary *s = &c->result.summary;
    uint64_t stride = RD_MAX(s->coverage.stride, (uint64_t)1);
    return c->samples_max > 1 && (s->executions + s->cut - 1) % stride == 0;
}

/* Makes room: keeps every second sample, and doubles the stride. */
static void thin_samples(struct rd_coverage *k, struct rd_sample *samples) {
    for (uint32_t i = 0; i < k->sample_count; i += 2)
        samples[i / 2] = samples[i];
    k->sample_count = (k->sample_count + 1) / 2;
    k->stride *= 2;
}

void rd_coverage_sample(struct rd_channel *c, bool new_class) {
    const struct rd_summary *s = &c->result.summary;
    const struct rd_outcome *o = &c->execution.outcome;
    struct rd_coverage *k = &c->result.summary.coverage;
    int32_t bound = RD_MAX(s->claim.preemptions, RD_MAX(s->claim.delays, s->claim.depth));
    k->last = (struct rd_sample){.executions = s->executions,
                                 .cut = s->cut,
                                 .elapsed_ns = s->elapsed_ns,
                                 .classes = s->classes,
                                 .lazy = k->lazy,
                                 .states = k->states,
                                 .class = o->verdict == RD_CUT ? 0 : key_of(o->class_hash),
                                 .steps = o->steps,
                                 .points = o->points,
                                 .preemptions = o->preemptions,
                                 .blocking = o->blocking,
                                 .bound = bound,
                                 .nodes = s->claim.nodes_max ? (int64_t)s->claim.nodes : -1,
                                 .verdict = (uint8_t)o->verdict,
                                 .new_class = new_class};
    k->stride = RD_MAX(k->stride, (uint64_t)1);
    if (!rd_coverage_is_sampled(c))
        return;
    if (k->sample_count == c->samples_max)
        thin_samples(k, rd_channel_samples(c));
    RD_CHECK(k->sample_count < c->samples_max);
    if (rd_coverage_is_sampled(c)) /* it may be due no more: thin_samples changes the stride */
        rd_channel_samples(c)[k->sample_count++] = k->last;
}
