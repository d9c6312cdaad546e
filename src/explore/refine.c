/* refine.c - what is done about schedules after a search; see loop.h. */
#include "detect/detect.h"
#include "explore/budget.h"
#include "explore/explain.h"
#include "explore/loop.h"
#include "explore/minimise.h"
#include "explore/outcomes.h"

#include <string.h>

struct refine {
    struct rd_channel *channel;
    struct rd_arena *arena;
    const struct rd_loop_env *env;
    uint64_t started, time_ns; /* when it began, and what there is of it in all */
    uint64_t until_ns, until;  /* of this part of the work: time since the start, executions */
    bool over;                 /* the program, or somebody at the keyboard, has had enough */
    struct rd_found *found;
    struct rd_plan base;   /* what all plans have: which accesses are points */
    struct rd_finding now; /* what the last execution shows */
};

/* Of all findings the same share of what is left; `part` of it. */
static void share(struct refine *f, uint32_t left, double part) {
    const struct rd_channel *c = f->channel;
    uint64_t ns = f->env->now_ns(f->env->ctx) - f->started, runs = c->result.summary.minimising;
    uint64_t ns_left = f->time_ns > ns ? f->time_ns - ns : 0;
    uint64_t runs_left = c->config.minimise_max > runs ? c->config.minimise_max - runs : 0;
    f->until_ns = ns + (uint64_t)((double)ns_left / left * part);
    f->until = runs + (uint64_t)((double)runs_left / left * part);
}

static bool may_go_on(struct refine *f) {
    struct rd_channel *c = f->channel;
    c->result.summary.minimise_ns = f->env->now_ns(f->env->ctx) - f->started;
    if (__atomic_load_n(&c->live.stop, __ATOMIC_RELAXED))
        f->over = true;
    return !f->over && c->result.summary.minimise_ns < f->until_ns && c->result.summary.minimising < f->until;
}

/* Is the finding, which was read in an execution, to be read in the last one, too? */
static bool is_read(struct refine *f) {
    const struct rd_finding *wanted = &f->found->finding;
    struct rd_record r = rd_channel_record(f->channel);
    if (f->channel->execution.outcome.verdict == RD_DROPPED)
        return false;
    return rd_detect_again(f->arena, &r, wanted, &f->now);
}

/* Runs the plan. Returns whether it shows the finding; false, too, when there is trouble. */
static bool run(struct refine *f, const struct rd_plan *plan) {
    struct rd_channel *c = f->channel;
    struct rd_outcome *o = &c->execution.outcome;
    const struct rd_finding *wanted = &f->found->finding;
    c->execution.plan = *plan;
    c->execution.plan.access_points = f->base.access_points;
    c->execution.plan.yields = f->base.yields;
    c->execution.plan.track_count = f->base.track_count;
    c->execution.sharing = f->found->sharing;
    c->execution.plan.noted_wanted = wanted->key;
    __atomic_add_fetch(&c->live.sequence, 1, __ATOMIC_RELAXED);
    f->env->run(f->env->ctx);
    c->result.summary.minimising++;
    if (c->config.separate)
        c->execution.output_size = f->env->output(f->env->ctx, rd_channel_output(c), RD_OUTPUT_MAX);
    rd_outcomes_expect(c);
    bool by_time = o->verdict == RD_FOUND && o->finding.kind == RD_HANG && o->finding.status == RD_HANG_BY_TIME;
    /* one that was given up shows nothing, not even that the finding does not show */
    f->over |= o->verdict == RD_DIVERGED || o->verdict == RD_REFUSED || o->verdict == RD_GIVEN_UP || by_time;
    if (rd_is_predicted(wanted->kind))
        return !f->over && is_read(f);
    f->now = o->finding;
    return !f->over && o->verdict == RD_FOUND && o->finding.kind == wanted->kind && o->finding.key == wanted->key;
}

static struct rd_draft draft_of(struct rd_channel *c) {
    return (struct rd_draft){.prefix = rd_channel_prefix(c),
                             .prefix_max = (uint32_t)c->prefix_max,
                             .sleep = rd_channel_sleep(c),
                             .weight = rd_channel_weight(c),
                             .track = rd_channel_track(c)};
}

/* Stores the better schedule beside the one that was found, or over it where there is no room and it fits. */
static bool store(struct refine *f, const struct rd_minimise *m) {
    struct rd_channel *c = f->channel;
    struct rd_summary *s = &c->result.summary;
    struct rd_found *to = f->found;
    uint64_t at = to->store;
    if (s->store_used + m->cost.steps <= c->store_max) {
        at = s->store_used;
        s->store_used += m->cost.steps;
    } else if (m->cost.steps > to->steps) {
        return false;
    }
    memcpy(rd_channel_store(c) + at, m->steps, m->cost.steps * sizeof *m->steps);
    to->finding = m->finding;
    to->store = at;
    to->steps = m->cost.steps;
    to->preemptions = m->cost.preemptions;
    to->access_points = f->base.access_points;
    return true;
}

/* Of fewer points, or of preemptions at some of them, nothing is proved for all. */
static bool is_everywhere(const struct refine *f) {
    return !f->channel->config.focus && f->base.access_points == RD_ACCESSES_ALL;
}

/*
 * May no schedule stand for another? Not where preemptions are restricted to some places; nor where accesses are
 * not seen, for which of them race is not known.
 */
static bool is_plain(const struct rd_channel *c) {
    return c->config.focus || !c->execution.modules[0].instrumented || c->config.points == RD_POINTS_SYNC;
}

/* The schedule that was found as simple as can be. False: it could not even be repeated. */
static bool minimise(struct refine *f) {
    struct rd_channel *c = f->channel;
    struct rd_found *to = f->found;
    struct rd_minimise *m = rd_arena_alloc(f->arena, sizeof *m);
    struct rd_draft d = draft_of(c);
    rd_minimise_open(m, f->arena, rd_channel_store(c) + to->store, to->steps, rd_is_predicted(to->finding.kind),
                     is_plain(c));
    while (may_go_on(f) && rd_minimise_next(m, &d) == RD_NEXT_RUN) {
        bool shows = run(f, &d.plan);
        if (f->over)
            break;
        struct rd_record r = rd_channel_record(c);
        rd_minimise_feedback(m, &d.plan, &r, shows ? &f->now : NULL);
    }
    if (!m->repeated)
        return false;
    to->why.minimised = 1;
    to->why.preemptions = m->before.preemptions;
    to->why.switches = m->before.switches;
    to->why.steps = m->before.steps;
    bool better = rd_cost_compare(&m->cost, &m->before) < 0;
    if (better && !store(f, m))
        return false;
    to->why.proved = m->cost.preemptions == 0 || (m->proved && is_everywhere(f));
    return true;
}

static void explain(struct refine *f) {
    struct rd_channel *c = f->channel;
    struct rd_found *to = f->found;
    bool predicted = rd_is_predicted(to->finding.kind);
    struct rd_explain *x = rd_arena_alloc(f->arena, sizeof *x); /* it is large for a stack */
    struct rd_draft d = draft_of(c);
    rd_explain_open(x, f->arena, rd_channel_store(c) + to->store, to->steps, predicted, is_plain(c));
    while (may_go_on(f) && rd_explain_next(x, &d) == RD_NEXT_RUN) {
        bool shows = run(f, &d.plan);
        if (f->over)
            break;
        struct rd_record r = rd_channel_record(c);
        rd_explain_feedback(x, &d.plan, &r, shows || (!predicted && c->execution.outcome.verdict == RD_FOUND));
    }
    rd_explain_result(x, &to->why);
    to->why.all &= is_everywhere(f);
}

/*
 * A hang has no end that could be compared, and takes its time. Of deadlocks that were predicted, what came true is
 * shown by the deadlock itself, and what a search through everything did not meet is wrong. What may be no race at
 * all is not worth the time.
 */
static bool is_worth(const struct rd_summary *s, const struct rd_found *f) {
    bool all = s->end == RD_END_COMPLETE && s->claim.complete;
    bool settled = f->finding.kind == RD_PREDICTED_DEADLOCK && (f->confirmed || all);
    return f->finding.kind != RD_HANG && f->steps > 0 && !settled && !rd_is_unreliable(&f->finding);
}

static void refine_one(struct refine *f, uint32_t left) {
    static const double most = 0.6; /* of the share, for the schedule; the rest is for its explanation */
    struct rd_channel *c = f->channel;
    size_t used = f->arena->used, lent = f->arena->lent;
    uint64_t before = c->result.summary.minimising;
    f->base = (struct rd_plan){.access_points = rd_accesses_again(f->found->access_points),
                               .yields = f->found->yields,
                               .track_count = f->found->track_count};
    memcpy(rd_channel_track(c), rd_channel_track_store(c) + f->found->track,
           f->found->track_count * sizeof(struct rd_track));
    share(f, left, most);
    if (minimise(f)) {
        share(f, left, 1);
        explain(f);
    }
    f->found->why.executions = (uint32_t)(c->result.summary.minimising - before);
    f->arena->used = used;
    f->arena->lent = lent;
}

/* What is left of the last execution, its output for instance, is of the schedule that is stored. */
static void repeat(struct refine *f) {
    struct rd_channel *c = f->channel;
    const struct rd_found *found = f->found;
    struct rd_plan plan = {.prefix_count = found->steps, .picker = RD_PICK_STAY};
    rd_choices_of_steps(rd_channel_prefix(c), rd_channel_store(c) + found->store, found->steps);
    run(f, &plan);
}

/* Is there time for so many executions as those of the search? Fewer would gain nothing. */
static bool has_time(const struct rd_channel *c, uint64_t time_ns) {
    enum { FEWEST = 5 };
    uint64_t each =
        c->result.summary.elapsed_ns / RD_MAX(c->result.summary.executions + c->result.summary.cut, (uint64_t)1);
    return each < time_ns / FEWEST;
}

/* What was asked for, or less: the deadline is kept, and each finding is yet to be run again for its report. */
static uint64_t time_of(const struct rd_channel *c, uint64_t now) {
    uint64_t wanted = c->config.minimise_ns, end = c->config.deadline_ns, report = rd_budget_report_ns(c);
    if (!end)
        return wanted;
    return RD_MIN(wanted, end > now + report ? end - now - report : 0);
}

void rd_refine(struct rd_channel *c, struct rd_arena *a, const struct rd_loop_env *env) {
    struct refine f = {.channel = c, .arena = a, .env = env};
    uint32_t left = 0;
    f.started = env->now_ns(env->ctx);
    f.time_ns = time_of(c, f.started);
    if (!has_time(c, f.time_ns) || c->result.summary.end == RD_END_TROUBLE || c->live.stop == RD_STOP_SIGNAL)
        return;
    c->live.stop = RD_STOP_NOT; /* the time of the search was over: this has its own */
    c->live.abandoned = 0;
    for (uint32_t i = 0; i < c->result.summary.found_count; i++)
        left += is_worth(&c->result.summary, &c->result.found[i]);
    for (uint32_t i = 0; i < c->result.summary.found_count && !f.over; i++) {
        f.found = &c->result.found[i];
        if (is_worth(&c->result.summary, f.found))
            refine_one(&f, left--);
        if (is_worth(&c->result.summary, f.found) && !left && !f.over && c->result.summary.minimise_ns < f.time_ns)
            repeat(&f);
    }
    c->result.summary.minimise_ns = env->now_ns(env->ctx) - f.started;
}
