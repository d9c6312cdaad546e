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

#include <string.h>

enum {
    LEARN_QUIET = 2,   /* learning ends after so many executions in a row without a change of the table */
    LEARN_MAX = 40,    /* the most executions before the search */
    LEARN_PART = 10,   /* learning uses at most this part of the time: a tenth */
    SAMPLES_FEW = 100, /* a sampler with fewer executions than this begins again */
};

/* Counts the changes of the table that void the claims of earlier executions. */
static uint32_t changes(const struct rd_sharing *s) { return __atomic_load_n(&s->changes, __ATOMIC_ACQUIRE); }

/* Keeps the finding of an execution before the search, if it is the first and there is room for its schedule. */
static void keep_early_failure(struct rd_channel *c) {
    const struct rd_outcome *o = &c->execution.outcome;
    struct rd_summary *s = &c->result.summary;
    if (o->verdict != RD_FOUND || c->result.early_failure.count || o->steps > c->store_max)
        return;
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
    memcpy(rd_channel_store(c) + s->store_used, rd_channel_record(c).steps, o->steps * sizeof(struct rd_step));
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
    if (!c->config.keep_going)
        s->end = RD_END_FOUND;
    return true;
}

/*
 * Runs one execution before the search: the first without preemptions, any other at random. Returns false if more
 * of them would be of no use.
 */
static bool run_to_learn(struct rd_channel *c, const struct rd_loop_env *env, uint64_t number) {
    const struct rd_outcome *o = &c->execution.outcome;
    c->execution.sharing = rd_sharing_use(env->sharing);
    c->execution.plan = (struct rd_plan){.picker = number ? RD_PICK_RANDOM : RD_PICK_STAY, .seed = number};
    __atomic_add_fetch(&c->live.sequence, 1, __ATOMIC_RELAXED);
    env->run(env->ctx);
    c->result.summary.learning++;
    keep_early_failure(c);
    bool ended = o->verdict == RD_PASSED || (o->verdict == RD_CUT && !o->limited) || o->verdict == RD_DROPPED ||
                 (o->verdict == RD_FOUND && o->finding.kind != RD_HANG);
    return ended && o->started && !__atomic_load_n(&c->live.stop, __ATOMIC_RELAXED);
}

bool rd_loop_sharing_learn(struct rd_channel *c, const struct rd_loop_env *env) {
    struct rd_sharing *s = env->sharing;
    uint64_t begun_ns = env->now_ns(env->ctx), time_max_ns = c->config.time_max_ns / LEARN_PART;
    c->execution.sharing = (struct rd_sharing_use){0};
    if (!s)
        return true;
    RD_CHECK(c->result.summary.executions == 0 && c->result.summary.learning == 0);
    for (uint64_t n = 0, quiet = 0; n < LEARN_MAX && quiet < LEARN_QUIET && rd_sharing_use(s).version; n++) {
        uint32_t before = changes(s);
        bool goes_on = run_to_learn(c, env, n);
        quiet = changes(s) == before ? quiet + 1 : 0;
        rd_sharing_advance(s);
        if (!goes_on || (time_max_ns && env->now_ns(env->ctx) - begun_ns > time_max_ns))
            break;
    }
    c->execution.sharing = rd_sharing_use(s);
    return !c->result.summary.learning || c->execution.outcome.verdict != RD_REFUSED;
}

bool rd_loop_sharing_is_outdated(const struct rd_loop *l) {
    return l->env.sharing && !rd_search_samples(l->search) && changes(l->env.sharing) != l->sharing_changes;
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
                               .unseen = before.unseen,
                               .cpu_ns_min = before.cpu_ns_min};
    memcpy(empty.no_snapshot, before.no_snapshot, sizeof empty.no_snapshot);
    *s = empty;
    rd_sharing_advance(l->env.sharing);
}
