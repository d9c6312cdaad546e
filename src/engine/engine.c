/*
 * engine.c - the scheduling point. The plan's prefix is consumed before the picker is asked, so replay, searches
 * and minimisation need nothing of their own here. Each choice is fingerprinted with what every candidate was
 * about to do; a prefix that does not fit is a divergence and ends the execution at once.
 */
#include "engine/engine.h"

#include "engine/apply.h"
#include "engine/focus.h"
#include "engine/enabled.h"
#include "engine/profile_record.h"
#include "engine/verdict.h"
#include "trace/place.h"

#include <string.h>

static bool spin_ready(const void *ctx, rd_tid tid) { return rd_spin_ready(ctx, tid); }

void rd_engine_begin(struct rd_engine *e, struct rd_arena *a, const struct rd_record *rec,
                     struct rd_thread_path *paths, uint32_t *path_count) {
    memset(e, 0, offsetof(struct rd_engine, picker_state)); /* which a picker writes before it reads it */
    e->rec = *rec;
    rd_fair_init(&e->fair);
    /* The table of threads comes last: its first threads share a page with what is small. */
    rd_hb_class_init(&e->hb_class, a);
    rd_spin_init(&e->spin, a);
    rd_world_init(&e->world, a, paths, path_count);
    e->world.changed = spin_ready;
    e->world.changed_ctx = &e->spin;
}

void rd_engine_record(struct rd_engine *e, const struct rd_plan *plan, const struct rd_engine_limits *limits) {
    RD_CHECK(!e->recording && plan->picker < RD_PICKERS);
    e->plan = *plan;
    e->limits = *limits;
    e->fair.every = RD_MAX(limits->yields, plan->yields);
    e->picker = rd_pickers[plan->picker];
    e->picker->begin(e->picker_state, &e->plan);
    e->recording = true;
    e->last_ncand = 0;
    e->last_version = e->asked_version = 0;
    rd_livelock_cycle_stop(e);
    rd_stall_begin(e);
    e->quiet = rd_enabled_quiet(e);
    if (plan->access_points == RD_ACCESSES_PROFILE)
        e->profiler = rd_profiler_open(&e->world, e->rec.profile);
    for (uint32_t i = 0; i < plan->sleep_count; i++)
        rd_bits_add(&e->sleeping, e->rec.sleep[i]);
    e->asleep = plan->sleep_count;
}

/* Nobody can go on by itself: time passes until the first of the timed waits gives up. */
RD_COLD static uint32_t collect_timed(struct rd_engine *e, rd_tid *list) {
    uint64_t first = UINT64_MAX;
    uint32_t n = 0;
    e->listed = false;
    for (uint32_t t = 0; t < e->world.count; t++) {
        uint64_t deadline = e->world.threads[t].pending.deadline;
        if (!rd_model_may_time_out(&e->world, (rd_tid)t) || deadline > first)
            continue;
        if (deadline < first)
            n = 0;
        first = deadline;
        list[n++] = (rd_tid)t;
    }
    return n;
}

static bool has(const rd_tid *list, uint32_t n, rd_tid tid) {
    for (uint32_t i = 0; i < n; i++)
        if (list[i] == tid)
            return true;
    return false;
}

/* Is it one of the first n of e->enabled? */
static inline bool is_enabled(const struct rd_engine *e, uint32_t n, rd_tid tid) {
    return RD_LIKELY(e->listed) ? tid < RD_TID_MAX && rd_bits_has(&e->who, tid) : has(e->enabled, n, tid);
}

RD_COLD static rd_tid diverge(struct rd_engine *e, rd_tid tid, enum rd_divergence_why why) {
    struct rd_outcome *o = e->rec.out;
    if (e->plan.soft && o->prefix_used >= e->plan.soft) { /* it was only a wish */
        e->plan.prefix_count = o->prefix_used;
        return RD_TID_NONE;
    }
    o->verdict = RD_DIVERGED;
    o->divergence.step = o->steps;
    o->divergence.tid = tid;
    o->divergence.why = (uint16_t)why;
    if (o->prefix_used < e->plan.prefix_count)
        o->divergence.expected = e->rec.prefix[o->prefix_used];
    if (tid < e->world.count)
        o->divergence.actual = e->world.threads[tid].pending;
    return RD_TID_NONE;
}

/* Takes the next element of the prefix, if it fits what is there. */
static rd_tid take_prefix(struct rd_engine *e, uint32_t n, uint32_t fp) {
    const struct rd_choice *c = &e->rec.prefix[e->rec.out->prefix_used];
    if (rd_op_flags(c->op) & RD_F_VALUE)
        return diverge(e, e->current, RD_DIV_VALUE);
    if (c->pick >= e->world.count || e->world.threads[c->pick].state != RD_T_READY)
        return diverge(e, RD_TID_NONE, RD_DIV_NO_THREAD);
    const struct rd_op *op = &e->world.threads[c->pick].pending;
    bool same = op->kind == c->op && rd_enabled_stable(op->pc) == rd_enabled_stable(c->pc) &&
                rd_enabled_stable(op->place) == rd_enabled_stable(c->place);
    if (c->fp && c->op != RD_OP_NONE && !e->plan.sparse && !same)
        return diverge(e, c->pick, RD_DIV_OPERATION);
    if (!is_enabled(e, n, c->pick))
        return diverge(e, c->pick, RD_DIV_BLOCKED);
    if (c->fp && c->fp != fp)
        return diverge(e, c->pick, RD_DIV_OTHERS);
    e->rec.out->prefix_used++;
    return c->pick;
}

/* Steps that plan or picker decided: the others do not count for them. */
static uint32_t decided(const struct rd_engine *e) { return e->rec.out->steps - e->extra; }

/* Does the prefix decide the step that comes now? */
static bool by_prefix(const struct rd_engine *e) {
    const struct rd_outcome *o = e->rec.out;
    if (o->prefix_used >= e->plan.prefix_count)
        return false;
    return !e->plan.sparse || e->rec.prefix[o->prefix_used].step == decided(e);
}

static rd_tid cut(struct rd_engine *e) {
    e->rec.out->verdict = RD_CUT;
    return RD_TID_NONE;
}

/* Could the thread of the last step have gone on? Who could only give up a timed wait could not. */
static inline bool could_stay(const struct rd_engine *e, uint32_t n) {
    return is_enabled(e, n, e->current) && !rd_model_only_times_out(&e->world, e->current);
}

/* Those of the list that are awake, and which of them can only give up. */
static uint32_t collect_some(struct rd_engine *e, uint32_t n) {
    uint32_t awake = 0;
    if (!e->some)
        e->some = rd_arena_alloc(e->world.arena, e->room * sizeof *e->some);
    for (uint32_t i = 0; i < n; i++) {
        rd_tid t = e->enabled[i];
        if (!e->asleep || !rd_bits_has(&e->sleeping, t))
            e->some[awake++] =
                (struct rd_cand){&e->world.threads[t].pending, t, rd_model_only_times_out(&e->world, t)};
    }
    return awake;
}

static rd_tid ask_picker(struct rd_engine *e, uint32_t n) {
    bool all = RD_LIKELY(e->listed && !e->asleep && !e->world.timed);
    uint32_t awake = all ? n : collect_some(e, n);
    const struct rd_cand *cand = all ? e->cand : e->some;
    if (awake == 0)
        return cut(e);
    struct rd_point p = {.step = decided(e), .current = e->current, .count = awake, .cand = cand};
    p.same = all && e->asked_version == e->version;
    e->asked_version = all ? e->version : 0;
    p.weight = e->rec.weight;
    p.track = e->rec.track;
    p.track_count = e->plan.track_count;
    p.guide = e->rec.prefix + e->plan.prefix_count;
    p.over = e->world.threads[e->current].state == RD_T_FINISHED;
    uint32_t i = awake > 1 || e->plan.ask_always ? e->picker->pick(e->picker_state, &p) : 0;
    if (i == RD_PICK_STOP)
        return cut(e);
    RD_CHECK(i < awake);
    rd_tid tid = cand[i].tid;
    bool full = e->plan.preemptions_cut && e->rec.out->preemptions + 1 >= e->plan.preemptions_cut;
    if (full && tid != e->current && could_stay(e, n)) {
        e->rec.out->over_bound = 1;
        return cut(e);
    }
    return tid;
}

static inline bool in_tail(const struct rd_engine *e) { return RD_UNLIKELY(e->tail) && !e->picker->fair; }

/* The fair tail: everybody in turn, so that a loop which waits for another thread can end. */
RD_COLD static rd_tid next_in_turn(struct rd_engine *e, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (e->enabled[i] > e->current)
            return e->enabled[i];
    return e->enabled[0];
}

/* They are not those of the last step. */
__attribute__((noinline)) static void add_candidates(struct rd_engine *e, uint32_t n) {
    struct rd_outcome *o = e->rec.out;
    const rd_tid *last = &e->rec.cands[e->last_cands];
    uint32_t same = 0;
    while (n == e->last_ncand && same < n && last[same] == e->enabled[same])
        same++;
    if (same < n || n == 0) {
        RD_CHECK(o->cands + n <= e->rec.cands_max);
        for (uint32_t i = 0; i < n; i++)
            e->rec.cands[o->cands + i] = e->enabled[i];
        e->last_cands = o->cands;
        e->last_ncand = n;
        o->cands += n;
    }
    e->last_version = e->listed ? e->version : 0;
}

static inline struct rd_step *new_step(struct rd_engine *e, uint32_t n, uint32_t fp) {
    struct rd_outcome *o = e->rec.out;
    if (RD_UNLIKELY(!e->listed || e->version != e->last_version))
        add_candidates(e, n);
    struct rd_step *s = &e->rec.steps[o->steps];
    *s = (struct rd_step){.fp = fp, .cand = e->last_cands, .ncand = (uint16_t)n};
    o->points += n > 1;
    return s;
}

/* Who could have gone on where the execution was cut: behind its last step, for the search. */
RD_COLD static void leave_behind(struct rd_engine *e, uint32_t n, uint32_t fp) {
    new_step(e, n, fp);
    e->rec.out->points -= n > 1;
}

/* The same at the limit of steps, where there may be no room for them. */
RD_COLD static void leave_open(struct rd_engine *e, uint32_t n) {
    struct rd_outcome *o = e->rec.out;
    if (o->cands + n <= e->rec.cands_max)
        leave_behind(e, n, rd_enabled_of(e, n));
    else
        e->rec.steps[o->steps] = (struct rd_step){0};
}

static inline void record(struct rd_engine *e, rd_tid tid, uint32_t n, uint32_t fp, bool forced) {
    struct rd_outcome *o = e->rec.out;
    const struct rd_op *op = &e->world.threads[tid].pending;
    struct rd_step *s = new_step(e, n, fp);
    s->place = op->place;
    s->pc = op->pc;
    s->size = op->size;
    s->tid = tid;
    s->op = op->kind;
    s->order = op->order;
    if (op->place2) {
        s->value = op->place2;
        s->flags |= rd_access_mode_has_extents(op->order) ? 0 : RD_STEP_VALUE2;
    }
    if (tid != e->current)
        s->flags |= RD_STEP_SWITCH;
    if (could_stay(e, n))
        s->flags |= RD_STEP_COULD_STAY;
    if ((s->flags & RD_STEP_COULD_STAY) && tid != e->current) {
        s->flags |= RD_STEP_PREEMPTION;
        o->preemptions++;
    }
    s->timed = op->deadline != 0;
    for (uint32_t i = 0; e->world.timed && i < RD_MIN(n, 31u); i++)
        if (rd_model_only_times_out(&e->world, e->enabled[i]))
            s->only_times_out |= 1u << i;
    if (forced)
        s->flags |= RD_STEP_FORCED;
    o->steps++;
    e->world.step = o->steps;
}

RD_COLD static rd_tid nobody(struct rd_engine *e) {
    struct rd_outcome *o = e->rec.out;
    if (e->strict && o->prefix_used < e->plan.prefix_count)
        return diverge(e, RD_TID_NONE, RD_DIV_EARLY);
    if (rd_verdict_dropped(e))
        return RD_TID_NONE;
    if (e->world.alive)
        rd_verdict_deadlock(e);
    return RD_TID_NONE;
}

/* Who can go on now; 0: nobody. */
static uint32_t find_enabled(struct rd_engine *e) {
    uint32_t all = rd_enabled_collect(e);
    if (RD_LIKELY(all && !e->world.io_outside))
        return all;
    if (rd_io_outside(&e->world) || all == 0) /* it may also have become ready since */
        all = rd_enabled_collect(e);
    if (all == 0)
        all = collect_timed(e, e->enabled);
    if (all == 0 && rd_spin_force(&e->spin))
        all = rd_enabled_collect(e);
    return all;
}

/* A long execution: does it get on? Where it does not, a loop must be able to end that waits for another thread, or
 * for a timed wait elsewhere. */
static void look_for_stall(struct rd_engine *e) {
    while (decided(e) >= e->stall.due)
        rd_stall_end_window(e);
    e->tail = rd_stall_is_seen(&e->stall) || decided(e) >= e->limits.fair_after;
    e->world.hurried |= e->tail;
    e->quiet = rd_enabled_quiet(e);
}

/* A long execution may end here. */
RD_COLD static bool at_limit(struct rd_engine *e, uint32_t all) {
    const struct rd_outcome *o = e->rec.out;
    if (o->steps >= e->limits.steps_max || o->steps + 1 >= e->rec.steps_max || o->cands + all > e->rec.cands_max) {
        if (!rd_verdict_dropped(e))
            rd_verdict_limit(e);
        return true;
    }
    if (rd_livelock_cycle_due(e) && rd_verdict_round(e))
        return true;
    if (e->plan.steps_max_cut && decided(e) >= e->plan.steps_max_cut)
        cut(e);
    return o->verdict != RD_RUNNING;
}

/* The choice itself, of the first n of e->enabled. */
static inline rd_tid choose(struct rd_engine *e, uint32_t n, uint32_t fp, bool forced, bool unasked) {
    rd_tid tid = RD_TID_NONE;
    if (RD_UNLIKELY(unasked))
        tid = (rd_tid)(e->unasked - 1);
    else if (RD_UNLIKELY(forced))
        tid = next_in_turn(e, n);
    else if (by_prefix(e))
        tid = take_prefix(e, n, fp);
    if (tid == RD_TID_NONE && e->rec.out->verdict == RD_RUNNING)
        tid = ask_picker(e, n);
    if (RD_UNLIKELY(tid == RD_TID_NONE) && e->rec.out->verdict == RD_CUT)
        leave_behind(e, n, fp);
    return tid;
}

rd_tid rd_engine_next(struct rd_engine *e) {
    struct rd_outcome *o = e->rec.out;
    if (RD_UNLIKELY(o->verdict != RD_RUNNING))
        return RD_TID_NONE;
    bool quiet = o->steps < e->quiet;
    if (RD_UNLIKELY(!quiet) && e->recording)
        look_for_stall(e);
    if (RD_UNLIKELY(e->world.count > e->room))
        rd_enabled_room(e);
    uint32_t all = find_enabled(e), n = all;
    if (RD_UNLIKELY(all == 0))
        return nobody(e);
    if (RD_UNLIKELY(!e->recording)) {
        RD_CHECK(all == 1);
        return e->enabled[0];
    }
    if (RD_UNLIKELY(e->fair.yielders))
        n = rd_fair_filter(&e->fair, e->enabled, all);
    if (RD_UNLIKELY(n != all)) {
        e->listed = false;
        o->fairness = 1;
    }
    if (RD_UNLIKELY(!quiet || o->cands + all > e->rec.cands_max) && at_limit(e, all)) {
        if (o->limited)
            leave_open(e, n);
        return RD_TID_NONE;
    }
    uint32_t fp = rd_enabled_of(e, n);
    bool forced = in_tail(e) && o->prefix_used >= e->plan.prefix_count;
    if (RD_UNLIKELY(e->world.threads[e->current].atomic))
        n = rd_focus_atomic(e, n);
    if (RD_UNLIKELY(e->focus && !forced))
        n = rd_focus_keep(e, n);
    bool unasked = RD_UNLIKELY(e->unasked) && is_enabled(e, n, (rd_tid)(e->unasked - 1));
    rd_tid tid = choose(e, n, fp, forced, unasked);
    if (RD_UNLIKELY(tid == RD_TID_NONE))
        return tid;
    if (RD_UNLIKELY(forced && !unasked && n > 1))
        o->fair_tail = 1;
    e->extra += unasked;
    e->alone = unasked;
    e->unasked = 0;
    e->passed = 0;
    e->after = rd_accesses_after(e->plan.access_points) && rd_engine_goes_after(e, &e->world.threads[tid].pending);
    record(e, tid, n, fp, forced || unasked);
    return tid;
}

uint32_t rd_engine_way(struct rd_engine *e, rd_tid tid, uint32_t ways) {
    struct rd_outcome *o = e->rec.out;
    uint32_t fp = (uint32_t)rd_mix(e->world.threads[tid].pending_hash + ways) | 1;
    uint32_t way = ways;
    bool forced = false;
    if (by_prefix(e)) {
        const struct rd_choice *c = &e->rec.prefix[o->prefix_used];
        bool value = rd_op_flags(c->op) & RD_F_VALUE;
        if (!value || c->pick >= ways || (c->fp && c->fp != fp)) {
            diverge(e, tid, value && c->pick < ways ? RD_DIV_OTHERS : RD_DIV_VALUE);
            if (o->verdict != RD_RUNNING)
                return 0;
        } else {
            way = c->pick;
            o->prefix_used++;
        }
    }
    if (way == ways && in_tail(e)) {
        forced = true; /* the first waiter: in the tail nothing is explored */
        way = 0;
    } else if (way == ways) {
        struct rd_point p = {.step = decided(e), .current = tid, .count = ways};
        p.guide = e->rec.prefix + e->plan.prefix_count;
        way = e->picker->pick(e->picker_state, &p);
        way = way == RD_PICK_STOP ? 0 : way;
        RD_CHECK(way < ways);
    }
    struct rd_step *s = &e->rec.steps[o->steps];
    *s = (struct rd_step){.op = RD_OP_WAITER, .tid = tid, .ncand = (uint16_t)ways, .value = way, .fp = fp};
    s->place = e->world.threads[tid].pending.place;
    s->pc = e->world.threads[tid].pending.pc;
    s->flags = forced ? RD_STEP_FORCED : 0;
    o->fair_tail |= forced;
    o->points++;
    o->steps++;
    e->world.step = o->steps;
    return way;
}

void rd_engine_end(struct rd_engine *e) {
    struct rd_outcome *o = e->rec.out;
    o->threads = e->world.count;
    o->alive_max = e->world.alive_max;
    o->class_hash[0] = e->hb_class.hash[0];
    o->class_hash[1] = e->hb_class.hash[1];
    for (uint32_t i = 0; i < e->world.count; i++) {
        const struct rd_thread *t = &e->world.threads[i];
        struct rd_thread_info *info = &e->rec.threads[i];
        info->state = t->state;
        info->parent = t->parent;
        info->ordinal = t->ordinal;
        info->pending = t->pending;
        info->enabled = rd_model_enabled(&e->world, (rd_tid)i);
        info->holder = RD_TID_NONE;
        info->held_step = 0;
        info->held_pc = 0;
        const struct rd_model *m = &rd_models[t->pending.kind];
        const struct rd_mutex *held =
            m->waits_for && !info->enabled ? m->waits_for(&e->world, (rd_tid)i, &t->pending) : NULL;
        if (held) {
            info->holder = held->owner;
            info->held_step = held->taken_at;
            info->held_pc = held->taken_pc;
        }
    }
}
