/* node_stack.c - see node_stack.h. */
#include "search/por/node_stack.h"

#include <string.h>

static bool is_value(unsigned op) { return rd_op_flags(op) & RD_F_VALUE; }

static struct rd_choice choice_of(const struct rd_step *s) {
    struct rd_choice c = {.place = s->place, .pc = s->pc, .fp = s->fp, .op = s->op};
    c.pick = is_value(s->op) ? (uint16_t)s->value : s->tid;
    return c;
}

/*
 * Adds an empty node and returns it, to be filled in place: a node is large, and to copy it would be most of the
 * cost of a push.
 */
static struct rd_node *new_node(struct rd_node_stack *s) {
    if (s->node.count == s->node.room)
        s->node.at = rd_vec_grow(s->arena, s->node.at, s->node.count, &s->node.room, sizeof *s->node.at);
    struct rd_node *n = &s->node.at[s->node.count++];
    memset(n, 0, offsetof(struct rd_node, todo));
    n->todo.words = n->done.words = n->sleep.words = 0;
    return n;
}

static void push(struct rd_node_stack *s, const struct rd_record *r, uint32_t i) {
    const struct rd_step *step = &r->steps[i];
    RD_CHECK(s->node.at || s->node.room == 0);
    struct rd_node *n = new_node(s);
    const struct rd_node *up = s->node.count > 1 ? n - 1 : NULL;
    n->choice = choice_of(step);
    n->cand = s->pool.count;
    n->count = step->ncand;
    n->tried = 1;
    n->value = is_value(step->op);
    n->forced = step->flags & RD_STEP_FORCED;
    n->could_stay = step->flags & RD_STEP_COULD_STAY;
    n->before = i ? r->steps[i - 1].tid : step->flags & RD_STEP_SWITCH ? RD_TID_NONE : step->tid;
    n->preemptions = up ? up->preemptions + (!up->value && rd_node_cost(up, up->choice.pick)) : 0;
    n->executions_before = s->executions;
    n->first_way = n->choice.pick;
    if (n->value)
        return;
    for (uint32_t k = 0; k < n->count; k++)
        rd_vec_push(s->arena, &s->pool, r->cands[step->cand + k]);
    if (s->bare)
        return;
    rd_tid_set_add(&n->todo, step->tid);
    rd_tid_set_add(&n->done, step->tid);
}

void rd_node_stack_push(struct rd_node_stack *s, const struct rd_record *r) {
    RD_CHECK(r->out->steps >= s->node.count && s->branch <= s->node.count);
    for (uint32_t i = s->branch; i < r->out->steps; i++) {
        if (i >= s->node.count)
            push(s, r, i);
        else
            s->node.at[i].choice = choice_of(&r->steps[i]); /* the step at which another alternative was taken */
    }
    s->executions++;
    RD_CHECK(s->node.count == r->out->steps);
}

bool rd_node_stack_follows(const struct rd_node_stack *s, const struct rd_plan *plan) {
    uint32_t firm = plan->soft ? plan->soft : plan->prefix_count;
    return firm <= s->node.count && s->branch == (firm ? firm - 1 : 0);
}

void rd_node_stack_pop(struct rd_node_stack *s) {
    const struct rd_node *n = rd_node_stack_top(s);
    RD_CHECK(n && n->cand <= s->pool.count);
    s->pool.count = n->cand;
    s->node.count--;
}

void rd_node_stack_finished(struct rd_node_stack *s) {
    struct rd_node *n = rd_node_stack_top(s);
    RD_CHECK(n && n->executions_before <= s->executions);
    n->below += s->executions - n->executions_before;
    n->executions_before = s->executions;
    n->explored++;
}

void rd_node_stack_take(struct rd_node_stack *s, uint16_t pick, struct rd_draft *d) {
    const struct rd_node *n = rd_node_stack_top(s);
    RD_CHECK(n && s->node.count <= d->prefix_max);
    /* an alternative of the node that does not sleep there */
    RD_CHECK(n->value ? pick < n->count : rd_node_has(s, n, pick) && !rd_tid_set_has(&n->sleep, pick));
    for (uint32_t i = 0; i < s->node.count; i++)
        d->prefix[i] = s->node.at[i].choice;
    struct rd_choice *c = &d->prefix[s->node.count - 1];
    c->pick = pick;
    if (!is_value(c->op))
        /*
         * another thread is picked than before: only the fingerprint of the candidates must be the same, not the
         * operation
         */
        c->op = RD_OP_NONE;
    d->plan.prefix_count = s->node.count;
    s->branch = s->node.count - 1;
}

bool rd_node_next_way(struct rd_node *n, uint16_t *way) {
    RD_CHECK(n->value && n->tried <= n->count && n->first_way < n->count);
    if (n->tried == n->count || n->forced)
        return false;
    *way = (uint16_t)(n->tried - (n->tried <= n->first_way)); /* leaves out the way that was taken first */
    n->tried++;
    return true;
}

/*
 * Computed from the deepest node up: below an alternative that is yet to be run there are as many executions as
 * the mean of the finished alternatives of its node.
 */
double rd_node_stack_estimate_from(const struct rd_node_stack *s, uint32_t first) {
    double count = 1;
    for (uint32_t i = s->node.count; i-- > first;) {
        const struct rd_node *n = &s->node.at[i];
        uint32_t left = n->value ? n->count - n->tried : 0;
        for (uint32_t k = 0; !n->value && k < n->count; k++) {
            rd_tid t = s->pool.at[n->cand + k];
            left += rd_tid_set_has(&n->todo, t) && !rd_tid_set_has(&n->done, t) && !rd_tid_set_has(&n->sleep, t);
        }
        double known = (double)n->below + count;
        count = known + left * known / (1 + n->explored);
    }
    return count;
}

double rd_node_stack_estimate(const struct rd_node_stack *s) {
    return s->node.count ? rd_node_stack_estimate_from(s, 0) : (double)s->executions;
}
