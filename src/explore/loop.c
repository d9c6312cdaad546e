/*
 * loop.c - see loop.h. The first schedule is run twice, the second time with everything compared: a program that
 * is not deterministic is told so before anything is claimed. That second run is not counted.
 */
#include "explore/loop.h"

#include "base/text.h"
#include "detect/detect.h"
#include "explore/budget.h"
#include "explore/known_findings.h"
#include "explore/outcomes.h"
#include "explore/resume.h"

#include <string.h>

/* How often a search is asked during its work what it has proved. */
static const uint64_t CLAIM_NS = 100000000;
/* How much of its budget it goes on for, after a finding that did no harm, to show what comes of it. */
enum { HARM_PART = 4 };

void rd_loop_trouble(struct rd_loop *l, uint64_t execution) {
    struct rd_summary *s = &l->channel->result.summary;
    const struct rd_outcome *o = &l->channel->execution.outcome;
    s->end = RD_END_TROUBLE;
    s->trouble = o->verdict;
    s->divergence = o->divergence;
    s->divergence_execution = execution;
    rd_text_copy(s->message, sizeof s->message, o->message);
    s->unseen_pc = o->verdict == RD_REFUSED ? o->unseen_pc : 0;
    s->unseen |= o->unseen;
}

void rd_loop_single(struct rd_claim *c) {
    *c = (struct rd_claim){.preemptions = -1, .delays = -1, .depth = -1, .complete = 1, .done = 1, .estimate = 1};
    rd_text_copy(c->proved, sizeof c->proved, "the program created no second thread: there is only one schedule");
}

/* Asks the search what it has proved so far. */
static void claim(struct rd_loop *l) {
    struct rd_summary *s = &l->channel->result.summary;
    struct rd_claim c = rd_claim_none();
    bool done = s->end == RD_END_COMPLETE;
    l->claimed_ns = s->elapsed_ns;
    l->search->claim(l->state, &c);
    if (done && l->unthreaded)
        rd_loop_single(&c);
    s->claim = rd_loop_stale(l) ? rd_claim_none() : c;
}

/* What an execution only predicts is kept as it is, and then tried. */
static void keep_predicted(struct rd_loop *l, const struct rd_finding *f) {
    const struct rd_record record = rd_channel_record(l->channel);
    rd_loop_keep_finding(l, f);
    struct rd_suspect *s = &l->suspect[l->suspects];
    if (f->kind != RD_PREDICTED_DEADLOCK || l->suspects == RD_SUSPECTS_MAX || !rd_loop_first(l, f->key))
        return;
    s->key = f->key;
    l->suspects += rd_circle_of(f, &record, &s->circle);
}

/* Runs what is in the channel beside the search's own executions, and keeps what it shows. */
static void run_beside(struct rd_loop *l, uint64_t *count) {
    struct rd_channel *c = l->channel;
    __atomic_add_fetch(&c->live.sequence, 1, __ATOMIC_RELAXED);
    l->env.run(l->env.ctx);
    ++*count;
    if (c->execution.outcome.verdict == RD_FOUND) {
        rd_loop_keep_finding(l, &c->execution.outcome.finding);
        l->read_only = false;
    }
}

/* Runs into it, if that can be done in a few executions. */
static void confirm(struct rd_loop *l, const struct rd_suspect *suspect) {
    struct rd_channel *c = l->channel;
    uint32_t at = (uint32_t)*rd_map_get(&l->findings, suspect->key);
    for (uint32_t i = 0; i < RD_CONFIRM_TRIES; i++) {
        rd_confirm_plan(c, &suspect->circle, i);
        run_beside(l, &c->result.summary.confirming);
        bool shows = rd_confirm_shows(c, &suspect->circle);
        if (shows && at)
            c->result.found[at - 1].confirmed = 1;
        if (shows || c->live.stop || c->execution.outcome.verdict == RD_REFUSED ||
            (c->execution.outcome.verdict == RD_FOUND && !c->config.keep_going))
            return;
    }
}

/* The record in the channel is another one afterwards; the weights, which are the search's, are the same. */
static void confirm_all(struct rd_loop *l) {
    struct rd_channel *c = l->channel;
    size_t size = RD_TID_MAX * sizeof(struct rd_weight);
    if (!l->suspects)
        return;
    if (!l->weights)
        l->weights = rd_arena_alloc(l->arena, size);
    memcpy(l->weights, rd_channel_weight(c), size);
    for (uint32_t i = 0; i < l->suspects; i++)
        confirm(l, &l->suspect[i]);
    memcpy(rd_channel_weight(c), l->weights, size);
    l->suspects = 0;
}

static bool is_known(const void *ctx, uint64_t key) {
    const struct rd_loop *l = ctx;
    return rd_map_get(&l->findings, key) != NULL;
}

static bool has_race(const struct rd_channel *c) {
    for (uint32_t i = 0; i < c->result.summary.found_count; i++)
        if (c->result.found[i].finding.kind == RD_DATA_RACE)
            return true;
    return false;
}

/*
 * What detectors read in it. They see no more than the class of the execution (event.h), so one that was met before
 * has nothing new. Once something was found, only a race of the execution that ends the search is still of
 * interest, the first one: it may be the cause of what ended it.
 */
static void detect(struct rd_loop *l) {
    struct rd_channel *c = l->channel;
    struct rd_record record = rd_channel_record(c);
    struct rd_known known = {is_known, l};
    bool last = c->result.summary.findings && !c->config.keep_going;
    if (last && (c->execution.outcome.verdict != RD_FOUND || has_race(c)))
        return;
    for (uint32_t i = 0; i < RD_DETECTORS; i++) {
        struct rd_finding f;
        bool found = rd_detector_is_on(c->config.detect, i) && (!last || rd_detectors[i].with_last);
        while (found) {
            found = rd_detect_run(i, l->arena, &record, &known, &f);
            if (!found || rd_known_suppress(l, &f))
                continue;
            keep_predicted(l, &f);
            found = c->config.keep_going || rd_is_warning(&c->config, &f);
        }
    }
}

/* Did the last execution show the first findings, and none of them did harm yet? */
static void mark_harmless(struct rd_loop *l, uint64_t findings_before) {
    const struct rd_summary *s = &l->channel->result.summary;
    if (findings_before || !s->findings || l->channel->execution.outcome.verdict == RD_FOUND)
        return;
    l->read_only = true;
    l->read_at = s->executions;
    l->read_ns = s->elapsed_ns;
}

/* Has it found what is to be reported, and may stop? What did no harm may soon do some: that is shown, too. */
static bool enough(const struct rd_loop *l) {
    const struct rd_summary *s = &l->channel->result.summary;
    const struct rd_config *c = &l->channel->config;
    uint64_t time_max_ns = l->channel->live.time_max_ns;
    if (!s->findings || c->keep_going)
        return false;
    if (!l->read_only)
        return true;
    return (c->executions_max && s->executions >= l->read_at + c->executions_max / HARM_PART) ||
           (time_max_ns && s->elapsed_ns >= l->read_ns + time_max_ns / HARM_PART);
}

/* What the search reads in an execution that could have gone wrong, and did not. */
static void predict(struct rd_loop *l) {
    struct rd_record record = rd_channel_record(l->channel);
    struct rd_finding f;
    RD_CHECK(l->turn == RD_TURN_FED);
    while (l->search->hooks.predict &&
           (l->channel->execution.outcome.verdict != RD_FOUND || l->channel->config.keep_going) &&
           l->search->hooks.predict(l->state, &record, &f))
        if (!is_known(l, f.key))
            keep_predicted(l, &f);
}

bool rd_loop_over(struct rd_loop *l) {
    struct rd_channel *c = l->channel;
    struct rd_summary *s = &c->result.summary;
    s->elapsed_ns = l->env.now_ns(l->env.ctx) - l->started;
    __atomic_store_n(&c->live.beats, c->live.beats + 1, __ATOMIC_RELAXED);
    if (__atomic_load_n(&c->live.stop, __ATOMIC_RELAXED))
        s->end = rd_end_of_stop(c);
    else if (enough(l))
        s->end = RD_END_FOUND;
    else if (!l->env.team && c->config.executions_max && s->executions + s->cut >= c->config.executions_max)
        s->end = RD_END_BUDGET;
    else if (c->live.time_max_ns && s->elapsed_ns >= rd_budget_search_ns(c))
        s->end = RD_END_BUDGET;
    else if (c->config.memory_max && s->memory > c->config.memory_max && !l->search->keeps_within)
        s->end = RD_END_MEMORY;
    else if (s->elapsed_ns >= l->claimed_ns + CLAIM_NS)
        claim(l);
    return s->end != RD_END_NONE;
}

bool rd_loop_stopped(struct rd_loop *l) {
    if (l->channel->execution.outcome.verdict != RD_GIVEN_UP)
        return false;
    l->channel->result.summary.end = rd_end_of_stop(l->channel);
    l->channel->result.summary.unseen_pc = l->channel->execution.outcome.unseen_pc;
    l->channel->result.summary.elapsed_ns = l->env.now_ns(l->env.ctx) - l->started;
    return true;
}

/* `execution` is its number, for the report when there is trouble. */
static bool run_one(struct rd_loop *l, uint64_t execution) {
    struct rd_channel *c = l->channel;
    struct rd_outcome *o = &c->execution.outcome;
    uint64_t *least = &c->result.summary.cpu_ns_min;
    __atomic_add_fetch(&c->live.sequence, 1, __ATOMIC_RELAXED);
    l->env.run(l->env.ctx);
    if (o->verdict == RD_PASSED && o->cpu_ns && (!*least || o->cpu_ns < *least))
        *least = o->cpu_ns;
    if (o->verdict == RD_DIVERGED || o->verdict == RD_REFUSED) {
        rd_loop_trouble(l, execution);
        return false;
    }
    return !rd_loop_stopped(l);
}

/* Runs the execution that is in the channel once more, strictly. */
static bool same_again(struct rd_loop *l) {
    struct rd_channel *c = l->channel;
    uint32_t steps = c->execution.outcome.steps;
    bool cut = c->execution.outcome.verdict == RD_CUT;
    if (cut && steps == 0)
        return true;
    /* what comes from outside comes when it comes: that nothing is proved then is said elsewhere */
    if (!c->execution.outcome.started || steps > c->prefix_max || c->execution.outcome.waited_outside)
        return true;
    uint64_t order = c->execution.outcome.class_hash[0];
    rd_choices_of_steps(rd_channel_prefix(c), rd_channel_record(c).steps, steps);
    bool profile = c->execution.plan.access_points ==
                   RD_ACCESSES_PROFILE; /* the points are those of tracking nothing, and it was counted */
    c->execution.plan =
        (struct rd_plan){.prefix_count = steps,
                         .picker = RD_PICK_STAY,
                         .steps_max_cut = cut ? steps : 0,
                         .strict = 1,
                         .yields = c->execution.plan.yields,
                         .access_points = profile ? RD_ACCESSES_AFTER : c->execution.plan.access_points,
                         .track_count = profile ? 0 : c->execution.plan.track_count};
    bool fine = run_one(l, 1);
    if (fine && (c->execution.outcome.steps != steps || c->execution.outcome.class_hash[0] != order)) {
        c->execution.outcome.verdict = RD_DIVERGED;
        c->execution.outcome.divergence = (struct rd_divergence){
            .step = RD_MIN(steps, c->execution.outcome.steps), .why = RD_DIV_EARLY, .tid = RD_TID_NONE};
        rd_loop_trouble(l, 1);
        return false;
    }
    c->result.summary.repeated += fine;
    return fine;
}

static size_t taken(const struct rd_arena *a) { return a->used - a->lent; }

/* Asks the search for the next execution and counts what it allocates. */
static bool next(struct rd_loop *l, struct rd_draft *draft) {
    struct rd_channel *c = l->channel;
    size_t before = taken(l->arena);
    *draft = rd_budget_draft(c);
    RD_CHECK(l->turn == RD_TURN_NEXT || l->turn == RD_TURN_FED);
    enum rd_next asked = rd_loop_ask(l, draft);
    bool more = asked == RD_NEXT_RUN;
    l->turn = rd_search_turn_after(asked);
    c->result.summary.memory += taken(l->arena) - before;
    if (!more && c->result.summary.end == RD_END_NONE)
        c->result.summary.end = RD_END_COMPLETE;
    return more;
}

static void feedback(struct rd_loop *l, const struct rd_plan *plan) {
    size_t before = taken(l->arena);
    struct rd_record record = rd_channel_record(l->channel);
    RD_CHECK(l->turn == RD_TURN_PLANNED);
    l->search->feedback(l->state, plan, &record);
    l->turn = RD_TURN_FED;
    l->channel->result.summary.memory += taken(l->arena) - before;
}

/* Gives the execution that is in the channel to the search. `fresh`: its class is new. */
static void learn(struct rd_loop *l, const struct rd_plan *plan, bool fresh) {
    struct rd_channel *c = l->channel;
    feedback(l, plan);
    if (!c->config.coverage)
        return;
    c->result.summary.elapsed_ns = l->env.now_ns(l->env.ctx) - l->started;
    if (rd_coverage_state_wanted(c))
        claim(l);
    rd_coverage_state_sample(c, fresh);
}

/* A new search. `started`: when it began, if it begins again; else 0. */
static struct rd_loop *begin(struct rd_channel *c, struct rd_arena *a, const struct rd_loop_env *env,
                             uint64_t started) {
    struct rd_loop *l = rd_resume_open(c, a, env);
    l->started = started;
    struct rd_params params = {.seed = c->config.seed,
                               .memory_max = c->config.memory_max,
                               .fifo = c->config.signal_fifo,
                               .focused = c->config.focus,
                               .ranges = c->config.ranges,
                               .range_count = c->config.range_count};
    struct rd_error error;
    l->search = rd_search_parse(c->config.strategy, &params, &error);
    RD_CHECK(l->search != NULL); /* the driver has parsed it before */
    size_t before = taken(a);
    if (env->sharing) {
        l->sharing_changes = __atomic_load_n(&env->sharing->changes, __ATOMIC_ACQUIRE);
        c->execution.sharing = rd_sharing_use(env->sharing);
    }
    rd_loop_join(l, &params);
    l->state = l->search->open(a, &params);
    c->result.summary.memory = taken(a) - before;
    return l;
}

/*
 * The search begins again, in the same memory, with what it has found. NULL: the driver has to begin it again, with
 * all its workers.
 */
static struct rd_loop *begin_again(struct rd_loop *l) {
    struct rd_channel *c = l->channel;
    struct rd_arena *a = l->arena;
    const struct rd_loop_env env = l->env;
    const struct rd_loop before = *l;
    if (env.team) {
        c->result.summary.end = RD_END_AGAIN;
        return NULL;
    }
    rd_loop_forget(l);
    rd_arena_reset(a);
    l = begin(c, a, &env, before.started);
    l->read_only = before.read_only;
    l->read_ns = before.read_ns;
    for (uint32_t i = 0; i < c->result.summary.found_count; i++)
        *rd_map_put(&l->findings, a, c->result.found[i].finding.key) = i + 1;
    return l;
}

/* Makes the draft the plan, with the code that is switched off. */
static void adopt(struct rd_loop *l) {
    struct rd_channel *c = l->channel;
    c->execution.plan = l->draft.plan;
    if (l->env.sharing)
        c->execution.sharing = rd_sharing_use(l->env.sharing);
    if (l->search->hooks.restart_set ||
        rd_search_samples(l->search)) /* others go on from what was recorded, in any case */
        rd_sites_plan(&l->sites, &c->execution.plan, l->draft.track, rd_channel_profile(c),
                      l->search->hooks.restart_set != NULL);
    /* what is made of others claims what those prove that have every point */
    if (c->execution.plan.access_points != RD_ACCESSES_ALL &&
        c->execution.plan.access_points != RD_ACCESSES_PROFILE && rd_search_share(l->search) != RD_SHARE_PARTS)
        c->result.summary.played |= RD_PLAYED_TRACK;
}

/* Runs the plan. What an execution adds to a profile is there twice when it is run twice. */
static bool run_own(struct rd_loop *l) {
    if (l->channel->execution.plan.access_points != RD_ACCESSES_PROFILE)
        rd_resume_mark(l, RD_PHASE_RUN);
    bool ran = run_one(l, l->channel->result.summary.executions + 1);
    rd_resume_mark(l, RD_PHASE_SEARCH);
    return ran;
}

void rd_loop_run(struct rd_channel *c, struct rd_arena *a, const struct rd_loop_env *env) {
    bool refused = !c->config.resumes && !(env->team && env->team->me) && !rd_loop_learn(c, env);
    struct rd_loop *l = c->config.resumes ? rd_resume_find(c, a, env) : begin(c, a, env, 0);
    bool again = l && c->live.phase == RD_PHASE_RUN;
    if (!l)
        return;
    if (refused)
        rd_loop_trouble(l, 1);
    else if (rd_loop_hung(c)) /* it takes long, and the search would begin with it */
        c->result.summary.end = RD_END_FOUND;
    for (; again || (!rd_loop_over(l) && next(l, &l->draft)); again = false) {
        bool first = c->result.summary.executions + c->result.summary.cut == 0 && !(l->env.team && l->env.team->me);
        if (!again)
            adopt(l);
        bool ran = run_own(l);
        if (again && !rd_resume_same(l))
            return;
        if (!ran && rd_loop_goes_on(l))
            continue;
        if (!ran || !rd_loop_watch_sites(l))
            break;
        if (c->config.separate)
            c->execution.output_size = l->env.output(l->env.ctx, rd_channel_output(c), RD_OUTPUT_MAX);
        rd_outcomes_expect(c);
        bool found = c->execution.outcome.verdict == RD_FOUND, fresh = rd_coverage_state_count(&l->cover, c);
        uint64_t findings_before = c->result.summary.findings;
        rd_loop_keep_shown(l);
        learn(l, &l->draft.plan, fresh);
        fresh |= c->execution.outcome.verdict == RD_CUT;
        rd_loop_repair(l);
        l->unthreaded = !c->execution.outcome.started;
        rd_outcomes_note(c);
        bool dropped = c->execution.outcome.verdict == RD_DROPPED; /* the program says that it cannot be */
        if (fresh && !dropped)
            detect(l);
        if (!dropped)
            predict(l);
        mark_harmless(l, findings_before);
        if (!found && first && !l->search->profiles_only && !same_again(l))
            break;
        while (!c->live.stop && rd_livelock_probe_next(&l->probe, a, c))
            run_beside(l, &c->result.summary.probes);
        rd_loop_ran(l);
        confirm_all(l);
        if (rd_loop_restarts(l) && !(l = begin_again(l)))
            return;
        if (l->unthreaded &&
            c->result.summary.end == RD_END_NONE) { /* no thread was ever created: one execution is all */
            rd_loop_over(l);
            c->result.summary.end = c->result.summary.findings ? RD_END_FOUND : RD_END_COMPLETE;
        }
    }
    rd_loop_leave(l);
    if (c->result.summary.end == RD_END_COMPLETE && rd_loop_stale(l))
        c->result.summary.end = RD_END_BUDGET; /* there was no time to begin again */
    claim(l);
    if (rd_loop_recall(l))
        claim(l);
    __atomic_store_n(&c->live.phase, (uint32_t)RD_PHASE_TOLD, __ATOMIC_RELEASE);
    rd_refine(c, a, env);
}
