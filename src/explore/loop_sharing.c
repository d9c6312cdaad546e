/*
 * loop_sharing.c - searches whose points are the accesses to memory that threads share (trace/sharing.h). What is
 * shared is learned from executions. A few are run before the search, and not counted: they show nearly all of it.
 * When the search itself shows more, what it has explored so far does not count any more, and it begins again with
 * more points. What it has found stays: a finding knows which version its schedule is of.
 *
 * An execution of those before the search may fail. The search will meet that failure, too, and then tells it with
 * a schedule of its own. If it does not, the first such failure is told when it is over.
 *
 * A sampler proves nothing. After its first executions it goes on with more points instead of beginning again, if
 * it is alone.
 */
#include "explore/loop.h"

#include <string.h>

enum {
    CALM = 2,          /* executions in a row that show nothing new end the learning */
    LEARN_MOST = 40,   /* executions to learn from */
    LEARN_PART = 10,   /* of the time, one part in so many */
    SAMPLES_FEW = 100, /* a sampler begins again when it has not made more executions than this */
};

static uint32_t changes(const struct rd_sharing *s) { return __atomic_load_n(&s->changes, __ATOMIC_ACQUIRE); }

/* Keeps the finding of the execution in the channel, if it is the first. */
static void keep_learned(struct rd_channel *c) {
    const struct rd_outcome *o = &c->execution.outcome;
    struct rd_summary *s = &c->result.summary;
    if (o->verdict != RD_FOUND || c->result.learned.count || o->steps > c->store_max)
        return;
    c->result.learned = (struct rd_found){.finding = o->finding,
                                          .execution = 1,
                                          .store = s->store_used,
                                          .sharing = o->started ? c->execution.sharing : (struct rd_sharing_use){0},
                                          .steps = o->steps,
                                          .preemptions = o->preemptions,
                                          .threads = o->threads,
                                          .heap_known = o->known_count != 0,
                                          .count = 1};
    memcpy(rd_channel_store(c) + s->store_used, rd_channel_record(c).steps, o->steps * sizeof(struct rd_step));
    s->store_used += o->steps;
}

bool rd_loop_hung(const struct rd_channel *c) {
    return c->result.learned.count && c->result.learned.finding.kind == RD_HANG && !c->config.keep_going;
}

bool rd_loop_recall(struct rd_loop *l) {
    struct rd_channel *c = l->channel;
    struct rd_summary *s = &c->result.summary;
    bool known = rd_map_get(&l->findings, c->result.learned.finding.key) != NULL;
    bool beyond = s->end == RD_END_COMPLETE && !s->claim.complete; /* of the bound that the search was given */
    if (!c->result.learned.count || known || beyond || s->end == RD_END_TROUBLE || s->found_count == RD_FOUND_MAX)
        return false;
    if (s->findings && !c->config.keep_going)
        return false;
    c->result.found[s->found_count++] = c->result.learned;
    s->findings++;
    s->recalled = 1;
    if (!s->executions) { /* nothing else is to be told */
        s->executions = 1;
        s->steps = c->result.learned.steps;
    }
    s->threads_max = RD_MAX(s->threads_max, c->result.learned.threads);
    if (!c->config.keep_going)
        s->end = RD_END_FOUND;
    return true;
}

/* The next execution that shows what threads share: one thread after the other, then in random turns. */
static bool run_to_learn(struct rd_channel *c, const struct rd_loop_env *env, uint64_t number) {
    const struct rd_outcome *o = &c->execution.outcome;
    c->execution.sharing = rd_sharing_use(env->sharing);
    c->execution.plan = (struct rd_plan){.picker = number ? RD_PICK_RANDOM : RD_PICK_STAY, .seed = number};
    __atomic_add_fetch(&c->live.sequence, 1, __ATOMIC_RELAXED);
    env->run(env->ctx);
    c->result.summary.learning++;
    keep_learned(c);
    bool ended = o->verdict == RD_PASSED || (o->verdict == RD_CUT && !o->limited) || o->verdict == RD_DROPPED ||
                 (o->verdict == RD_FOUND && o->finding.kind != RD_HANG);
    return ended && o->started && !__atomic_load_n(&c->live.stop, __ATOMIC_RELAXED);
}

bool rd_loop_learn(struct rd_channel *c, const struct rd_loop_env *env) {
    struct rd_sharing *s = env->sharing;
    uint64_t begun = env->now_ns(env->ctx), most = c->config.time_max_ns / LEARN_PART;
    c->execution.sharing = (struct rd_sharing_use){0};
    if (!s)
        return true;
    for (uint64_t n = 0, calm = 0; n < LEARN_MOST && calm < CALM && rd_sharing_use(s).version; n++) {
        uint32_t before = changes(s);
        bool goes_on = run_to_learn(c, env, n);
        calm = changes(s) == before ? calm + 1 : 0;
        rd_sharing_advance(s);
        if (!goes_on || (most && env->now_ns(env->ctx) - begun > most))
            break;
    }
    c->execution.sharing = rd_sharing_use(s);
    return !c->result.summary.learning || c->execution.outcome.verdict != RD_REFUSED;
}

bool rd_loop_stale(const struct rd_loop *l) {
    return l->env.sharing && !rd_search_samples(l->search) && changes(l->env.sharing) != l->sharing_changes;
}

bool rd_loop_restarts(struct rd_loop *l) {
    struct rd_sharing *s = l->env.sharing;
    struct rd_summary *u = &l->channel->result.summary;
    if (!s || changes(s) == l->sharing_changes)
        return false;
    if (!rd_search_samples(l->search) || u->executions < SAMPLES_FEW ||
        l->env.team) /* all workers have the same version */
        return !rd_loop_over(l);
    l->sharing_changes = changes(s);
    rd_sharing_advance(s);
    return false;
}

void rd_loop_forget(struct rd_loop *l) {
    struct rd_summary *s = &l->channel->result.summary, before = *s;
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
