/*
 * loop_team.c - the loop of a worker in a team. The first worker (seat 0) begins the search and runs the first
 * execution twice, as it would alone. Then it lets the other workers in. The budget of time counts from the moment
 * at which the first worker began.
 *
 * The first worker runs one more execution, the *common* one, and puts its hash into the hub. Every other worker
 * runs it before it takes its seat. If its hash is another one, the program did not come to its first thread in the
 * same state in both processes, so results of one worker would not hold for the other. Common executions are not
 * counted.
 */
#include "explore/budget.h"
#include "explore/resume.h"

#include "base/text.h"

/* A worker computes the number of executions that the budget leaves to the team once in so many plans. */
enum { LEFT_EVERY = 16 };

/* Runs the common execution and returns its hash. */
static uint64_t common_run(struct rd_loop *l) {
    struct rd_channel *c = l->channel;
    const struct rd_outcome *o = &c->execution.outcome;
    c->execution.plan = (struct rd_plan){.picker = RD_PICK_STAY};
    __atomic_add_fetch(&c->live.sequence, 1, __ATOMIC_RELAXED);
    l->env.run(l->env.ctx);
    RD_CHECK(o->steps <= c->steps_max);
    uint64_t h = rd_hash2(rd_hash2(o->verdict, o->steps), o->class_hash[0]);
    const struct rd_step *steps = rd_channel_record(c).steps;
    for (uint32_t i = 0; i < o->steps; i++) {
        h = rd_hash2(h, rd_hash2(steps[i].place, steps[i].pc));
        h = rd_hash2(h, (uint64_t)steps[i].fp << 32 | (uint64_t)steps[i].tid << 8 | steps[i].op);
    }
    return h;
}

/* Ends the search of this worker: its common execution was not the one of the first worker. */
static void refuse_common_run(struct rd_loop *l) {
    struct rd_summary *s = &l->channel->result.summary;
    s->end = RD_END_TROUBLE;
    s->trouble = RD_REFUSED;
    rd_text_copy(s->message, sizeof s->message, "the program does not run in every process as in the first");
}

void rd_loop_team_join(struct rd_loop *l, struct rd_params *params) {
    struct rd_team *t = l->env.team;
    if (!l->started_ns) /* a search that begins again keeps its time */
        l->started_ns = l->env.now_ns(l->env.ctx);
    rd_budget_begin(l->channel, l->started_ns);
    if (!t)
        return;
    RD_CHECK(t->me < RD_TEAM_MAX && l->turn == RD_TURN_NEXT);
    t->search = l->search;
    params->team = t;
    if (t->me) {
        l->started_ns = t->hub->started_ns;
        rd_budget_begin(l->channel, l->started_ns);
    } else {
        t->hub->started_ns = l->started_ns;
        t->hub->tickets_max = l->channel->config.executions_max;
    }
    if (t->me && common_run(l) != t->hub->run)
        refuse_common_run(l);
    else if (!rd_team_join(t))
        l->channel->result.summary.end = RD_END_STOPPED; /* the search of the team is over already */
}

/* Returns how many executions the whole team can still run, like rd_budget_left; 0: any number. */
static uint64_t left_to_team(const struct rd_loop *l) {
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

enum rd_next rd_loop_team_next(struct rd_loop *l, struct rd_draft *d) {
    struct rd_team *t = l->env.team;
    enum rd_next next;
    if (!t)
        return l->search->next(l->state, d);
    RD_CHECK(t->search == l->search);
    t->state = l->state;
    if (l->plans_asked++ % LEFT_EVERY == 0)
        l->team_left = left_to_team(l);
    d->left = l->team_left;
    if (l->channel->result.summary.classes_logged > RD_CLASSES_LOGGED) {
        /* the log of classes is full, so the driver could not count them */
        l->channel->result.summary.end = RD_END_MEMORY;
        return RD_NEXT_DONE;
    }
    while ((next = rd_team_next(t, d)) == RD_NEXT_WAIT) {
        rd_resume_mark(l, RD_PHASE_WAIT);
        rd_team_wait(t);
        rd_resume_mark(l, RD_PHASE_SEARCH);
        if (rd_loop_check_end(l))
            return RD_NEXT_DONE;
    }
    uint32_t over = __atomic_load_n(&t->hub->over, __ATOMIC_ACQUIRE);
    if (next == RD_NEXT_DONE && over != RD_OVER_DONE)
        l->channel->result.summary.end = over == RD_OVER_SPENT ? RD_END_BUDGET : RD_END_STOPPED;
    return next;
}

/* Have as many workers taken a seat as the first worker waits for? */
static bool all_have_joined(struct rd_team *t) {
    uint32_t n = 0;
    t->seen = __atomic_load_n(&t->hub->event, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < RD_TEAM_MAX; i++)
        n += __atomic_load_n(&t->hub->seat[i].state, __ATOMIC_RELAXED) != RD_SEAT_EMPTY;
    return n >= t->hub->wait_for;
}

void rd_loop_team_count(struct rd_loop *l) {
    struct rd_team *t = l->env.team;
    if (!t)
        return;
    rd_team_ran(t);
    if (t->me || t->hub->open || !__atomic_load_n(&t->hub->wanted, __ATOMIC_RELAXED) || rd_loop_check_end(l))
        return;
    t->hub->run = common_run(l); /* the other workers compare theirs with it */
    __atomic_store_n(&t->hub->open, 1, __ATOMIC_RELEASE);
    while (t->hub->wait_for && !all_have_joined(t) && !t->hub->over && !rd_loop_check_end(l))
        rd_team_wait(t);
}

uint64_t rd_loop_team_number(const struct rd_loop *l) {
    return l->env.team ? rd_team_count(l->env.team) + 1 : l->channel->result.summary.executions;
}

bool rd_loop_team_is_first(struct rd_loop *l, uint64_t key) {
    return !l->env.team || rd_team_first(l->env.team, key);
}

void rd_loop_team_leave(struct rd_loop *l) {
    struct rd_team *t = l->env.team;
    if (!t || t->hub->seat[t->me].state == RD_SEAT_EMPTY)
        return;
    t->state = l->state;
    rd_team_leave(t);
    struct rd_summary *s = &l->channel->result.summary;
    s->elapsed_ns = l->env.now_ns(l->env.ctx) - l->started_ns;
    s->idle_ns = t->hub->seat[t->me].idle_ns;
    if (rd_team_done(t) && (s->end == RD_END_BUDGET || s->end == RD_END_STOPPED))
        s->end = RD_END_COMPLETE; /* nothing was left to run when the time ended */
}
