/*
 * wakeup_tree.c - wakeup trees (see dpor.h): below a node, the sequences of events that are due there. A new
 * sequence is merged into the tree: it goes along a branch as long as the branch's event could come first in it, or
 * has nothing to do with it, and is a branch of its own from there. Before it is added, those that sleep at the
 * node are asked: one that could come first covers it.
 *
 * An operation with a choice inside is followed by all that is due after any of its ways: the ways are branches of
 * their own, but hang on the first one, because the thread is run once and then sleeps, with all of them done. Of
 * the event that a sequence ends with the way is not known yet, unless it is one that nobody else has a say in. In
 * a team there are no such branches: what is due after other ways is left to be found there, and sleepers are soft
 * (dpor.c).
 *
 * Most sequences turn out to be nothing new, execution after execution. What says so is often there in the next
 * one, too (rd_race.settled): the sequence is what it was up to the branch; nothing after the second event of the
 * race depends on that one, or it would come after the first and not be in the sequence; and while executions
 * branch below the node, nobody falls asleep there, and its tree only gets new branches behind those that it has.
 */
#include "search/por/dpor.h"

/* The way that the event takes in the sequence. The second one of a race comes out as it does where it is then. */
static int32_t way_of(const struct rd_dpor *d, const struct rd_race *race, uint32_t event) {
    const struct rd_hb_graph_event *x = &d->trail.at[event];
    return event != race->second || x->e.op == RD_OP_CHOOSE ? x->way : -1;
}

struct rd_wakeup *rd_wakeup_move(struct rd_wakeups *to, struct rd_wakeups *from, struct rd_wakeup *w) {
    struct rd_wakeup *first = NULL, *last = NULL;
    while (w) {
        struct rd_wakeup *next = rd_wakeup_at(from, w->next);
        struct rd_wakeup *child = rd_wakeup_move(to, from, rd_wakeup_at(from, w->child));
        struct rd_wakeup *x = rd_wakeup_new(to, &rd_wakeup_event(from, w)->e, rd_wakeup_way(from, w));
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

struct rd_wakeup *rd_wakeup_move_first(struct rd_wakeups *to, struct rd_wakeups *from, void **list) {
    struct rd_wakeup *w = *list;
    *list = rd_wakeup_at(from, w->next);
    w->next = 0;
    return rd_wakeup_move(to, from, w);
}

/* One of those that sleep at the node and are part of the sequence could come first in it. */
static bool begun(const struct rd_dpor *d, const struct rd_node *n, struct rd_race *race) {
    const struct rd_reversal *s = &d->sequence;
    for (uint32_t i = 0; i < s->threads.count; i++) {
        rd_tid tid = s->threads.at[i];
        if (!rd_tid_set_has(&n->sleep, tid) || !rd_reversal_begins(s, &d->trail, tid))
            continue;
        rd_race_needs(race, rd_reversal_event(s, &d->trail, tid));
        return true;
    }
    return false;
}

/* A thread that sleeps at the node could come first: what begins with it was run already. */
bool rd_wakeup_covered(const struct rd_dpor *d, const struct rd_node *n, uint32_t step, struct rd_race *race) {
    uint32_t threads = d->trail.threads;
    if (begun(d, n, race))
        return true;
    for (uint32_t tid = rd_tid_set_next(&n->sleep, 0); tid < threads; tid = rd_tid_set_next(&n->sleep, tid + 1)) {
        bool soft = step < d->soft.count && rd_tid_set_has(&d->soft.at[step], tid);
        uint32_t event = rd_hb_graph_next(&d->trail, (rd_tid)tid, step);
        if (soft || event == RD_HB_GRAPH_NONE || rd_reversal_has(&d->sequence, (rd_tid)tid) ||
            rd_reversal_touches(&d->sequence, &d->trail, event))
            continue;
        race->settled = UINT32_MAX;
        return true;
    }
    return false;
}

/* Where a branch can be added: after this one, else as the first below that one, else of all. */
struct end {
    struct rd_node *node;
    struct rd_wakeup *above, *before;
};

static void hang(const struct rd_wakeups *p, struct end *at, struct rd_wakeup *w) {
    if (at->before)
        at->before->next = rd_wakeup_name(p, w);
    else if (at->above)
        at->above->child = rd_wakeup_name(p, w);
    else
        at->node->extra = w;
}

/* The sequence is a branch of its own. False: there is no room. */
static bool append(struct rd_dpor *d, struct end at, struct rd_race *race, struct rd_wakeups *from) {
    race->settled = UINT32_MAX;
    rd_reversal_list(&d->sequence, d->stack.arena, &d->trail);
    for (uint32_t i = 0; i < d->sequence.list.count; i++) {
        uint32_t event = d->sequence.list.at[i];
        struct rd_wakeup *w = rd_wakeup_new(from, &d->trail.at[event].e, way_of(d, race, event));
        if (!w)
            return false;
        hang(from, &at, w);
        at = (struct end){.above = w};
    }
    return true;
}

static struct rd_wakeup *of_way(const struct rd_wakeups *p, struct rd_wakeup *w, int32_t way) {
    struct rd_wakeup *x = rd_wakeup_way(p, w) == way ? w : rd_wakeup_at(p, w->ways);
    while (x && rd_wakeup_way(p, x) != way)
        x = rd_wakeup_at(p, x->next);
    return x;
}

enum along {
    NOT,
    ALONG,
    OTHER_WAY, /* it could, but this way has no branch yet */
    ELSEWHERE, /* what it wants is run in any case */
};

/*
 * Can the sequence go along this branch? Then its event is taken out of it (`event`), and the branch becomes that
 * of the way that it takes.
 */
static enum along go_along(struct rd_dpor *d, const struct rd_wakeups *p, struct rd_wakeup **w,
                           struct rd_race *race, uint32_t *event) {
    struct rd_reversal *s = &d->sequence;
    rd_tid tid = rd_wakeup_tid(*w);
    if (!rd_reversal_has(s, tid)) {
        race->settled = UINT32_MAX; /* in the next one it may be */
        const struct rd_wakeup_event *e = rd_wakeup_event(p, *w);
        return rd_reversal_depends(s, &d->trail, &e->e, &e->sign) ? NOT : ALONG;
    }
    *event = rd_reversal_event(s, &d->trail, tid);
    rd_race_needs(race, *event);
    if (!rd_reversal_begins(s, &d->trail, tid))
        return NOT;
    int32_t way = way_of(d, race, *event), there = rd_wakeup_way(p, *w);
    bool known = way >= 0 && there >= 0;
    if (known && d->team && way != there)
        return ELSEWHERE;
    rd_reversal_take(s, tid);
    if (way == there || (d->team && !known))
        return ALONG;
    if (!known) { /* one of them is yet to come out in some way: nothing may be due after that */
        d->astray |= way < 0 ? s->left > 0 : (*w)->child != 0;
        return ELSEWHERE;
    }
    struct rd_wakeup *same = of_way(p, *w, way);
    *w = same ? same : *w;
    return same ? ALONG : OTHER_WAY;
}

static bool append_way(struct rd_dpor *d, struct rd_wakeup *w, struct rd_race *race, uint32_t event,
                       struct rd_wakeups *from) {
    struct rd_wakeup *x = rd_wakeup_new(from, &d->trail.at[event].e, way_of(d, race, event));
    if (!x)
        return false;
    x->next = w->ways;
    w->ways = rd_wakeup_name(from, x);
    return append(d, (struct end){.above = x}, race, from);
}

bool rd_wakeup_insert(struct rd_dpor *d, struct rd_race *race, struct rd_node *n, struct rd_wakeups *from) {
    struct rd_wakeup *w = n->extra;
    struct end at = {.node = n};
    for (;;) {
        struct rd_wakeup *branch = w;
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
                race->settled = UINT32_MAX; /* a longer one goes on from here */
            return false;
        }
        if (!branch->child)
            return false;
        at = (struct end){.above = branch};
        w = rd_wakeup_at(from, branch->child);
    }
}

void rd_wakeup_follow(struct rd_dpor *d, uint32_t branch) {
    struct rd_wakeups *p = &d->wakeups;
    struct rd_wakeup *w = d->following;
    uint32_t i = branch;
    d->following = NULL;
    while (w) {
        struct rd_wakeup *below = rd_wakeup_at(p, w->child);
        bool inside = i + 1 < d->stack.node.count && d->stack.node.at[i + 1].value;
        i += inside;
        if (inside)
            d->stack.node.at[i].extra = rd_wakeup_at(p, w->ways);
        int32_t way = rd_wakeup_way(p, w);
        bool other = way >= 0 && (!d->stack.node.at[i].value || d->stack.node.at[i].choice.pick != way);
        d->astray |= other || (w->ways && !inside);
        rd_wakeup_drop(p, w);
        i++;
        d->astray |= below && i >= d->stack.node.count;
        if (!below || i >= d->stack.node.count)
            return;
        struct rd_node *n = &d->stack.node.at[i];
        bool taken = n->choice.pick == rd_wakeup_tid(below);
        n->extra = rd_wakeup_at(p, below->next);
        d->astray |= !taken;
        w = taken ? below : NULL;
    }
}

static struct rd_event pending_event(const struct rd_dpor *d, rd_tid tid, uint32_t step) {
    if (!d->pending)
        return rd_sleep_set_event(&d->trail, tid, step);
    return tid < d->pending_count ? d->pending[tid]
                                  : (struct rd_event){.tid = tid, .target = RD_TID_NONE, .wide = true};
}

/* Those that sleep at the node and have nothing to do with the sequence but its last event, which the engine sees.
 */
static void sleepers(struct rd_dpor *d, const struct rd_node *n, const struct rd_wakeup *w,
                     struct rd_draft *draft) {
    uint32_t step = d->stack.node.count - 1;
    struct rd_tid_set left = n->sleep;
    uint32_t threads = d->pending ? d->pending_count : d->trail.threads;
    for (; w->child; w = rd_wakeup_at(&d->wakeups, w->child)) {
        rd_tid_set_del(&left, rd_wakeup_tid(w));
        for (uint32_t tid = rd_tid_set_next(&left, 0); tid < threads; tid = rd_tid_set_next(&left, tid + 1)) {
            struct rd_event pending = pending_event(d, (rd_tid)tid, step);
            if (rd_event_dependent(&pending, &rd_wakeup_event(&d->wakeups, w)->e))
                rd_tid_set_del(&left, tid);
        }
    }
    rd_sleep_set_plan(&left, draft);
}

/* The plan, which leads to the last node and takes this branch there, goes on as the branch does. */
static void follow(struct rd_dpor *d, const struct rd_node *n, struct rd_wakeup *w, struct rd_draft *draft) {
    d->following = w;
    draft->plan.soft = draft->plan.prefix_count;
    sleepers(d, n, w, draft);
    for (const struct rd_wakeup *x = w; x; x = rd_wakeup_at(&d->wakeups, x->child)) {
        if (x != w && draft->plan.prefix_count < draft->prefix_max)
            draft->prefix[draft->plan.prefix_count++] = (struct rd_choice){.pick = rd_wakeup_tid(x)};
        bool chosen = x == w && n->value;
        int32_t way = rd_wakeup_way(&d->wakeups, x);
        if (way >= 0 && !chosen && draft->plan.prefix_count < draft->prefix_max)
            draft->prefix[draft->plan.prefix_count++] =
                (struct rd_choice){.pick = (uint16_t)way, .op = RD_OP_WAITER};
    }
}

bool rd_wakeup_take(struct rd_dpor *d, struct rd_node *n, struct rd_draft *draft) {
    struct rd_wakeup *w = n->extra;
    if (!w || n->forced)
        return false;
    rd_tid tid = rd_wakeup_tid(w);
    if (rd_tid_set_has(&n->sleep, tid) || !rd_node_has(&d->stack, n, tid)) {
        d->astray = true;
        return false;
    }
    n->extra = rd_wakeup_at(&d->wakeups, w->next);
    rd_node_stack_take(&d->stack, tid, draft);
    follow(d, n, w, draft);
    return true;
}

/*
 * Somebody sleeps whom the operation does not wake. What is due after any of its ways was seen while that one was
 * run first: where nothing was, there is nothing.
 */
static bool all_known(const struct rd_dpor *d, const struct rd_node *n) {
    const struct rd_event *e = &d->trail.at[d->trail.of_step.at[d->stack.node.count - 1]].e;
    uint32_t step = d->stack.node.count - 1;
    if (e->op != RD_OP_CHOOSE)
        return false;
    uint32_t threads = d->trail.threads;
    for (uint32_t tid = rd_tid_set_next(&n->sleep, 0); tid < threads; tid = rd_tid_set_next(&n->sleep, tid + 1)) {
        struct rd_event pending = rd_sleep_set_event(&d->trail, (rd_tid)tid, step);
        if (!rd_event_dependent(&pending, e))
            return true;
    }
    return false;
}

/* Takes the branch of this way out of those that are due; NULL: there is none. */
static struct rd_wakeup *take_out(const struct rd_wakeups *p, struct rd_node *n, int32_t way) {
    struct rd_wakeup *w = n->extra, *before = NULL;
    for (; w && rd_wakeup_way(p, w) != way; w = rd_wakeup_at(p, w->next))
        before = w;
    if (w && before)
        before->next = w->next;
    else if (w)
        n->extra = rd_wakeup_at(p, w->next);
    return w;
}

bool rd_wakeup_take_way(struct rd_dpor *d, struct rd_node *n, struct rd_draft *draft) {
    uint16_t way;
    while (rd_node_next_way(n, &way)) {
        struct rd_wakeup *found = take_out(&d->wakeups, n, way);
        if (!found && all_known(d, n))
            continue;
        rd_node_stack_take(&d->stack, way, draft);
        if (found)
            follow(d, n, found, draft);
        else
            rd_sleep_set_plan(&n->sleep, draft);
        return true;
    }
    d->astray |= n->extra != NULL;
    return false;
}
