/*
 * loop_sites.c - executions with hooks switched off (sites.h), and how the loop notices accesses that this has
 * hidden.
 */
#include "explore/loop.h"

static void run_again(struct rd_loop *l) {
    struct rd_channel *c = l->channel;
    __atomic_add_fetch(&c->live.sequence, 1, __ATOMIC_RELAXED);
    l->env.run(l->env.ctx);
}

/*
 * Runs a selective execution that hung again, without switching hooks off: code without hooks may have hidden a
 * loop that waits for another thread. With all hooks on, and a yield now and then, either that loop ends or the
 * hang is real. No hooks are switched off from then on.
 */
static void repeat_hang(struct rd_loop *l) {
    struct rd_channel *c = l->channel;
    struct rd_outcome *o = &c->execution.outcome;
    c->execution.plan.access_points =
        rd_accesses_after(c->execution.plan.access_points) ? RD_ACCESSES_AFTER : RD_ACCESSES_TRACKED;
    run_again(l);
    c->result.summary.unwatched++;
    l->sites.given_up = true;
    l->restart_set_due = true;
    if (o->verdict != RD_FOUND && o->verdict != RD_REFUSED && o->verdict != RD_GIVEN_UP)
        o->verdict = RD_CUT;
}

/* Repeats a selective execution under the same plan with all hooks on, if a check is due or it shows a finding. */
static void repeat_with_all_hooks(struct rd_loop *l) {
    struct rd_channel *c = l->channel;
    bool found = c->execution.outcome.verdict == RD_FOUND;
    if (!rd_sites_check_is_due(&l->sites) && !found)
        return;
    c->result.summary.selective_checked++;
    c->execution.plan.sites_on = 1;
    run_again(l);
    c->execution.plan.sites_on = 0;
}

bool rd_loop_sites_check(struct rd_loop *l) {
    struct rd_channel *c = l->channel;
    struct rd_outcome *o = &c->execution.outcome;
    struct rd_summary *s = &c->result.summary;
    struct rd_profile *p = rd_channel_profile(c);
    uint32_t off, verdict = o->verdict;
    RD_CHECK(l->turn == RD_TURN_PLANNED);
    l->restart_set_due = false;
    rd_sites_note_accesses(&l->sites, &c->execution.plan, o->passed);
    if (!rd_accesses_selective(c->execution.plan.access_points))
        return true;
    RD_CHECK(l->sites.selective);
    s->selective++;
    rd_sites_count(p, &off, &s->sites_fixed);
    s->sites_off = RD_MAX(s->sites_off, off);
    if (verdict == RD_FOUND && o->finding.kind == RD_HANG && o->finding.status == RD_HANG_BY_TIME)
        repeat_hang(l);
    else if (off || !rd_accesses_after(c->execution.plan.access_points))
        repeat_with_all_hooks(l);
    uint32_t missed = rd_sites_learn(p);
    s->sites_missed += missed;
    s->sites_unrepaired += missed && !l->search->hooks.restart_set;
    l->restart_set_due |= missed > 0;
    if (missed && (o->verdict == RD_DIVERGED || (verdict == RD_FOUND && o->verdict != RD_FOUND))) {
        /* with all hooks on the plan leads elsewhere, so the execution cannot be repeated: it counts as cut */
        s->unwatched++;
        o->verdict = RD_CUT;
    }
    if (o->verdict == RD_DIVERGED || o->verdict == RD_REFUSED)
        rd_loop_set_trouble(l, s->executions + 1);
    return !rd_loop_check_given_up(l) && s->end == RD_END_NONE;
}

void rd_loop_sites_restart_set(struct rd_loop *l) {
    RD_CHECK(l->turn == RD_TURN_FED);
    if (l->restart_set_due && l->search->hooks.restart_set)
        l->search->hooks.restart_set(l->state);
    if (l->sites.given_up)
        l->sites.selective = false;
}
