/*
 * loop_sharing.c - searches whose points are the accesses to memory that threads share (trace/sharing.h). Which
 * memory that is follows from executions. Some executions before the search, which are not counted, show nearly all
 * of it. If the search itself shows more, it begins again with more points: its executions so far do not count.
 * Its findings stay, because each names the version of shared memory that its schedule needs.
 *
 * An execution before the search may fail. Usually the search meets the same failure and reports it with a schedule
 * of its own. If it does not, the first such failure is added to the findings when the search is over.
 *
 * A sampler proves nothing about all executions. If it is alone and has run SAMPLES_FEW executions, it goes on with
 * more points instead of beginning again.
 */
#include "explore/loop.h"

#include "explore/suppression.h"

#include "base/text.h"
#include "pick/pick.h"

#include <string.h>

enum {
    LEARN_QUIET = 2,   /* learning ends after so many executions in a row without a change of the table */
    LEARN_PART = 10,   /* learning uses at most this part of the time: a tenth */
    SAMPLES_FEW = 100, /* a sampler with fewer executions than this begins again */
};

/* Counts the changes of the table that void the claims of earlier executions. */
static uint32_t changes(const struct rd_sharing *s) { return __atomic_load_n(&s->changes, __ATOMIC_ACQUIRE); }

/* Keeps the finding of an execution before the search, if it is the first and there is room for its schedule. */
static void keep_early_failure(struct rd_channel *c) {
    const struct rd_outcome *o = &c->execution.outcome;
    struct rd_summary *s = &c->result.summary;
    if (o->verdict != RD_FOUND || c->result.early_failure.count || o->steps > c->store_max ||
        rd_suppression_line(c, &o->finding) != RD_SUPPRESSION_NONE)
        return;                   /* the search meets a suppressed one again, and counts it */
    RD_CHECK(s->store_used == 0); /* no finding is stored before the search */
    c->result.early_failure =
        (struct rd_found){.finding = o->finding,
                          .execution = 1,
                          .store = s->store_used,
                          .sharing = o->started ? c->execution.sharing : (struct rd_sharing_use){0},
                          .steps = o->steps,
                          .preemptions = o->preemptions,
                          .blocking = o->blocking,
                          .threads = o->threads,
                          .heap_known = o->known_count != 0,
                          .count = 1};
    struct rd_record record = rd_channel_record(c);
    rd_loop_note_waits(&c->result.early_failure, &record);
    memcpy(rd_channel_store(c) + s->store_used, record.steps, o->steps * sizeof(struct rd_step));
    s->store_used += o->steps;
}

bool rd_loop_sharing_hung(const struct rd_channel *c) {
    return c->result.early_failure.count && c->result.early_failure.finding.kind == RD_HANG &&
           !c->config.keep_going;
}

bool rd_loop_sharing_report_failure(struct rd_loop *l) {
    struct rd_channel *c = l->channel;
    struct rd_summary *s = &c->result.summary;
    bool found_again = rd_map_get(&l->findings, c->result.early_failure.finding.key) != NULL;
    bool beyond = s->end == RD_END_COMPLETE && !s->claim.complete; /* the failure lies outside the search's bound */
    if (!c->result.early_failure.count || found_again || beyond || s->end == RD_END_TROUBLE ||
        s->found_count == RD_FOUND_MAX)
        return false;
    if (s->findings && !c->config.keep_going)
        return false;
    RD_CHECK(c->result.early_failure.store + c->result.early_failure.steps <= s->store_used);
    c->result.found[s->found_count++] = c->result.early_failure;
    s->findings++;
    s->early_failure = 1;
    if (!s->executions) { /* the search has counted none: the summary counts this one */
        s->executions = 1;
        s->steps = s->steps_max = c->result.early_failure.steps;
        s->blocking_max = c->result.early_failure.blocking;
        s->preemptions_max = c->result.early_failure.preemptions;
        s->preemptions[RD_MIN(s->preemptions_max, RD_PREEMPTION_COUNTS - 1u)] = 1;
    }
    s->threads_max = RD_MAX(s->threads_max, c->result.early_failure.threads);
    bool deadlock = c->result.early_failure.finding.kind == RD_DEADLOCK;
    if (s->end == RD_END_COMPLETE && !s->claim.voids[0] && !(deadlock && l->search->guarantee.misses_deadlocks))
        rd_text_copy(s->claim.voids, sizeof s->claim.voids,
                     "an execution before the search has failed as none of the search's own executions did");
    if (!c->config.keep_going && s->end != RD_END_COMPLETE)
        s->end = RD_END_FOUND;
    return true;
}

static uint32_t races(const struct rd_sharing *s) { return __atomic_load_n(&s->races, __ATOMIC_ACQUIRE); }

/* The plan of an execution before the search: the first is without preemptions, any other at random. */
static struct rd_plan plan_to_learn(uint64_t number) {
    return (struct rd_plan){.picker = number ? RD_PICK_RANDOM : RD_PICK_STAY, .seed = number};
}

/* Runs one execution before the search. Returns false if more of them would be of no use. */
static bool run_to_learn(struct rd_channel *c, const struct rd_loop_env *env, uint64_t number) {
    const struct rd_outcome *o = &c->execution.outcome;
    c->execution.sharing = rd_sharing_use(env->sharing);
    c->execution.plan = plan_to_learn(number);
    __atomic_add_fetch(&c->live.sequence, 1, __ATOMIC_RELAXED);
    env->run(env->ctx);
    c->result.summary.learning++;
    keep_early_failure(c);
    bool ended = o->verdict == RD_PASSED || (o->verdict == RD_CUT && !o->limited) || o->verdict == RD_DROPPED ||
                 (o->verdict == RD_FOUND && o->finding.kind != RD_HANG);
    return ended && o->started && !__atomic_load_n(&c->live.stop, __ATOMIC_RELAXED);
}

bool rd_loop_sharing_learn(struct rd_channel *c, const struct rd_loop_env *env, struct rd_learnt *learnt) {
    struct rd_sharing *s = env->sharing;
    uint64_t begun_ns = env->now_ns(env->ctx), time_max_ns = c->config.time_max_ns / LEARN_PART;
    c->execution.sharing = (struct rd_sharing_use){0};
    if (!s)
        return true;
    RD_CHECK(c->result.summary.executions == 0 && c->result.summary.learning == 0);
    for (uint64_t n = 0, quiet = 0; n < RD_LEARN_MAX && quiet < LEARN_QUIET && rd_sharing_use(s).version; n++) {
        uint32_t before = changes(s), races_before = races(s);
        bool goes_on = run_to_learn(c, env, n);
        if (races(s) != races_before) {
            learnt->raced[learnt->count].sharing = c->execution.sharing;
            learnt->raced[learnt->count++].number = n;
        }
        quiet = changes(s) == before ? quiet + 1 : 0;
        rd_sharing_advance(s);
        if (!goes_on || (time_max_ns && env->now_ns(env->ctx) - begun_ns > time_max_ns))
            break;
    }
    c->execution.sharing = rd_sharing_use(s);
    return !c->result.summary.learning || c->execution.outcome.verdict != RD_REFUSED;
}

/*
 * The execution in the channel goes on to its end, or to where it was ended, with fewer points than the newest
 * version has. Keeps its operations, for show().
 */
static void note(struct rd_loop *l) {
    struct rd_channel *c = l->channel;
    uint32_t count = c->execution.outcome.steps;
    l->raced_count = 0;
    if (!c->execution.outcome.started || count > c->prefix_max)
        return;
    if (count > l->raced_room) {
        l->raced_room = count;
        l->raced = rd_arena_alloc(l->arena, count * sizeof *l->raced);
    }
    rd_choices_of_steps(l->raced, rd_channel_record(c).steps, count);
    l->raced_count = count;
}

/* Runs the noted execution in the newest version. It may show more races, between accesses that raced with none. */
static void show(struct rd_loop *l, uint32_t yields) {
    enum { ROUNDS = 4 };
    struct rd_channel *c = l->channel;
    for (uint32_t i = 0; i < ROUNDS && l->raced_count && !c->live.stop; i++) {
        uint32_t before = races(l->env.sharing);
        c->execution.sharing = rd_sharing_freeze(l->env.sharing);
        memcpy(rd_channel_prefix(c), l->raced, l->raced_count * sizeof *l->raced);
        c->execution.plan =
            (struct rd_plan){.picker = RD_PICK_FOLLOW, .a = l->raced_count, .ask_always = 1, .yields = yields};
        rd_loop_run_and_detect(l, &c->result.summary.learning);
        l->raced_count = 0;
        if (races(l->env.sharing) != before)
            note(l);
    }
    l->raced_count = 0;
}

void rd_loop_sharing_note_race(struct rd_loop *l) {
    if (!l->env.sharing || races(l->env.sharing) == l->sharing_races)
        return;
    l->sharing_races = races(l->env.sharing);
    note(l);
}

void rd_loop_sharing_show_race(struct rd_loop *l) {
    if (!l->raced_count)
        return;
    show(l, l->draft.plan.yields);
    l->sharing_races = races(l->env.sharing);
}

void rd_loop_sharing_show_learnt(struct rd_loop *l, const struct rd_learnt *learnt) {
    struct rd_channel *c = l->channel;
    RD_CHECK(learnt->count <= RD_LEARN_MAX && (!learnt->count || l->env.sharing));
    if (!learnt->count)
        return;
    for (uint32_t i = 0; i < learnt->count && !c->live.stop; i++) {
        c->execution.sharing = learnt->raced[i].sharing;
        c->execution.plan = plan_to_learn(learnt->raced[i].number);
        __atomic_add_fetch(&c->live.sequence, 1, __ATOMIC_RELAXED);
        l->env.run(l->env.ctx);
        c->result.summary.learning++;
        note(l);
        show(l, 0);
    }
    rd_sharing_advance(l->env.sharing);
    l->sharing_changes = changes(l->env.sharing);
    l->sharing_races = races(l->env.sharing);
    c->execution.sharing = rd_sharing_use(l->env.sharing);
}

bool rd_loop_sharing_is_outdated(const struct rd_loop *l) {
    return l->env.sharing && !rd_search_samples(l->search) && changes(l->env.sharing) != l->sharing_changes;
}

bool rd_loop_sharing_hides_order(const struct rd_loop *l) {
    return l->env.sharing && !rd_config_checks_accesses(&l->channel->config) &&
           changes(l->env.sharing) != l->sharing_changes;
}

bool rd_loop_sharing_needs_restart(struct rd_loop *l) {
    struct rd_sharing *s = l->env.sharing;
    struct rd_summary *u = &l->channel->result.summary;
    if (!s || changes(s) == l->sharing_changes)
        return false;
    /* all workers of a team must have the same version */
    if (!rd_search_samples(l->search) || u->executions < SAMPLES_FEW || l->env.team)
        return !rd_loop_check_end(l);
    l->sharing_changes = changes(s);
    rd_sharing_advance(s);
    return false;
}

void rd_loop_sharing_reset_counters(struct rd_loop *l) {
    struct rd_summary *s = &l->channel->result.summary, before = *s;
    RD_CHECK(l->env.sharing && !l->env.team);
    struct rd_summary empty = {.found_count = before.found_count,
                               .findings = before.findings,
                               .unstored = before.unstored,
                               .store_used = before.store_used,
                               .tracks_used = before.tracks_used,
                               .learning = before.learning + before.executions + before.cut,
                               .restarts = before.restarts + 1,
                               .earlier = before.earlier || before.executions,
                               .unseen = before.unseen &
                                         ~(uint32_t)RD_UNSEEN_FAILURE, /* of executions that are run again */
                               .cpu_ns_min = before.cpu_ns_min};
    memcpy(empty.no_snapshot, before.no_snapshot, sizeof empty.no_snapshot);
    for (uint32_t i = 0; i < before.found_count; i++) /* the executions that showed it count no more */
        l->channel->result.found[i].count = 0;
    *s = empty;
    rd_sharing_advance(l->env.sharing);
}
