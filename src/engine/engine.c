/*
 * engine.c - the scheduling point. The plan's prefix is consumed before the picker is asked, so replay, searches
 * and minimisation need no code of their own here. Each step has a fingerprint of the pending operations of all
 * candidates; a prefix that does not fit is a divergence and ends the execution at once.
 *
 * Invariants: the chosen thread is one of the candidates; a step is complete in the record before rd_engine_next
 * returns; `prefix_used` elements of the prefix have been consumed, and never more than there are.
 */
#include "engine/engine.h"

#include "engine/apply.h"
#include "engine/focus.h"
#include "engine/enabled.h"
#include "engine/verdict.h"

/* No thread is enabled: writes to the list the threads whose timed waits have the earliest deadline. */
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

static bool contains(const rd_tid *list, uint32_t n, rd_tid tid) {
    for (uint32_t i = 0; i < n; i++)
        if (list[i] == tid)
            return true;
    return false;
}

/* Returns whether the thread is one of the first n of e->enabled. */
static inline bool is_enabled(const struct rd_engine *e, uint32_t n, rd_tid tid) {
    return RD_LIKELY(e->listed) ? tid < RD_TID_MAX && rd_bits_has(&e->listed_set, tid)
                                : contains(e->enabled, n, tid);
}

/*
 * The prefix does not fit: ends the execution as a divergence, or ends the prefix, if the plan says that this part
 * of it need not fit.
 */
RD_COLD static rd_tid diverge(struct rd_engine *e, rd_tid tid, enum rd_divergence_why why) {
    struct rd_outcome *o = e->rec.out;
    RD_CHECK(o->prefix_used <= e->plan.prefix_count);
    if (e->plan.soft && o->prefix_used >= e->plan.soft) {
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

/* Consumes the next element of the prefix. With the last element the threads of the plan's sleep set fall asleep.
 */
static void use_prefix(struct rd_engine *e) {
    if (++e->rec.out->prefix_used == e->plan.prefix_count)
        e->asleep = e->plan.sleep_count;
}

/* Consumes the next element of the prefix and returns its thread, or diverges. */
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
    use_prefix(e);
    return c->pick;
}

/* Returns the number of steps that the plan or the picker decided: unasked steps do not count for them. */
static uint32_t decided_steps(const struct rd_engine *e) { return e->rec.out->steps - e->unasked_steps; }

/* Returns whether the prefix decides the next step. */
static bool by_prefix(const struct rd_engine *e) {
    const struct rd_outcome *o = e->rec.out;
    if (o->prefix_used >= e->plan.prefix_count)
        return false;
    return !e->plan.sparse || e->rec.prefix[o->prefix_used].step == decided_steps(e);
}

static rd_tid cut_execution(struct rd_engine *e) {
    e->rec.out->verdict = RD_CUT;
    return RD_TID_NONE;
}

/* Returns whether the thread of the last step is enabled, by more than a time-out. */
static inline bool could_stay(const struct rd_engine *e, uint32_t n) {
    return is_enabled(e, n, e->current) && !rd_model_only_times_out(&e->world, e->current);
}

/* Writes to e->awake_cand the candidates among the first n of e->enabled that are not asleep. */
static uint32_t collect_awake(struct rd_engine *e, uint32_t n) {
    uint32_t awake = 0;
    if (!e->awake_cand)
        e->awake_cand = rd_arena_alloc(e->world.arena, e->room * sizeof *e->awake_cand);
    for (uint32_t i = 0; i < n; i++) {
        rd_tid t = e->enabled[i];
        if (!e->asleep || !rd_bits_has(&e->sleeping, t))
            e->awake_cand[awake++] =
                (struct rd_cand){&e->world.threads[t].pending, t, rd_model_only_times_out(&e->world, t)};
    }
    return awake;
}

static rd_tid ask_picker(struct rd_engine *e, uint32_t n) {
    bool all = RD_LIKELY(e->listed && !e->asleep && !e->world.timed);
    uint32_t awake = all ? n : collect_awake(e, n);
    const struct rd_cand *cand = all ? e->cand : e->awake_cand;
    if (awake == 0)
        return cut_execution(e);
    struct rd_point p = {.step = decided_steps(e), .current = e->current, .count = awake, .cand = cand};
    p.same = all && e->asked_version == e->version;
    e->asked_version = all ? e->version : 0;
    p.weight = e->rec.weight;
    p.track = e->rec.track;
    p.track_count = e->plan.track_count;
    p.guide = e->rec.prefix + e->plan.prefix_count;
    p.over = e->world.threads[e->current].state == RD_T_FINISHED;
    uint32_t i = awake > 1 || e->plan.ask_always ? e->picker->pick(e->picker_state, &p) : 0;
    if (i == RD_PICK_STOP)
        return cut_execution(e);
    RD_CHECK(i < awake);
    rd_tid tid = cand[i].tid;
    RD_ASSERT(!e->asleep || !rd_bits_has(&e->sleeping, tid));
    bool full = e->plan.preemptions_cut && e->rec.out->preemptions + 1 >= e->plan.preemptions_cut;
    if (full && tid != e->current && could_stay(e, n)) {
        e->rec.out->over_bound = 1;
        return cut_execution(e);
    }
    return tid;
}

static inline bool in_tail(const struct rd_engine *e) { return RD_UNLIKELY(e->tail) && !e->picker->fair; }

/*
 * Returns the next thread of a round of the fair tail. In a round every enabled thread has its turn, so that a loop
 * that waits for another thread can end.
 */
RD_COLD static rd_tid next_in_round(struct rd_engine *e, uint32_t n) {
    RD_CHECK(n > 0 && e->world.timeouts_unlimited);
    for (uint32_t i = 0; i < n; i++)
        if (e->enabled[i] > e->current)
            return e->enabled[i];
    return e->enabled[0];
}

/* Adds the first n of e->enabled to the record, unless the last step had the same candidates. */
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

/* Writes the candidates and the fingerprint of the next step; the record does not count the step yet. */
static inline struct rd_step *new_step(struct rd_engine *e, uint32_t n, uint32_t fp) {
    struct rd_outcome *o = e->rec.out;
    RD_ASSERT(o->steps < e->rec.steps_max);
    if (RD_UNLIKELY(!e->listed || e->version != e->last_version))
        add_candidates(e, n);
    RD_ASSERT(n == e->last_ncand && e->last_cands + n <= o->cands);
    struct rd_step *s = &e->rec.steps[o->steps];
    *s = (struct rd_step){.fp = fp, .cand = e->last_cands, .ncand = (uint16_t)n};
    o->points += n > 1;
    return s;
}

/* Writes the candidates of the point at which the execution was cut behind its last step, for the search. */
RD_COLD static void append_open_point(struct rd_engine *e, uint32_t n, uint32_t fp) {
    new_step(e, n, fp);
    e->rec.out->points -= n > 1;
}

/* The same at the limit of steps, where the record may have no room for the candidates. */
RD_COLD static void append_open_point_at_limit(struct rd_engine *e, uint32_t n) {
    struct rd_outcome *o = e->rec.out;
    if (o->cands + n <= e->rec.cands_max)
        append_open_point(e, n, rd_enabled_fingerprint(e, n));
    else
        e->rec.steps[o->steps] = (struct rd_step){0};
}

/* Records the step of the chosen thread. `forced`: neither the plan nor the picker chose it. */
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
    o->blocking += rd_op_may_block(op);
    s->timed = op->deadline != 0;
    s->silent = op->silent & 1;
    for (uint32_t i = 0; e->world.timed && i < RD_MIN(n, (uint32_t)RD_LATE_MAX); i++)
        if (rd_model_only_times_out(&e->world, e->enabled[i]))
            s->only_times_out |= 1u << i;
    if (forced)
        s->flags |= RD_STEP_FORCED;
    o->steps++;
    e->world.step = o->steps;
    RD_ASSERT(o->preemptions <= o->steps && o->points <= o->steps);
}

/* No thread can go on: the execution diverged, was dropped, is a deadlock, or has ended. */
RD_COLD static rd_tid no_candidate(struct rd_engine *e) {
    struct rd_outcome *o = e->rec.out;
    if (e->strict && o->prefix_used < e->plan.prefix_count)
        return diverge(e, RD_TID_NONE, RD_DIV_EARLY);
    if (rd_verdict_dropped(e))
        return RD_TID_NONE;
    if (e->world.alive)
        rd_verdict_deadlock(e);
    return RD_TID_NONE;
}

/*
 * Fills e->enabled and returns the number of threads in it. If no thread is enabled, it tries in this order: input
 * from outside the program, the timed waits with the earliest deadline, a loop that waits (rd_spin_force).
 */
static uint32_t find_enabled(struct rd_engine *e) {
    uint32_t all = rd_enabled_collect(e);
    if (RD_LIKELY(all && !e->world.io_outside))
        return all;
    if (rd_io_outside(&e->world) || all == 0) /* a descriptor may have become ready since the first look */
        all = rd_enabled_collect(e);
    if (all == 0)
        all = collect_timed(e, e->enabled);
    if (all == 0 && rd_spin_force(&e->spin))
        all = rd_enabled_collect(e);
    return all;
}

/*
 * Begins or ends the fair tail of a long execution. While the execution is stalled, a loop must be able to end that
 * waits for another thread, or for a timed wait of another thread.
 */
static void check_progress(struct rd_engine *e) {
    while (decided_steps(e) >= e->stall.due)
        rd_stall_end_window(e);
    e->tail = rd_stall_is_seen(&e->stall) || decided_steps(e) >= e->limits.fair_after;
    e->world.timeouts_unlimited |= e->tail;
    e->quiet_until = rd_enabled_quiet_until(e);
    RD_CHECK(!e->tail || e->world.timeouts_unlimited);
}

/* Returns whether a limit of steps, or a livelock, ends the execution here. */
RD_COLD static bool at_limit(struct rd_engine *e, uint32_t all) {
    const struct rd_outcome *o = e->rec.out;
    if (o->steps >= e->limits.steps_max || o->steps + 1 >= e->rec.steps_max || o->cands + all > e->rec.cands_max) {
        if (!rd_verdict_dropped(e))
            rd_verdict_limit(e);
        return true;
    }
    if (rd_livelock_cycle_due(e) && rd_verdict_cycle(e))
        return true;
    if (e->plan.steps_max_cut && decided_steps(e) >= e->plan.steps_max_cut)
        cut_execution(e);
    return o->verdict != RD_RUNNING;
}

/*
 * Chooses one of the first n of e->enabled: the thread of an unasked step, the next one of a round of the fair
 * tail, the prefix's, or the picker's. Returns RD_TID_NONE if the execution ends instead.
 */
static inline rd_tid choose(struct rd_engine *e, uint32_t n, uint32_t fp, bool forced, bool unasked) {
    rd_tid tid = RD_TID_NONE;
    if (RD_UNLIKELY(unasked))
        tid = (rd_tid)(e->unasked - 1);
    else if (RD_UNLIKELY(forced))
        tid = next_in_round(e, n);
    else if (by_prefix(e))
        tid = take_prefix(e, n, fp);
    if (tid == RD_TID_NONE && e->rec.out->verdict == RD_RUNNING)
        tid = ask_picker(e, n);
    if (RD_UNLIKELY(tid == RD_TID_NONE) && e->rec.out->verdict == RD_CUT)
        append_open_point(e, n, fp);
    return tid;
}

rd_tid rd_engine_next(struct rd_engine *e) {
    struct rd_outcome *o = e->rec.out;
    if (RD_UNLIKELY(o->verdict != RD_RUNNING))
        return RD_TID_NONE;
    bool quiet = o->steps < e->quiet_until;
    if (RD_UNLIKELY(!quiet) && e->recording)
        check_progress(e);
    if (RD_UNLIKELY(e->world.count > e->room))
        rd_enabled_grow(e);
    uint32_t all = find_enabled(e), n = all;
    if (RD_UNLIKELY(all == 0))
        return no_candidate(e);
    if (RD_UNLIKELY(!e->recording)) {
        RD_CHECK(all == 1);
        return e->chosen = e->enabled[0];
    }
    if (RD_UNLIKELY(e->fair.yielders))
        n = rd_fair_filter(&e->fair, e->enabled, all);
    if (RD_UNLIKELY(n != all)) {
        e->listed = false;
        o->fairness = 1;
    }
    if (RD_UNLIKELY(!quiet || o->cands + all > e->rec.cands_max) && at_limit(e, all)) {
        if (o->limited)
            append_open_point_at_limit(e, n);
        return RD_TID_NONE;
    }
    RD_ASSERT(n > 0 && n <= all && all <= e->room && rd_enabled_is_sound(e, n));
    uint32_t fp = rd_enabled_fingerprint(e, n);
    bool forced = in_tail(e) && o->prefix_used >= e->plan.prefix_count;
    if (RD_UNLIKELY(e->world.threads[e->current].atomic))
        n = rd_focus_atomic(e, n);
    if (RD_UNLIKELY(e->focus != NULL)) {
        if (e->tail) /* with a focus the end of the execution would not be fair */
            o->fair_tail = 1;
        else
            n = rd_focus_keep(e, n);
    }
    bool unasked = RD_UNLIKELY(e->unasked) && is_enabled(e, n, (rd_tid)(e->unasked - 1));
    rd_tid tid = choose(e, n, fp, forced, unasked);
    if (RD_UNLIKELY(tid == RD_TID_NONE)) {
        RD_CHECK(o->verdict != RD_RUNNING);
        return tid;
    }
    RD_ASSERT(contains(e->enabled, n, tid));
    if (RD_UNLIKELY(forced && !unasked && n > 1))
        o->fair_tail = 1;
    e->unasked_steps += unasked;
    e->last_unasked = unasked;
    e->unasked = 0;
    e->passed = 0;
    e->next_is_point =
        rd_accesses_after(e->plan.access_points) && rd_engine_goes_after(e, &e->world.threads[tid].pending);
    record(e, tid, n, fp, forced || unasked);
    return e->chosen = tid;
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
            use_prefix(e);
        }
    }
    if (way == ways && in_tail(e)) {
        forced = true; /* the first way: the fair tail is not explored */
        way = 0;
    } else if (way == ways) {
        struct rd_point p = {.step = decided_steps(e), .current = tid, .count = ways};
        p.guide = e->rec.prefix + e->plan.prefix_count;
        way = e->picker->pick(e->picker_state, &p);
        way = way == RD_PICK_STOP ? 0 : way;
    }
    RD_CHECK(way < ways && ways <= UINT16_MAX && o->steps < e->rec.steps_max);
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
