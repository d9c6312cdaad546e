/*
 * off_plan.c - an execution that did not follow its plan. Of a program that is closed that is the end: it is not
 * deterministic, and nothing that is recorded can be replayed. What is known to depend on what comes from outside
 * may go another way. Such a run counts as cut; there was nothing to prove before either.
 */
#include "explore/loop.h"

bool rd_loop_goes_on(struct rd_loop *l) {
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
