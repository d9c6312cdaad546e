/*
 * wakeup_tree.c - wakeup trees (Abdulla, Aronis, Jonsson and Sagonas, POPL 2014; see dpor.h). A new sequence is
 * inserted into the tree below a node: it follows a branch as long as the branch's event is an initial of the
 * sequence (and is then removed from the sequence), or independent of all its events. Where the sequence can
 * follow no branch, its remaining events become a new branch. A sequence that a sleeping thread covers is not
 * inserted.
 *
 * After an operation with a choice inside (`value`) different sequences may be due for each way. The ways are
 * branches of their own in a list of the first one (`ways`), because the thread is run once, for all its ways, and
 * then sleeps. The way of the last event of a sequence is not known yet, unless only the program itself decides it
 * (RD_OP_CHOOSE). In a team the tree has no such branches: the executions with another way find their races
 * themselves, and sleepers cover only sequences of which they are an initial (dpor.c).
 *
 * Most sequences turn out to be redundant, execution after execution, for a reason that often holds in the next
 * execution, too (rd_race.settled). Three facts make that safe. The sequence is the same up to the branching
 * point. No event after the second event of the race depends on it, or it would have happened after the first
 * event and not be in the sequence. And as long as executions branch below the node, its sleep set does not grow,
 * and new branches of its tree come after all older ones.
 */
#include "search/por/dpor.h"

/*
 * Returns the way of the event in the sequence; -1: unknown. The second event of a race may complete in another way
 * at its new place.
 */
static int32_t way_of(const struct rd_dpor *d, const struct rd_race *race, uint32_t event) {
    RD_ASSERT(event > race->first && event < d->graph.all);
    const struct rd_hb_graph_event *x = &d->graph.at[event];
    return event != race->second || x->e.op == RD_OP_CHOOSE ? x->way : -1;
}

struct rd_wakeup_node *rd_wakeup_move(struct rd_wakeup_pool *to, struct rd_wakeup_pool *from,
                                      struct rd_wakeup_node *w) {
    struct rd_wakeup_node *first = NULL, *last = NULL;
    while (w) {
        struct rd_wakeup_node *next = rd_wakeup_at(from, w->next);
        struct rd_wakeup_node *child = rd_wakeup_move(to, from, rd_wakeup_at(from, w->child));
        struct rd_wakeup_node *x = rd_wakeup_new(to, &rd_wakeup_event(from, w)->e, rd_wakeup_way(from, w));
        rd_wakeup_drop(from, w);
        if (!x)
            return first;
        x->child = rd_wakeup_name(to, child);
        if (last)
            last->next = rd_wakeup_name(to, x);
        first = first ? first : x;
        last = x;
        w = next;
    }
    return first;
}

struct rd_wakeup_node *rd_wakeup_move_first(struct rd_wakeup_pool *to, struct rd_wakeup_pool *from, void **list) {
    struct rd_wakeup_node *w = *list;
    *list = rd_wakeup_at(from, w->next);
    w->next = 0;
    return rd_wakeup_move(to, from, w);
}

/* Returns whether a thread that sleeps at the node is an initial of the sequence. */
static bool begun(const struct rd_dpor *d, const struct rd_node *n, struct rd_race *race) {
    const struct rd_reversal *s = &d->sequence;
    for (uint32_t i = 0; i < s->threads.count; i++) {
        rd_tid tid = s->threads.at[i];
        if (!rd_tid_set_has(&n->sleep, tid) || !rd_reversal_begins(s, &d->graph, tid))
            continue;
        rd_race_needs(race, rd_reversal_event(s, &d->graph, tid));
        return true;
    }
    return false;
}

/*
 * A sleeping thread that is a weak initial (an initial, or independent of the sequence) covers the sequence: the
 * executions that begin with it were run.
 */
bool rd_wakeup_covered(const struct rd_dpor *d, const struct rd_node *n, uint32_t step, struct rd_race *race) {
    uint32_t threads = d->graph.threads;
    RD_ASSERT(n == &d->stack.node.at[step] && d->optimal);
    if (begun(d, n, race))
        return true;
    for (uint32_t tid = rd_tid_set_next(&n->sleep, 0); tid < threads; tid = rd_tid_set_next(&n->sleep, tid + 1)) {
        bool initials_only = step < d->initials_only.count && rd_tid_set_has(&d->initials_only.at[step], tid);
        uint32_t event = rd_hb_graph_next(&d->graph, (rd_tid)tid, step);
        if (initials_only || event == RD_HB_GRAPH_NONE || rd_reversal_has(&d->sequence, (rd_tid)tid) ||
            rd_reversal_touches(&d->sequence, &d->graph, event))
            continue;
        race->settled = UINT32_MAX;
        return true;
    }
    return false;
}

/*
 * A place for a new branch: after `before`; without it as the first below `above`; without both as the first of the
 * node's tree.
 */
struct branch_end {
    struct rd_node *node;
    struct rd_wakeup_node *above, *before;
};

static void hang(const struct rd_wakeup_pool *p, struct branch_end *at, struct rd_wakeup_node *w) {
    RD_ASSERT(!at->before || !at->before->next); /* new branches come last */
    if (at->before)
        at->before->next = rd_wakeup_name(p, w);
    else if (at->above)
        at->above->child = rd_wakeup_name(p, w);
    else
        at->node->extra = w;
}

/* Makes the remaining events of the sequence a branch at this place. Returns false if there is no memory. */
static bool append(struct rd_dpor *d, struct branch_end at, struct rd_race *race, struct rd_wakeup_pool *from) {
    race->settled = UINT32_MAX;
    rd_reversal_list(&d->sequence, d->stack.arena, &d->graph);
    for (uint32_t i = 0; i < d->sequence.list.count; i++) {
        uint32_t event = d->sequence.list.at[i];
        struct rd_wakeup_node *w = rd_wakeup_new(from, &d->graph.at[event].e, way_of(d, race, event));
        if (!w)
            return false;
        hang(from, &at, w);
        at = (struct branch_end){.above = w};
    }
    return true;
}

static struct rd_wakeup_node *of_way(const struct rd_wakeup_pool *p, struct rd_wakeup_node *w, int32_t way) {
    struct rd_wakeup_node *x = rd_wakeup_way(p, w) == way ? w : rd_wakeup_at(p, w->ways);
    while (x && rd_wakeup_way(p, x) != way)
        x = rd_wakeup_at(p, x->next);
    return x;
}

enum along {
    NOT,
    ALONG,
    OTHER_WAY, /* the branch's thread fits, but the way of the sequence has no branch yet */
    ELSEWHERE, /* the sequence is run in any case */
};

/*
 * Tries to follow branch *w with the sequence. ALONG: the branch's event was removed from the sequence, if it was
 * in it (*event); *w is the branch of the sequence's way.
 */
static enum along go_along(struct rd_dpor *d, const struct rd_wakeup_pool *p, struct rd_wakeup_node **w,
                           struct rd_race *race, uint32_t *event) {
    struct rd_reversal *s = &d->sequence;
    rd_tid tid = rd_wakeup_tid(*w);
    if (!rd_reversal_has(s, tid)) {
        race->settled = UINT32_MAX; /* the next execution may have events of this thread in the sequence */
        const struct rd_wakeup_event *e = rd_wakeup_event(p, *w);
        return rd_reversal_depends(s, &d->graph, &e->e, &e->sign) ? NOT : ALONG;
    }
    *event = rd_reversal_event(s, &d->graph, tid);
    rd_race_needs(race, *event);
    if (!rd_reversal_begins(s, &d->graph, tid))
        return NOT;
    int32_t way = way_of(d, race, *event), there = rd_wakeup_way(p, *w);
    bool known = way >= 0 && there >= 0;
    if (known && d->team && way != there)
        return ELSEWHERE;
    rd_reversal_take(s, tid);
    if (way == there || (d->team && !known))
        return ALONG;
    /* one of the two ways is not known yet: no event may follow this one in the sequence, or in the branch */
    if (!known) {
        d->sequence_lost |= way < 0 ? s->left > 0 : (*w)->child != 0;
        return ELSEWHERE;
    }
    struct rd_wakeup_node *same = of_way(p, *w, way);
    *w = same ? same : *w;
    return same ? ALONG : OTHER_WAY;
}

static bool append_way(struct rd_dpor *d, struct rd_wakeup_node *w, struct rd_race *race, uint32_t event,
                       struct rd_wakeup_pool *from) {
    struct rd_wakeup_node *x = rd_wakeup_new(from, &d->graph.at[event].e, way_of(d, race, event));
    if (!x)
        return false;
    x->next = w->ways;
    w->ways = rd_wakeup_name(from, x);
    return append(d, (struct branch_end){.above = x}, race, from);
}

bool rd_wakeup_insert(struct rd_dpor *d, struct rd_race *race, struct rd_node *n, struct rd_wakeup_pool *from) {
    struct rd_wakeup_node *w = n->extra;
    struct branch_end at = {.node = n};
    for (;;) {
        struct rd_wakeup_node *branch = w;
        enum along along = NOT;
        uint32_t event = 0;
        while (w) {
            branch = w;
            __builtin_prefetch(rd_wakeup_at(from, w->next));
            along = go_along(d, from, &branch, race, &event);
            if (along != NOT)
                break;
            at.before = w;
            w = rd_wakeup_at(from, w->next);
        }
        if (along == ELSEWHERE)
            return false;
        if (along == NOT)
            return append(d, at, race, from);
        if (along == OTHER_WAY)
            return append_way(d, w, race, event, from);
        if (d->sequence.left == 0) {
            if (branch->child)
                race->settled = UINT32_MAX; /* a longer sequence goes on below this branch */
            return false;
        }
        if (!branch->child)
            return false;
        at = (struct branch_end){.above = branch};
        w = rd_wakeup_at(from, branch->child);
    }
}

void rd_wakeup_follow(struct rd_dpor *d, uint32_t branch) {
    struct rd_wakeup_pool *p = &d->wakeup_pool;
    struct rd_wakeup_node *w = d->following;
    uint32_t i = branch;
    d->following = NULL;
    while (w) {
        struct rd_wakeup_node *below = rd_wakeup_at(p, w->child);
        bool inside = i + 1 < d->stack.node.count && d->stack.node.at[i + 1].value;
        i += inside;
        if (inside)
            d->stack.node.at[i].extra = rd_wakeup_at(p, w->ways);
        int32_t way = rd_wakeup_way(p, w);
        bool other = way >= 0 && (!d->stack.node.at[i].value || d->stack.node.at[i].choice.pick != way);
        d->sequence_lost |= other || (w->ways && !inside);
        rd_wakeup_drop(p, w);
        i++;
        d->sequence_lost |= below && i >= d->stack.node.count;
        if (!below || i >= d->stack.node.count)
            return;
        struct rd_node *n = &d->stack.node.at[i];
        bool taken = n->choice.pick == rd_wakeup_tid(below);
        n->extra = rd_wakeup_at(p, below->next);
        d->sequence_lost |= !taken;
        w = taken ? below : NULL;
    }
}

static struct rd_event pending_event(const struct rd_dpor *d, rd_tid tid, uint32_t step) {
    if (!d->pending)
        return rd_sleep_set_event(&d->graph, tid, step);
    return tid < d->pending_count ? d->pending[tid]
                                  : (struct rd_event){.tid = tid, .target = RD_TID_NONE, .wide = true};
}

/*
 * Puts the sleepers of the node to sleep in the plan that no event of the sequence wakes; the engine sees the last
 * event itself.
 */
static void sleepers(struct rd_dpor *d, const struct rd_node *n, const struct rd_wakeup_node *w,
                     struct rd_draft *draft) {
    uint32_t step = d->stack.node.count - 1;
    struct rd_tid_set left = n->sleep;
    uint32_t threads = d->pending ? d->pending_count : d->graph.threads;
    for (; w->child; w = rd_wakeup_at(&d->wakeup_pool, w->child)) {
        rd_tid_set_del(&left, rd_wakeup_tid(w));
        for (uint32_t tid = rd_tid_set_next(&left, 0); tid < threads; tid = rd_tid_set_next(&left, tid + 1)) {
            struct rd_event pending = pending_event(d, (rd_tid)tid, step);
            if (rd_event_dependent(&pending, &rd_wakeup_event(&d->wakeup_pool, w)->e))
                rd_tid_set_del(&left, tid);
        }
    }
    rd_sleep_set_plan(&left, draft);
}

/* Extends the plan, which leads to the last node and takes branch w there, along the first branches below it. */
static void follow(struct rd_dpor *d, const struct rd_node *n, struct rd_wakeup_node *w, struct rd_draft *draft) {
    RD_CHECK(draft->plan.prefix_count == d->stack.node.count);
    d->following = w;
    draft->plan.soft = draft->plan.prefix_count;
    sleepers(d, n, w, draft);
    for (const struct rd_wakeup_node *x = w; x; x = rd_wakeup_at(&d->wakeup_pool, x->child)) {
        if (x != w && draft->plan.prefix_count < draft->prefix_max)
            draft->prefix[draft->plan.prefix_count++] = (struct rd_choice){.pick = rd_wakeup_tid(x)};
        bool chosen = x == w && n->value;
        int32_t way = rd_wakeup_way(&d->wakeup_pool, x);
        if (way >= 0 && !chosen && draft->plan.prefix_count < draft->prefix_max)
            draft->prefix[draft->plan.prefix_count++] =
                (struct rd_choice){.pick = (uint16_t)way, .op = RD_OP_WAITER};
    }
}

bool rd_wakeup_take(struct rd_dpor *d, struct rd_node *n, struct rd_draft *draft) {
    struct rd_wakeup_node *w = n->extra;
    if (!w || n->forced)
        return false;
    RD_CHECK(!n->value && n == rd_node_stack_top(&d->stack));
    rd_tid tid = rd_wakeup_tid(w);
    if (rd_tid_set_has(&n->sleep, tid) || !rd_node_has(&d->stack, n, tid)) {
        d->sequence_lost = true;
        return false;
    }
    n->extra = rd_wakeup_at(&d->wakeup_pool, w->next);
    rd_node_stack_take(&d->stack, tid, draft);
    follow(d, n, w, draft);
    return true;
}

/*
 * Returns whether a thread sleeps that the operation does not wake. The executions that began with that thread
 * have found all sequences that are due after any of the ways: a way without a branch needs no execution.
 */
static bool all_known(const struct rd_dpor *d, const struct rd_node *n) {
    const struct rd_event *e = &d->graph.at[d->graph.of_step.at[d->stack.node.count - 1]].e;
    uint32_t step = d->stack.node.count - 1;
    if (e->op != RD_OP_CHOOSE)
        return false;
    uint32_t threads = d->graph.threads;
    for (uint32_t tid = rd_tid_set_next(&n->sleep, 0); tid < threads; tid = rd_tid_set_next(&n->sleep, tid + 1)) {
        struct rd_event pending = rd_sleep_set_event(&d->graph, (rd_tid)tid, step);
        if (!rd_event_dependent(&pending, e))
            return true;
    }
    return false;
}

/* Removes the branch of this way from the node's tree and returns it; NULL: there is none. */
static struct rd_wakeup_node *take_out(const struct rd_wakeup_pool *p, struct rd_node *n, int32_t way) {
    struct rd_wakeup_node *w = n->extra, *before = NULL;
    for (; w && rd_wakeup_way(p, w) != way; w = rd_wakeup_at(p, w->next))
        before = w;
    if (w && before)
        before->next = w->next;
    else if (w)
        n->extra = rd_wakeup_at(p, w->next);
    return w;
}

bool rd_wakeup_take_way(struct rd_dpor *d, struct rd_node *n, struct rd_draft *draft) {
    RD_CHECK(n->value && !d->team && n == rd_node_stack_top(&d->stack));
    uint16_t way;
    while (rd_node_next_way(n, &way)) {
        struct rd_wakeup_node *found = take_out(&d->wakeup_pool, n, way);
        if (!found && all_known(d, n))
            continue;
        rd_node_stack_take(&d->stack, way, draft);
        if (found)
            follow(d, n, found, draft);
        else
            rd_sleep_set_plan(&n->sleep, draft);
        return true;
    }
    d->sequence_lost |= n->extra != NULL;
    return false;
}
