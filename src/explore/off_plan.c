/*
 * off_plan.c - executions that did not follow their plan. A program that takes no input from outside is then not
 * deterministic, no recorded schedule can be replayed, and the search ends. A program that is known to depend on
 * input from outside, or on a child process, may take another course: the search goes on, if it can, and the
 * execution counts as cut. No claim is lost, because the claim about such a program is void in any case.
 */
#include "explore/loop.h"

bool rd_loop_accept_divergence(struct rd_loop *l) {
    struct rd_summary *s = &l->channel->result.summary;
    const struct rd_outcome *o = &l->channel->execution.outcome;
    bool outside = s->waited_outside || s->children || o->waited_outside || o->children;
    if (o->verdict != RD_DIVERGED || !outside || !l->search->hooks.diverged)
        return false;
    RD_CHECK(l->turn == RD_TURN_PLANNED);
    l->search->hooks.diverged(l->state);
    l->turn = RD_TURN_NEXT;
    s->end = RD_END_NONE;
    s->cut++;
    return true;
}
