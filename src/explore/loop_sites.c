/* loop_sites.c - executions with code switched off (sites.h), and what is done when they are not what they seem. */
#include "explore/loop.h"

/*
 * Code that is switched off may hide a loop that waits for another thread. With all of it on, and a yield now and
 * then, it ends, or it is a hang indeed.
 */
static void watch_hang(struct rd_loop *l) {
    struct rd_channel *c = l->channel;
    c->execution.plan.access_points =
        rd_accesses_after(c->execution.plan.access_points) ? RD_ACCESSES_AFTER : RD_ACCESSES_TRACKED;
    __atomic_add_fetch(&c->live.sequence, 1, __ATOMIC_RELAXED);
    l->env.run(l->env.ctx);
    c->result.summary.unwatched++;
    l->sites.given_up = true;
    l->deceived = true;
    if (c->execution.outcome.verdict != RD_FOUND && c->execution.outcome.verdict != RD_REFUSED &&
        c->execution.outcome.verdict != RD_GIVEN_UP)
        c->execution.outcome.verdict = RD_CUT;
}

/* A selective execution, when it is due, once more with everything on. */
static void watch_again(struct rd_loop *l) {
    struct rd_channel *c = l->channel;
    bool found = c->execution.outcome.verdict == RD_FOUND;
    if (!rd_sites_due(&l->sites) && !found)
        return;
    c->result.summary.selective_checked++;
    c->execution.plan.sites_on = 1;
    __atomic_add_fetch(&c->live.sequence, 1, __ATOMIC_RELAXED);
    l->env.run(l->env.ctx);
    c->execution.plan.sites_on = 0;
}

bool rd_loop_watch_sites(struct rd_loop *l) {
    struct rd_channel *c = l->channel;
    struct rd_outcome *o = &c->execution.outcome;
    struct rd_summary *s = &c->result.summary;
    struct rd_profile *p = rd_channel_profile(c);
    uint32_t off, verdict = o->verdict;
    l->deceived = false;
    rd_sites_ran(&l->sites, &c->execution.plan, o->passed);
    if (!rd_accesses_selective(c->execution.plan.access_points))
        return true;
    s->selective++;
    rd_sites_count(p, &off, &s->sites_fixed);
    s->sites_off = RD_MAX(s->sites_off, off);
    if (verdict == RD_FOUND && o->finding.kind == RD_HANG && o->finding.status == RD_HANG_BY_TIME)
        watch_hang(l);
    else if (off || !rd_accesses_after(c->execution.plan.access_points))
        watch_again(l);
    uint32_t missed = rd_sites_learn(p);
    s->sites_missed += missed;
    s->sites_unrepaired += missed && !l->search->hooks.restart_set;
    l->deceived |= missed > 0;
    if (missed && (o->verdict == RD_DIVERGED || (verdict == RD_FOUND && o->verdict != RD_FOUND))) {
        s->unwatched++; /* it goes another way when all is seen: this one cannot be repeated */
        o->verdict = RD_CUT;
    }
    if (o->verdict == RD_DIVERGED || o->verdict == RD_REFUSED)
        rd_loop_trouble(l, s->executions + 1);
    return !rd_loop_stopped(l) && s->end == RD_END_NONE;
}

void rd_loop_repair(struct rd_loop *l) {
    RD_CHECK(l->turn == RD_TURN_FED);
    if (l->deceived && l->search->hooks.restart_set)
        l->search->hooks.restart_set(l->state);
    if (l->sites.given_up)
        l->sites.selective = false;
}
