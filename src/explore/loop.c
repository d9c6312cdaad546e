/*
 * loop.c - see loop.h.
 *
 * The first execution of a search is run twice, the second time with every step compared to the first: a program
 * that is not deterministic is reported before the search makes a claim. The second run is not counted.
 */
#include "explore/loop.h"

#include "base/text.h"
#include "explore/budget.h"
#include "explore/outcomes.h"
#include "explore/resume.h"

/* The search is asked for its claim once in this time while it runs. */
static const uint64_t CLAIM_NS = 100000000;
/* A search that has only inferred findings goes on for this part of its budget, to show an execution that fails. */
enum { FAILURE_PART = 4 };
/*
 * The same after the failure of an execution before the search. With --detect none the search goes on to its end:
 * its own executions are what the user asks for.
 */
static const uint64_t EARLY_NS = 10000000000;

void rd_loop_set_trouble(struct rd_loop *l, uint64_t execution) {
    struct rd_summary *s = &l->channel->result.summary;
    const struct rd_outcome *o = &l->channel->execution.outcome;
    RD_CHECK(execution > 0);
    s->end = RD_END_TROUBLE;
    s->trouble = o->verdict;
    s->divergence = o->divergence;
    s->divergence_execution = execution;
    rd_text_copy(s->message, sizeof s->message, o->message);
    s->unseen_pc = o->verdict == RD_REFUSED ? o->unseen_pc : 0;
    s->unseen |= o->unseen;
}

void rd_loop_update_claim(struct rd_loop *l) {
    struct rd_summary *s = &l->channel->result.summary;
    struct rd_claim c = rd_claim_none();
    bool done = s->end == RD_END_COMPLETE;
    l->claimed_ns = s->elapsed_ns;
    l->search->claim(l->state, &c);
    if (done && l->single_threaded)
        rd_only_execution_claim(&c);
    s->claim = rd_loop_sharing_is_outdated(l) ? rd_claim_none() : c;
}

/*
 * May the search stop because of its findings? After a finding that was only inferred from a record it goes on for
 * a part of the budget: an execution that fails is better evidence, and often comes soon.
 */
static bool has_found_enough(const struct rd_loop *l) {
    const struct rd_summary *s = &l->channel->result.summary;
    const struct rd_config *c = &l->channel->config;
    uint64_t time_max_ns = l->channel->live.time_max_ns;
    if (l->channel->result.early_failure.count && !c->keep_going && c->detect && s->elapsed_ns >= EARLY_NS)
        return true;
    if (!s->findings || c->keep_going)
        return false;
    if (!l->only_inferred)
        return true;
    return (c->executions_max && s->executions >= l->inferred_executions + c->executions_max / FAILURE_PART) ||
           (time_max_ns && s->elapsed_ns >= l->inferred_ns + time_max_ns / FAILURE_PART);
}

bool rd_loop_check_end(struct rd_loop *l) {
    struct rd_channel *c = l->channel;
    struct rd_summary *s = &c->result.summary;
    s->elapsed_ns = l->env.now_ns(l->env.ctx) - l->started_ns;
    __atomic_store_n(&c->live.beats, c->live.beats + 1, __ATOMIC_RELAXED);
    if (__atomic_load_n(&c->live.stop, __ATOMIC_RELAXED))
        s->end = rd_end_of_stop(c);
    else if (has_found_enough(l))
        s->end = RD_END_FOUND;
    else if (!l->env.team && c->config.executions_max && s->executions + s->cut >= c->config.executions_max)
        s->end = RD_END_BUDGET;
    else if (c->live.time_max_ns && s->elapsed_ns >= rd_budget_search_ns(c))
        s->end = RD_END_BUDGET;
    else if (c->config.memory_max && s->memory > c->config.memory_max && !l->search->keeps_within)
        s->end = RD_END_MEMORY;
    else if (s->elapsed_ns >= l->claimed_ns + CLAIM_NS)
        rd_loop_update_claim(l);
    return s->end != RD_END_NONE;
}

bool rd_loop_check_given_up(struct rd_loop *l) {
    struct rd_summary *s = &l->channel->result.summary;
    const struct rd_outcome *o = &l->channel->execution.outcome;
    if (o->verdict != RD_GIVEN_UP)
        return false;
    s->end = rd_end_of_stop(l->channel);
    s->unseen_pc = o->unseen_pc;
    s->elapsed_ns = l->env.now_ns(l->env.ctx) - l->started_ns;
    return true;
}

/* ---- the beginning ---- */

static size_t allocated(const struct rd_arena *a) { return a->used - a->lent; }

/* Opens the search. `started_ns`: when it began, if it begins again; else 0. */
static struct rd_loop *open_search(struct rd_channel *c, struct rd_arena *a, const struct rd_loop_env *env,
                                   uint64_t started_ns) {
    struct rd_loop *l = rd_resume_open(c, a, env);
    l->started_ns = started_ns;
    struct rd_params params = {.seed = c->config.seed,
                               .memory_max = c->config.memory_max,
                               .fifo = c->config.signal_fifo,
                               .focused = c->config.focus,
                               .ranges = c->config.ranges,
                               .range_count = c->config.range_count};
    struct rd_error error;
    RD_CHECK(c->config.range_count <= RD_RANGES_MAX);
    l->search = rd_search_parse(c->config.strategy, &params, &error);
    RD_CHECK(l->search != NULL); /* the driver has parsed it before */
    size_t before = allocated(a);
    if (env->sharing) {
        l->sharing_changes = __atomic_load_n(&env->sharing->changes, __ATOMIC_ACQUIRE);
        l->sharing_races = __atomic_load_n(&env->sharing->races, __ATOMIC_ACQUIRE);
        c->execution.sharing = rd_sharing_use(env->sharing);
    }
    rd_loop_team_join(l, &params);
    l->state = l->search->open(a, &params);
    c->result.summary.memory = allocated(a) - before;
    return l;
}

/*
 * The first worker of a team, and a worker that is alone, run the executions before the search and the repeated
 * first one.
 */
static bool begins_search(const struct rd_loop_env *env) { return !env->team || env->team->me == 0; }

/* Returns the loop of a new search, or of the search that another process left; NULL: that one cannot go on. */
static struct rd_loop *begin(struct rd_channel *c, struct rd_arena *a, const struct rd_loop_env *env) {
    if (c->config.resumes)
        return rd_resume_find(c, a, env);
    struct rd_learnt learnt = {.count = 0};
    bool refused = begins_search(env) && !rd_loop_sharing_learn(c, env, &learnt);
    struct rd_loop *l = open_search(c, a, env, 0);
    if (refused)
        rd_loop_set_trouble(l, 1);
    else
        rd_loop_sharing_show_learnt(l, &learnt);
    return l;
}

/* ---- plan ---- */

/* Asks the search for the next plan and counts the memory that it allocates. Returns false at its end. */
static bool ask_search(struct rd_loop *l) {
    struct rd_summary *s = &l->channel->result.summary;
    size_t before = allocated(l->arena);
    l->draft = rd_budget_draft(l->channel);
    RD_CHECK(l->turn == RD_TURN_NEXT || l->turn == RD_TURN_FED);
    enum rd_next next = rd_loop_team_next(l, &l->draft);
    RD_CHECK(next != RD_NEXT_WAIT); /* only searches in a team return that */
    l->turn = rd_search_turn_after(next);
    s->memory += allocated(l->arena) - before;
    if (next == RD_NEXT_DONE && s->end == RD_END_NONE)
        s->end = RD_END_COMPLETE;
    return next == RD_NEXT_RUN;
}

/* The arrays of a plan have this room, in the channel and in the engine. */
static void check_plan(const struct rd_channel *c, const struct rd_plan *p) {
    RD_CHECK(p->prefix_count <= c->prefix_max);
    RD_CHECK(p->picker != RD_PICK_GUIDE || p->a <= c->prefix_max - p->prefix_count);
    RD_CHECK(p->sleep_count <= RD_TID_MAX && p->track_count <= RD_TRACKS_MAX);
    RD_CHECK(p->picker < RD_PICKERS && p->access_points < RD_ACCESSES_COUNT);
}

/* Makes the draft of the search the plan of the next execution. Hooks may be switched off in it (sites.h). */
static void write_plan(struct rd_loop *l) {
    struct rd_channel *c = l->channel;
    struct rd_plan *plan = &c->execution.plan;
    check_plan(c, &l->draft.plan);
    *plan = l->draft.plan;
    if (l->env.sharing)
        c->execution.sharing = rd_sharing_use(l->env.sharing);
    /* any other search extends recorded executions, and cannot take one back that switched off hooks have spoilt */
    if (l->search->hooks.restart_set || rd_search_samples(l->search))
        rd_sites_plan(&l->sites, plan, l->draft.track, rd_channel_profile(c), l->search->hooks.restart_set != NULL);
    /* a composite search makes only the claims of components for which every access is a point */
    if (plan->access_points != RD_ACCESSES_ALL && plan->access_points != RD_ACCESSES_PROFILE &&
        rd_search_share(l->search) != RD_SHARE_PARTS)
        c->result.summary.played |= RD_PLAYED_TRACK;
}

/* Is the next execution the one that is run twice? */
static bool is_first(const struct rd_loop *l) {
    const struct rd_summary *s = &l->channel->result.summary;
    return s->executions + s->cut == 0 && begins_search(&l->env);
}

/* ---- run ---- */

/* Runs the plan in the channel. Returns false if the execution cannot be used; `execution` is its number. */
static bool run(struct rd_loop *l, uint64_t execution) {
    struct rd_channel *c = l->channel;
    const struct rd_outcome *o = &c->execution.outcome;
    uint64_t *cpu_ns_min = &c->result.summary.cpu_ns_min;
    __atomic_add_fetch(&c->live.sequence, 1, __ATOMIC_RELAXED);
    l->env.run(l->env.ctx);
    RD_CHECK(o->steps <= c->steps_max);
    if (o->verdict == RD_PASSED && o->cpu_ns && (!*cpu_ns_min || o->cpu_ns < *cpu_ns_min))
        *cpu_ns_min = o->cpu_ns;
    if (o->verdict == RD_DIVERGED || o->verdict == RD_REFUSED) {
        rd_loop_set_trouble(l, execution);
        return false;
    }
    return !rd_loop_check_given_up(l);
}

/*
 * Runs the plan of the search. If this process dies meanwhile, another one repeats the execution (resume.h); but
 * not one that adds to a profile, because that would count its accesses twice.
 */
static bool run_planned(struct rd_loop *l) {
    const struct rd_channel *c = l->channel;
    if (c->execution.plan.access_points != RD_ACCESSES_PROFILE)
        rd_resume_mark(l, RD_PHASE_RUN);
    bool ran = run(l, c->result.summary.executions + 1);
    rd_resume_mark(l, RD_PHASE_SEARCH);
    return ran;
}

/* The plan that repeats the execution in the channel strictly. */
static struct rd_plan repeat_plan(struct rd_channel *c) {
    const struct rd_plan *p = &c->execution.plan;
    const struct rd_outcome *o = &c->execution.outcome;
    /* a profile has counted this execution already; these are the same points without a profile */
    bool profile = p->access_points == RD_ACCESSES_PROFILE;
    rd_choices_of_steps(rd_channel_prefix(c), rd_channel_record(c).steps, o->steps);
    return (struct rd_plan){.prefix_count = o->steps,
                            .picker = RD_PICK_STAY,
                            .steps_max_cut = o->verdict == RD_CUT ? o->steps : 0,
                            .strict = 1,
                            .yields = p->yields,
                            .access_points = profile ? RD_ACCESSES_AFTER : p->access_points,
                            .track_count = profile ? 0 : p->track_count};
}

/*
 * Runs the first execution once more. Returns false if it was not the same: the program is not deterministic. An
 * execution that depends on input from outside is not repeated: such input comes when it comes, and the claim is
 * void for that reason anyway.
 */
static bool repeat_first(struct rd_loop *l) {
    struct rd_channel *c = l->channel;
    struct rd_outcome *o = &c->execution.outcome;
    uint32_t steps = o->steps;
    uint64_t class_hash = o->class_hash[0];
    bool empty = o->verdict == RD_CUT && steps == 0;
    if (empty || !o->started || steps > c->prefix_max || o->waited_outside)
        return true;
    c->execution.plan = repeat_plan(c);
    if (!run(l, 1))
        return false;
    if (o->steps != steps || o->class_hash[0] != class_hash) {
        o->verdict = RD_DIVERGED;
        o->divergence =
            (struct rd_divergence){.step = RD_MIN(steps, o->steps), .why = RD_DIV_EARLY, .tid = RD_TID_NONE};
        rd_loop_set_trouble(l, 1);
        return false;
    }
    c->result.summary.repeated++;
    return true;
}

/* ---- judge, and feed back ---- */

/* Completes the verdict by the output of the execution. */
static void complete_verdict(struct rd_loop *l) {
    struct rd_channel *c = l->channel;
    if (c->config.separate)
        c->execution.output_size = l->env.output(l->env.ctx, rd_channel_output(c), RD_OUTPUT_MAX);
    rd_outcomes_expect(c);
}

static void call_feedback(struct rd_loop *l) {
    size_t before = allocated(l->arena);
    struct rd_record record = rd_channel_record(l->channel);
    RD_CHECK(l->turn == RD_TURN_PLANNED);
    l->search->feedback(l->state, &l->draft.plan, &record);
    l->turn = RD_TURN_FED;
    l->channel->result.summary.memory += allocated(l->arena) - before;
}

/* Gives the execution to the search, and takes the sample for --coverage. */
static void feed_back(struct rd_loop *l, bool new_class) {
    struct rd_channel *c = l->channel;
    call_feedback(l);
    if (!c->config.coverage)
        return;
    c->result.summary.elapsed_ns = l->env.now_ns(l->env.ctx) - l->started_ns;
    if (rd_coverage_is_sampled(c))
        rd_loop_update_claim(l);
    rd_coverage_sample(c, new_class);
}

/* The search and the summary take in the execution in the channel: counts, findings, feedback. */
static void take_in(struct rd_loop *l) {
    struct rd_channel *c = l->channel;
    const struct rd_outcome *o = &c->execution.outcome;
    bool new_class = rd_coverage_count(&l->cover, c);
    uint64_t findings_before = c->result.summary.findings;
    rd_loop_keep_reported(l);
    feed_back(l, new_class);
    rd_loop_sites_restart_set(l);
    l->single_threaded = !o->started;
    rd_outcomes_note(c);
    /* the class of a cut execution is not counted, so it may be new to the detectors */
    rd_loop_infer(l, new_class || o->verdict == RD_CUT, findings_before);
}

/* ---- restart, and the end ---- */

/*
 * Begins the search again in the same memory; its findings stay. Returns NULL in a team: the driver has to begin
 * the search again with all workers.
 */
static struct rd_loop *restart(struct rd_loop *l) {
    struct rd_channel *c = l->channel;
    struct rd_arena *a = l->arena;
    const struct rd_loop_env env = l->env;
    const struct rd_loop before = *l;
    if (env.team) {
        c->result.summary.end = RD_END_AGAIN;
        return NULL;
    }
    rd_loop_sharing_reset_counters(l);
    rd_arena_reset(a);
    l = open_search(c, a, &env, before.started_ns);
    l->only_inferred = before.only_inferred;
    l->inferred_ns = before.inferred_ns;
    RD_CHECK(c->result.summary.found_count <= RD_FOUND_MAX);
    for (uint32_t i = 0; i < c->result.summary.found_count; i++)
        *rd_map_put(&l->findings, a, c->result.found[i].finding.key) = i + 1;
    return l;
}

/* Ends the search of a program that created no thread: it has only this execution. */
static void end_single_threaded(struct rd_loop *l) {
    struct rd_summary *s = &l->channel->result.summary;
    if (!l->single_threaded || s->end != RD_END_NONE)
        return;
    rd_loop_check_end(l);
    s->end = s->findings ? RD_END_FOUND : RD_END_COMPLETE;
}

/* Completes the result, tells the driver that it is complete, and refines the findings. */
static void finish(struct rd_loop *l) {
    struct rd_channel *c = l->channel;
    rd_loop_team_leave(l);
    if (c->result.summary.end == RD_END_COMPLETE && rd_loop_sharing_is_outdated(l))
        c->result.summary.end = RD_END_BUDGET; /* there was no time to begin again */
    rd_loop_update_claim(l);
    if (rd_loop_sharing_report_failure(l))
        rd_loop_update_claim(l);
    __atomic_store_n(&c->live.phase, (uint32_t)RD_PHASE_TOLD, __ATOMIC_RELEASE);
    rd_refine(c, l->arena, &l->env);
}

void rd_loop_run(struct rd_channel *c, struct rd_arena *a, const struct rd_loop_env *env) {
    struct rd_loop *l = begin(c, a, env);
    if (!l)
        return;
    /* the process that this one replaces died in an execution: that is repeated first, under the same plan */
    bool repeats = c->live.phase == RD_PHASE_RUN;
    if (rd_loop_sharing_hung(c) && c->result.summary.end != RD_END_TROUBLE)
        c->result.summary.end = RD_END_FOUND;
    for (; repeats || (!rd_loop_check_end(l) && ask_search(l)); repeats = false) {
        bool first = is_first(l);
        if (!repeats)
            write_plan(l);
        bool ran = run_planned(l);
        if (repeats && !rd_resume_check_repeat(l))
            return;
        if (!ran && rd_loop_accept_divergence(l))
            continue;
        if (!ran || !rd_loop_sites_check(l))
            break;
        complete_verdict(l);
        take_in(l);
        rd_loop_sharing_note_race(l);
        if (first && c->execution.outcome.verdict != RD_FOUND && !l->search->profiles_only && !repeat_first(l))
            break;
        rd_loop_probe_livelock(l);
        rd_loop_team_count(l);
        rd_loop_confirm_suspects(l);
        rd_loop_sharing_show_race(l);
        if (rd_loop_sharing_needs_restart(l)) {
            l = restart(l);
            if (!l)
                return;
        }
        end_single_threaded(l);
    }
    finish(l);
}
