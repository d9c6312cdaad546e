/*
 * shared_tree_estimate.c - the estimate of the number of executions, from the shared tree and the stack of one
 * worker.
 */
#include "search/por/shared_tree.h"

/* Returns the alternatives of the shared node that are begun or due, without the one that this worker explores. */
static uint32_t others_at(const struct rd_dpor *d, const struct rd_shared_tree_node *x) {
    const struct rd_node *n = &x->node;
    RD_CHECK(x->active > 0);
    uint32_t left = x->active - 1;
    if (n->value)
        return left + n->count - n->tried;
    if (d->optimal)
        return left + (n->extra != NULL);
    for (uint32_t i = 0; i < n->count; i++)
        left += rd_tid_set_has(&n->todo, x->cand[i]) && !rd_tid_set_has(&n->done, x->cand[i]) &&
                !rd_tid_set_has(&n->sleep, x->cand[i]);
    return left;
}

static double estimate(const struct rd_dpor *d) {
    struct rd_shared_tree *g = rd_shared_tree_of(d);
    if (!d->holds || d->stack.executions < 2 * d->grew)
        return 0;
    double count = rd_node_stack_estimate_from(&d->stack, d->base);
    rd_team_lock(d->team);
    bool known = g->generation == d->generation && rd_team_count(d->team) >= 2 * g->grew;
    for (uint32_t i = d->base; known && i-- > 0;) {
        const struct rd_shared_tree_node *x = d->above.at[i];
        count += (double)x->node.below;
        count += others_at(d, x) * count / (1 + x->node.explored);
    }
    rd_team_unlock(d->team);
    return known ? count : 0;
}

void rd_shared_tree_claim(const struct rd_dpor *d, struct rd_claim *c) {
    double all = estimate(d), done = (double)rd_team_count(d->team);
    if (all <= 0)
        return;
    c->estimate = RD_MAX(all, done);
    c->done = d->team->me ? 0 : done / c->estimate; /* the first worker tells it for the team */
    c->or_more = 1;
}
