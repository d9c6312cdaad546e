/*
 * loop_team.c - the loop of one of several workers. The first one begins, and has the program run twice, as it
 * would alone; the others are let in after that. The time of all is that of the first.
 *
 * Before it takes part, each of the others runs one execution that the first one has run, too: where that is not
 * the same, the program did not come to its first thread as it did there, and what one of them finds out is not
 * true of the other. These executions are not counted.
 */
#include "explore/budget.h"
#include "explore/resume.h"

#include "base/text.h"

enum { LEFT_EVERY = 16 }; /* executions after which a worker looks again how much all may run */

/* The hash of an execution that everybody can run. */
static uint64_t common_run(struct rd_loop *l) {
    struct rd_channel *c = l->channel;
    const struct rd_outcome *o = &c->execution.outcome;
    c->execution.plan = (struct rd_plan){.picker = RD_PICK_STAY};
    __atomic_add_fetch(&c->live.sequence, 1, __ATOMIC_RELAXED);
    l->env.run(l->env.ctx);
    uint64_t h = rd_hash2(rd_hash2(o->verdict, o->steps), o->class_hash[0]);
    const struct rd_step *steps = rd_channel_record(c).steps;
    for (uint32_t i = 0; i < o->steps; i++) {
        h = rd_hash2(h, rd_hash2(steps[i].place, steps[i].pc));
        h = rd_hash2(h, (uint64_t)steps[i].fp << 32 | (uint64_t)steps[i].tid << 8 | steps[i].op);
    }
    return h;
}

static void differs(struct rd_loop *l) {
    struct rd_summary *s = &l->channel->result.summary;
    s->end = RD_END_TROUBLE;
    s->trouble = RD_REFUSED;
    rd_text_copy(s->message, sizeof s->message, "the program does not run in every process as in the first");
}

void rd_loop_join(struct rd_loop *l, struct rd_params *params) {
    struct rd_team *t = l->env.team;
    if (!l->started) /* else it begins again */
        l->started = l->env.now_ns(l->env.ctx);
    rd_budget_begin(l->channel, l->started);
    if (!t)
        return;
    t->search = l->search;
    params->team = t;
    if (t->me) {
        l->started = t->hub->started_ns;
        rd_budget_begin(l->channel, l->started);
    } else {
        t->hub->started_ns = l->started;
        t->hub->tickets_max = l->channel->config.executions_max;
    }
    if (t->me && common_run(l) != t->hub->run)
        differs(l);
    else if (!rd_team_join(t))
        l->channel->result.summary.end = RD_END_STOPPED; /* it came too late */
}

/* How many executions all of them together can still run, as rd_budget_left of one; 0: any number. */
static uint64_t left_to_all(const struct rd_loop *l) {
    const struct rd_team *t = l->env.team;
    const struct rd_config *c = &l->channel->config;
    uint64_t time_max_ns = l->channel->live.time_max_ns;
    uint64_t now = l->channel->result.summary.elapsed_ns, done = rd_team_count(t), count = 0, time = 0;
    if (c->executions_max > done)
        count = c->executions_max - done;
    if (time_max_ns > now && done && now)
        time = 1 + (uint64_t)((double)(time_max_ns - now) * (double)done / (double)now);
    return count && time ? RD_MIN(count, time) : RD_MAX(count, time);
}

enum rd_next rd_loop_ask(struct rd_loop *l, struct rd_draft *d) {
    struct rd_team *t = l->env.team;
    enum rd_next next;
    if (!t)
        return l->search->next(l->state, d);
    t->state = l->state;
    if (l->asked++ % LEFT_EVERY == 0)
        l->left = left_to_all(l);
    d->left = l->left;
    if (l->channel->result.summary.classes_logged > RD_CLASSES_LOGGED) {
        l->channel->result.summary.end = RD_END_MEMORY; /* their number could not be told */
        return RD_NEXT_DONE;
    }
    while ((next = rd_team_next(t, d)) == RD_NEXT_WAIT) {
        rd_resume_mark(l, RD_PHASE_WAIT);
        rd_team_wait(t);
        rd_resume_mark(l, RD_PHASE_SEARCH);
        if (rd_loop_over(l))
            return RD_NEXT_DONE;
    }
    uint32_t over = __atomic_load_n(&t->hub->over, __ATOMIC_ACQUIRE);
    if (next == RD_NEXT_DONE && over != RD_OVER_DONE)
        l->channel->result.summary.end = over == RD_OVER_SPENT ? RD_END_BUDGET : RD_END_STOPPED;
    return next;
}

/* Have all workers come that are to be waited for? */
static bool all_there(struct rd_team *t) {
    uint32_t n = 0;
    t->seen = __atomic_load_n(&t->hub->event, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < RD_TEAM_MAX; i++)
        n += __atomic_load_n(&t->hub->seat[i].state, __ATOMIC_RELAXED) != RD_SEAT_EMPTY;
    return n >= t->hub->wait_for;
}

void rd_loop_ran(struct rd_loop *l) {
    struct rd_team *t = l->env.team;
    if (!t)
        return;
    rd_team_ran(t);
    if (t->me || t->hub->open || !__atomic_load_n(&t->hub->wanted, __ATOMIC_RELAXED) || rd_loop_over(l))
        return;
    t->hub->run = common_run(l);
    __atomic_store_n(&t->hub->open, 1, __ATOMIC_RELEASE);
    while (t->hub->wait_for && !all_there(t) && !t->hub->over && !rd_loop_over(l))
        rd_team_wait(t);
}

uint64_t rd_loop_number(const struct rd_loop *l) {
    return l->env.team ? rd_team_count(l->env.team) + 1 : l->channel->result.summary.executions;
}

bool rd_loop_first(struct rd_loop *l, uint64_t key) { return !l->env.team || rd_team_first(l->env.team, key); }

void rd_loop_leave(struct rd_loop *l) {
    struct rd_team *t = l->env.team;
    if (!t || t->hub->seat[t->me].state == RD_SEAT_EMPTY)
        return;
    t->state = l->state;
    rd_team_leave(t);
    struct rd_summary *s = &l->channel->result.summary;
    s->elapsed_ns = l->env.now_ns(l->env.ctx) - l->started;
    s->idle_ns = t->hub->seat[t->me].idle_ns;
    if (rd_team_done(t) && (s->end == RD_END_BUDGET || s->end == RD_END_STOPPED))
        s->end = RD_END_COMPLETE; /* it was over already when the time was */
}
