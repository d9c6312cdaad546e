/*
 * refine.c - after a search, makes the schedules of its findings simpler (minimise.h) and explains them
 * (explain.h); see rd_refine in loop.h. The findings share the time and the number of executions equally.
 */
#include "detect/detect.h"
#include "explore/budget.h"
#include "explore/explain.h"
#include "explore/loop.h"
#include "explore/minimise.h"
#include "explore/outcomes.h"
#include "pick/order.h"

#include <string.h>

struct refine {
    struct rd_channel *channel;
    struct rd_arena *arena;
    const struct rd_loop_env *env;
    uint64_t started_ns, time_ns;      /* when this began, and how long it may take for all findings */
    uint64_t until_ns, executions_max; /* the limits of the current work: time since the start, executions in all */
    bool over;                         /* an execution could not be used, or the user wants the command to end */
    struct rd_found *found;            /* the finding that is being refined */
    struct rd_plan base;               /* the members that all its plans have: which accesses are points */
    struct rd_finding now;             /* the finding as the last execution shows it */
};

/* Sets the limits: this part (up to 1) of an equal share of what is left to the last `left` findings. */
static void set_limits(struct refine *f, uint32_t left, double part) {
    const struct rd_channel *c = f->channel;
    RD_CHECK(left > 0);
    uint64_t ns = f->env->now_ns(f->env->ctx) - f->started_ns, runs = c->result.summary.minimising;
    uint64_t ns_left = f->time_ns > ns ? f->time_ns - ns : 0;
    uint64_t runs_left = c->config.minimise_max > runs ? c->config.minimise_max - runs : 0;
    f->until_ns = ns + (uint64_t)((double)ns_left / left * part);
    f->executions_max = runs + (uint64_t)((double)runs_left / left * part);
}

/* Do the limits, and the user, allow another execution? */
static bool may_go_on(struct refine *f) {
    struct rd_channel *c = f->channel;
    c->result.summary.minimise_ns = f->env->now_ns(f->env->ctx) - f->started_ns;
    if (__atomic_load_n(&c->live.stop, __ATOMIC_RELAXED))
        f->over = true;
    return !f->over && c->result.summary.minimise_ns < f->until_ns &&
           c->result.summary.minimising < f->executions_max;
}

/* Does a detector infer the finding from the last execution, too? */
static bool is_inferred_again(struct refine *f) {
    const struct rd_finding *wanted = &f->found->finding;
    struct rd_record r = rd_channel_record(f->channel);
    if (f->channel->execution.outcome.verdict == RD_DROPPED)
        return false;
    return rd_detect_again(f->arena, &r, wanted, &f->now);
}

/* Runs the plan. Returns true if the execution shows the finding. An execution that cannot be used sets f->over. */
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
    /* if the execution was given up, it is not known whether it shows the finding */
    f->over |= o->verdict == RD_DIVERGED || o->verdict == RD_REFUSED || o->verdict == RD_GIVEN_UP || by_time;
    if (rd_is_predicted(wanted->kind))
        return !f->over && is_inferred_again(f);
    f->now = o->finding;
    return !f->over && o->verdict == RD_FOUND && o->finding.kind == wanted->kind && o->finding.key == wanted->key;
}

/* The arrays of the channel, for a plan. */
static struct rd_draft draft_of(struct rd_channel *c) {
    return (struct rd_draft){.prefix = rd_channel_prefix(c),
                             .prefix_max = (uint32_t)c->prefix_max,
                             .sleep = rd_channel_sleep(c),
                             .weight = rd_channel_weight(c),
                             .track = rd_channel_track(c)};
}

/*
 * Replaces the stored schedule by a better one, which is appended to the store; if the store is full, it overwrites
 * the stored one. Returns false if it fits neither way.
 */
static bool store(struct refine *f, const struct rd_minimise *m) {
    struct rd_channel *c = f->channel;
    struct rd_summary *s = &c->result.summary;
    struct rd_found *to = f->found;
    uint64_t at = to->store;
    RD_CHECK(rd_cost_compare(&m->cost, &m->before) < 0);
    RD_CHECK(m->finding.kind == to->finding.kind && m->finding.key == to->finding.key);
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

/* Are all accesses points, and preemptions possible at all of them? Otherwise nothing is proved. */
static bool is_everywhere(const struct refine *f) {
    return !f->channel->config.focus && f->base.access_points == RD_ACCESSES_ALL;
}

/*
 * Must every execution be run, because equivalent ones do not stand for each other? So it is if preemptions are
 * restricted to some places, and if Raddle does not see all accesses: then it does not know which of them race.
 */
static bool is_unreduced(const struct rd_channel *c) {
    return c->config.focus || !c->execution.modules[0].instrumented || !rd_config_sees_accesses(&c->config);
}

/* Makes the stored schedule simpler. Returns false if it did not show the finding again, or found no room. */
static bool minimise(struct refine *f) {
    struct rd_channel *c = f->channel;
    struct rd_found *to = f->found;
    struct rd_minimise *m = rd_arena_alloc(f->arena, sizeof *m);
    struct rd_draft d = draft_of(c);
    rd_minimise_open(m, f->arena, rd_channel_store(c) + to->store, to->steps, rd_is_predicted(to->finding.kind),
                     is_unreduced(c));
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

/* Writes the plan that repeats the order of the stored schedule, but for the threads in `moved`, which run late or
 * early. */
static void plan_moved(const struct refine *f, struct rd_draft *d, uint64_t moved, bool late) {
    const struct rd_step *steps = rd_channel_store(f->channel) + f->found->store;
    RD_CHECK(f->found->steps <= d->prefix_max);
    for (uint32_t i = 0; i < f->found->steps; i++)
        d->prefix[i] = rd_order_step(&steps[i]);
    d->plan = (struct rd_plan){.picker = RD_PICK_ORDER,
                               .a = f->found->steps,
                               .b = late,
                               .seed = moved,
                               .ask_always = 1,
                               .steps_max_cut = rd_minimise_steps_max(f->found->steps)};
}

/* Does the finding show when these threads run as early as they can, and when they run as late as they can? */
static bool is_free(struct refine *f, uint64_t moved) {
    struct rd_draft d = draft_of(f->channel);
    bool shows = true;
    for (int late = 1; late >= 0 && shows; late--) {
        if (!may_go_on(f))
            return false;
        plan_moved(f, &d, moved, late);
        shows = run(f, &d.plan);
    }
    return shows && !f->over;
}

/*
 * Finds the threads that must be ordered (the number t of "Variable and thread bounding", ISSTA 2013): those that
 * the finding needs to run when they do, or not to run. A set of threads is free if the finding shows as well when
 * all of them run as early as they can and when all run as late as they can, while the others keep their order.
 * Beginning with the last thread, each is added to the free ones if the set stays free.
 *
 * A thread that runs as early as it can preempts others whenever it is enabled. Where a preemption is needed and
 * fewer than two threads remain, such preemptions have shown the finding, and nothing is known.
 */
static void find_ordered(struct refine *f) {
    const struct rd_found *to = f->found;
    const struct rd_step *steps = rd_channel_store(f->channel) + to->store;
    uint64_t took_part = 0, moved = 0;
    for (uint32_t i = 0; i < to->steps; i++) {
        if (steps[i].tid >= RD_ORDER_THREADS)
            return;
        took_part |= (uint64_t)1 << steps[i].tid;
    }
    for (uint32_t t = RD_ORDER_THREADS; t-- > 0;)
        if (took_part >> t & 1 && is_free(f, moved | (uint64_t)1 << t))
            moved |= (uint64_t)1 << t;
    if (!may_go_on(f))
        return;
    took_part &= ~moved;
    if (to->preemptions && !(took_part & (took_part - 1)))
        return;
    f->found->why.ordered = took_part;
    f->found->why.ordered_known = 1;
}

/* Explains the stored schedule, which has been minimised. */
static void explain(struct refine *f) {
    struct rd_channel *c = f->channel;
    struct rd_found *to = f->found;
    bool predicted = rd_is_predicted(to->finding.kind);
    struct rd_explain *x = rd_arena_alloc(f->arena, sizeof *x); /* too large for the stack */
    struct rd_draft d = draft_of(c);
    rd_explain_open(x, f->arena, rd_channel_store(c) + to->store, to->steps, predicted, is_unreduced(c));
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
 * Is the finding worth refining? Not a hang: it has no end that could be compared, and each execution takes long.
 * Not a predicted deadlock that was confirmed, because the deadlock itself is a finding; nor one that a complete
 * search did not meet, because it is wrong. Not an unreliable race, which may be none.
 */
static bool is_worth(const struct rd_summary *s, const struct rd_found *f) {
    bool all = s->end == RD_END_COMPLETE && s->claim.complete;
    bool settled = f->finding.kind == RD_PREDICTED_DEADLOCK && (f->confirmed || all);
    return f->finding.kind != RD_HANG && f->steps > 0 && !settled && !rd_is_unreliable(&f->finding);
}

static void refine_one(struct refine *f, uint32_t left) {
    static const double minimise_part = 0.6; /* of the share of this finding; the rest is for its explanation */
    struct rd_channel *c = f->channel;
    size_t used = f->arena->used, lent = f->arena->lent;
    uint64_t before = c->result.summary.minimising;
    f->base = (struct rd_plan){.access_points = rd_accesses_again(f->found->access_points),
                               .yields = f->found->yields,
                               .track_count = f->found->track_count};
    RD_CHECK(f->found->track_count <= RD_TRACKS_MAX);
    RD_CHECK(f->found->track + f->found->track_count <= RD_TRACKS_STORED);
    memcpy(rd_channel_track(c), rd_channel_track_store(c) + f->found->track,
           f->found->track_count * sizeof(struct rd_track));
    set_limits(f, left, minimise_part);
    if (minimise(f)) {
        set_limits(f, left, 1);
        find_ordered(f);
        explain(f);
    }
    f->found->why.executions = (uint32_t)(c->result.summary.minimising - before);
    f->arena->used = used;
    f->arena->lent = lent;
}

/* Runs the stored schedule last, so that output and record in the channel belong to it. */
static void repeat(struct refine *f) {
    struct rd_channel *c = f->channel;
    const struct rd_found *found = f->found;
    struct rd_plan plan = {.prefix_count = found->steps, .picker = RD_PICK_STAY};
    rd_choices_of_steps(rd_channel_prefix(c), rd_channel_store(c) + found->store, found->steps);
    run(f, &plan);
}

/* Is there time for a few executions, if each takes as long as the mean of the search? Fewer gain nothing. */
static bool has_time(const struct rd_channel *c, uint64_t time_ns) {
    enum { EXECUTIONS_MIN = 5 };
    uint64_t each =
        c->result.summary.elapsed_ns / RD_MAX(c->result.summary.executions + c->result.summary.cut, (uint64_t)1);
    return each < time_ns / EXECUTIONS_MIN;
}

/* Returns the time that the user asked for, or less: until the deadline each finding has to be run again, too. */
static uint64_t time_of(const struct rd_channel *c, uint64_t now) {
    uint64_t wanted = c->config.minimise_ns, end = c->config.deadline_ns, report = rd_budget_report_ns(c);
    if (!end)
        return wanted;
    return RD_MIN(wanted, end > now + report ? end - now - report : 0);
}

void rd_refine(struct rd_channel *c, struct rd_arena *a, const struct rd_loop_env *env) {
    struct refine f = {.channel = c, .arena = a, .env = env};
    uint32_t left = 0;
    f.started_ns = env->now_ns(env->ctx);
    f.time_ns = time_of(c, f.started_ns);
    if (!has_time(c, f.time_ns) || c->result.summary.end == RD_END_TROUBLE || c->live.stop == RD_STOP_SIGNAL)
        return;
    c->live.stop = RD_STOP_NOT; /* it may say that the time of the search was over; refining has its own time */
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
    c->result.summary.minimise_ns = env->now_ns(env->ctx) - f.started_ns;
}
