/*
 * loop.c - see loop.h. The first schedule is run twice, the second time with everything compared: a program that
 * is not deterministic is told so before anything is claimed. That second run is not counted.
 */
#include "search/loop.h"

#include "base/text.h"

#include <string.h>

static void trouble(struct rd_loop *l, uint64_t execution) {
    struct rd_summary *s = &l->channel->summary;
    const struct rd_outcome *o = &l->channel->outcome;
    s->end = RD_END_TROUBLE;
    s->trouble = o->verdict;
    s->divergence = o->divergence;
    s->divergence_execution = execution;
    rd_text_copy(s->message, sizeof s->message, o->message);
}

static void count(struct rd_loop *l) {
    struct rd_summary *s = &l->channel->summary;
    const struct rd_outcome *o = &l->channel->outcome;
    s->executions++;
    s->steps += o->steps;
    s->points += o->points;
    s->fair_tails += o->fair_tail;
    s->fairness += o->fairness;
    s->waited_outside += o->waited_outside;
    s->children += o->children;
    s->threads_max = RD_MAX(s->threads_max, o->alive_max);
    s->steps_high = RD_MAX(s->steps_high, o->steps);
    s->preemptions_max = RD_MAX(s->preemptions_max, o->preemptions);
    uint64_t *seen = rd_map_put(&l->orders, l->arena, o->order[0] ^ rd_mix(o->order[1]));
    if (!*seen) {
        *seen = 1;
        s->orders++;
    }
}

/* Keeps a new finding with its schedule; one that is known already is only counted. */
static void keep_finding(struct rd_loop *l, const struct rd_finding *finding) {
    struct rd_channel *c = l->channel;
    struct rd_summary *s = &c->summary;
    const struct rd_outcome *o = &c->outcome;
    s->findings++;
    uint64_t *known = rd_map_put(&l->findings, l->arena, finding->key);
    if (*known) {
        c->found[*known - 1].count++;
        return;
    }
    if (s->found_count == RD_FOUND_MAX || s->store_used + o->steps > c->store_max) {
        s->unstored++;
        return;
    }
    struct rd_found *f = &c->found[s->found_count];
    *f = (struct rd_found){.finding = *finding,
                           .execution = s->executions,
                           .store = s->store_used,
                           .steps = o->steps,
                           .preemptions = o->preemptions,
                           .threads = o->threads,
                           .count = 1};
    memcpy(rd_channel_store(c) + f->store, rd_channel_record(c).steps, o->steps * sizeof(struct rd_step));
    s->store_used += o->steps;
    *known = ++s->found_count;
}

/* What the search reads in an execution that could have gone wrong, and did not. */
static void predict(struct rd_loop *l, const struct rd_record *r) {
    struct rd_finding f;
    while (l->search->predict && (l->channel->outcome.verdict != RD_FOUND || l->channel->config.keep_going) &&
           l->search->predict(l->state, r, &f))
        keep_finding(l, &f);
}

/* True when the search must stop here. */
static bool over(struct rd_loop *l, uint64_t started) {
    struct rd_channel *c = l->channel;
    struct rd_summary *s = &c->summary;
    s->elapsed_ns = l->env.now_ns(l->env.ctx) - started;
    if (__atomic_load_n(&c->stop, __ATOMIC_RELAXED))
        s->end = RD_END_STOPPED;
    else if (s->findings && !c->config.keep_going)
        s->end = RD_END_FOUND;
    else if (c->config.executions_max && s->executions >= c->config.executions_max)
        s->end = RD_END_BUDGET;
    else if (c->config.time_max_ns && s->elapsed_ns >= c->config.time_max_ns)
        s->end = RD_END_BUDGET;
    return s->end != RD_END_NONE;
}

/* `execution` is its number, for the report when there is trouble. */
static bool run_one(struct rd_loop *l, uint64_t execution) {
    struct rd_channel *c = l->channel;
    struct rd_outcome *o = &c->outcome;
    __atomic_add_fetch(&c->sequence, 1, __ATOMIC_RELAXED);
    l->env.run(l->env.ctx);
    if (o->verdict == RD_DIVERGED || o->verdict == RD_REFUSED) {
        trouble(l, execution);
        return false;
    }
    return true;
}

/* Runs the execution that is in the channel once more, strictly. */
static bool same_again(struct rd_loop *l) {
    struct rd_channel *c = l->channel;
    uint32_t steps = c->outcome.steps;
    /* what comes from outside comes when it comes: that nothing is proved then is said elsewhere */
    if (!c->outcome.started || steps > c->prefix_max || c->outcome.waited_outside)
        return true;
    uint64_t order = c->outcome.order[0];
    rd_channel_choices(rd_channel_prefix(c), rd_channel_record(c).steps, steps);
    c->plan = (struct rd_plan){.prefix_count = steps, .picker = RD_PICK_STAY};
    if (c->outcome.verdict == RD_CUT)
        c->plan.steps_max_cut = steps;
    c->config.strict = 1;
    bool fine = run_one(l, 1);
    c->config.strict = 0;
    if (fine && (c->outcome.steps != steps || c->outcome.order[0] != order)) {
        c->outcome.verdict = RD_DIVERGED;
        c->outcome.divergence = (struct rd_divergence){
            .step = RD_MIN(steps, c->outcome.steps), .why = RD_DIV_EARLY, .tid = RD_TID_NONE};
        trouble(l, 1);
        return false;
    }
    return fine;
}

void rd_loop_run(struct rd_channel *c, struct rd_arena *a, const struct rd_loop_env *env) {
    struct rd_loop l = {.channel = c, .arena = a, .env = *env};
    struct rd_params params = {.seed = c->config.seed};
    char error[128];
    l.search = rd_search_parse(c->config.strategy, &params, error, sizeof error);
    RD_CHECK(l.search != NULL); /* the driver has parsed it before */
    memcpy(params.names, c->config.names, sizeof params.names);
    params.name_count = (uint32_t)RD_MIN(c->config.name_count, (uint64_t)RD_NAMES_MAX);
    l.state = l.search->open(a, &params);
    struct rd_record record = rd_channel_record(c);
    uint64_t started = env->now_ns(env->ctx);

    while (!over(&l, started)) {
        struct rd_draft draft = {
            .prefix = rd_channel_prefix(c), .prefix_max = (uint32_t)c->prefix_max, .sleep = rd_channel_sleep(c)};
        if (l.search->next(l.state, &draft) == RD_NEXT_DONE) {
            c->summary.end = RD_END_COMPLETE;
            break;
        }
        c->plan = draft.plan;
        if (!run_one(&l, c->summary.executions + 1))
            break;
        count(&l);
        l.search->feedback(l.state, &draft.plan, &record);
        bool unthreaded = !c->outcome.started;
        bool found = c->outcome.verdict == RD_FOUND;
        if (found)
            keep_finding(&l, &c->outcome.finding);
        predict(&l, &record);
        if (!found && c->summary.executions == 1 && !same_again(&l))
            break;
        if (unthreaded && c->summary.end == RD_END_NONE) { /* no thread was ever created: one execution is all */
            over(&l, started);
            c->summary.end = c->summary.findings ? RD_END_FOUND : RD_END_COMPLETE;
        }
    }
}
