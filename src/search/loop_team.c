/*
 * loop_team.c - the loop of one of several workers. The first one begins, and has the program run twice, as it would
 * alone; the others are let in after that. The time of all is that of the first.
 */
#include "search/loop.h"

void rd_loop_join(struct rd_loop *l, struct rd_params *params) {
    struct rd_team *t = l->env.team;
    l->started = l->env.now_ns(l->env.ctx);
    if (!t)
        return;
    t->search = l->search;
    params->team = t;
    if (t->me) {
        l->started = t->hub->started_ns;
    } else {
        t->hub->started_ns = l->started;
        t->hub->tickets_max = l->channel->config.executions_max;
    }
    if (!rd_team_join(t))
        l->channel->summary.end = RD_END_STOPPED; /* it came too late */
}

enum rd_next rd_loop_ask(struct rd_loop *l, struct rd_draft *d) {
    struct rd_team *t = l->env.team;
    enum rd_next next;
    if (!t)
        return l->search->next(l->state, d);
    t->state = l->state;
    while ((next = rd_team_next(t, d)) == RD_NEXT_WAIT) {
        rd_team_wait(t);
        if (rd_loop_over(l))
            return RD_NEXT_DONE;
    }
    uint32_t over = __atomic_load_n(&t->hub->over, __ATOMIC_ACQUIRE);
    if (next == RD_NEXT_DONE && over != RD_OVER_DONE)
        l->channel->summary.end = over == RD_OVER_SPENT ? RD_END_BUDGET : RD_END_STOPPED;
    return next;
}

void rd_loop_ran(struct rd_loop *l) {
    struct rd_team *t = l->env.team;
    if (!t)
        return;
    rd_team_ran(t);
    if (!t->me && !t->hub->open)
        __atomic_store_n(&t->hub->open, 1, __ATOMIC_RELEASE);
}

uint64_t rd_loop_number(const struct rd_loop *l) {
    return l->env.team ? rd_team_count(l->env.team) + 1 : l->channel->summary.executions;
}

void rd_loop_leave(struct rd_loop *l) {
    struct rd_team *t = l->env.team;
    if (!t || t->hub->seat[t->me].state == RD_SEAT_EMPTY)
        return;
    t->state = l->state;
    rd_team_leave(t);
    struct rd_summary *s = &l->channel->summary;
    s->elapsed_ns = l->env.now_ns(l->env.ctx) - l->started;
    if (rd_team_done(t) && (s->end == RD_END_BUDGET || s->end == RD_END_STOPPED))
        s->end = RD_END_COMPLETE; /* it was over already when the time was */
}
