/* bounded_shared_tree.c - see bounded_shared_tree.h. */
#include "search/por/bounded_shared_tree.h"

#include <string.h>

enum { RELY_AFTER = 32 }; /* executions of a bound after which an open alternative may be assumed to sleep */

/* Sets field by field: other workers access some words without the lock. */
static void clear(const struct rd_dpor *d, struct rd_bounded_tree *g) {
    g->bound = d->bound;
    g->growing = 1;
    g->left_out = g->relied = g->careful = 0;
    g->began = rd_team_count(d->team);
    g->nodes = g->unused = NULL;
    rd_arena_init(&g->arena, g + 1, d->team->hub->tree_size - sizeof *g);
}

void rd_bounded_tree_open(struct rd_bounded_tree_part *v, struct rd_dpor *d) {
    v->d = d;
    d->holds = d->fresh = d->team->me == 0;
    if (!d->holds)
        return;
    *rd_bounded_tree_of(d) = (struct rd_bounded_tree){.proved = -1};
    clear(d, rd_bounded_tree_of(d));
}

void rd_bounded_tree_void(const struct rd_dpor *d, uint32_t voids) {
    uint32_t *to = &rd_bounded_tree_of(d)->voids;
    if (voids & ~__atomic_load_n(to, __ATOMIC_RELAXED))
        __atomic_or_fetch(to, voids, __ATOMIC_RELEASE);
}

bool rd_bounded_tree_stale(struct rd_bounded_tree_part *v) {
    struct rd_dpor *d = v->d;
    const struct rd_bounded_tree *g = rd_bounded_tree_of(d);
    uint32_t now = __atomic_load_n(&g->generation, __ATOMIC_ACQUIRE);
    if (now == d->generation)
        return false;
    RD_CHECK(now > d->generation);
    d->generation = now;
    d->bound = g->bound;
    d->fresh = d->holds = v->cut_noted = false;
    rd_hb_graph_forget(&d->graph);
    d->stack.node.count = d->stack.pool.count = d->stack.branch = d->base = v->above.count = 0;
    return true;
}

/* Begins another generation with this worker. pre: the lock. */
static void renew(struct rd_bounded_tree_part *v, bool careful) {
    struct rd_dpor *d = v->d;
    struct rd_bounded_tree *g = rd_bounded_tree_of(d);
    clear(d, g);
    g->careful = careful;
    __atomic_store_n(&g->generation, d->generation + 1, __ATOMIC_RELEASE);
    rd_bounded_tree_stale(v);
    d->holds = true;
}

/* ---- alternatives that can be taken ---- */

rd_tid rd_bounded_tree_thread(const struct rd_node *n, const rd_tid *cand, uint32_t bound, bool *beyond) {
    rd_tid chosen = RD_TID_NONE;
    for (uint32_t i = 0; !n->forced && i < n->count; i++) {
        rd_tid t = cand[i];
        if (!rd_tid_set_has(&n->todo, t) || rd_tid_set_has(&n->done, t) || rd_tid_set_has(&n->sleep, t))
            continue;
        bool over = n->preemptions + rd_node_cost(n, t) > bound;
        if (over && beyond)
            *beyond = true;
        if (!over && (chosen == RD_TID_NONE || t == n->before))
            chosen = t;
    }
    return chosen;
}

static bool has_more(const struct rd_dpor *d, const struct rd_node *n, const rd_tid *cand) {
    if (n->value)
        return n->tried < n->count && !n->forced;
    return rd_bounded_tree_thread(n, cand, d->bound, NULL) != RD_TID_NONE;
}

/* Returns whether an open alternative may be assumed to sleep. */
static bool may_rely(const struct rd_dpor *d) {
    const struct rd_bounded_tree *g = rd_bounded_tree_of(d);
    return !__atomic_load_n(&g->left_out, __ATOMIC_RELAXED) && !g->careful &&
           rd_team_count(d->team) >= g->began + RELY_AFTER;
}

/* Returns the uppermost node with an alternative that can be taken, or NULL. pre: the lock. */
static struct rd_bounded_tree_node *find(const struct rd_dpor *d) {
    struct rd_bounded_tree_node *best = NULL;
    bool rely = may_rely(d);
    for (struct rd_bounded_tree_node *x = rd_bounded_tree_of(d)->nodes; x; x = x->next)
        if ((!best || x->depth < best->depth) && (x->open == RD_TID_NONE || rely) && has_more(d, &x->node, x->cand))
            best = x;
    return best;
}

/* Wakes the workers that wait for a unit if the tree has one to give. pre: the lock. */
static void call(const struct rd_dpor *d) {
    if (d->team->hub->hungry && find(d))
        rd_team_call(d->team);
}

/* Alternative `pick` of the node is finished; frees the nodes above that are finished with it. pre: the lock. */
static void release(const struct rd_dpor *d, struct rd_bounded_tree *g, struct rd_bounded_tree_node *x,
                    uint16_t pick) {
    while (x) {
        RD_CHECK(x->active > 0);
        if (!x->node.value && x->open == pick) { /* finished without a cut */
            rd_tid_set_add(&x->node.sleep, pick);
            x->open = RD_TID_NONE;
        }
        if (--x->active || has_more(d, &x->node, x->cand))
            return;
        struct rd_bounded_tree_node *parent = x->parent;
        pick = x->via.pick;
        *(x->before ? &x->before->next : &g->nodes) = x->next;
        if (x->next)
            x->next->before = x->before;
        x->next = g->unused;
        g->unused = x;
        x = parent;
    }
    g->growing = 0;
}

/* ---- cuts ---- */

static bool cut_from(const struct rd_node_stack *s, uint32_t from) {
    for (uint32_t i = from; i < s->node.count; i++)
        if (s->node.at[i].cut || s->node.at[i].cut_below)
            return true;
    return false;
}

/* Notes a cut below: the open alternatives of the nodes above will not sleep. pre: the lock. */
static void note_cut(struct rd_bounded_tree_part *v) {
    struct rd_dpor *d = v->d;
    struct rd_bounded_tree *g = rd_bounded_tree_of(d);
    struct rd_bounded_tree_node *x = d->base ? v->above.at[d->base - 1] : NULL;
    uint16_t pick = x ? d->stack.node.at[d->base - 1].choice.pick : RD_TID_NONE;
    for (; x; x = x->parent) {
        x->node.cut = true;
        if (!x->node.value && x->open == pick)
            x->open = RD_TID_NONE;
        pick = x->via.pick;
    }
    __atomic_store_n(&g->left_out, 1, __ATOMIC_RELAXED);
    if (g->relied) {
        renew(v, true);
        d->fresh = true;
    }
    call(d);
}

void rd_bounded_tree_note(struct rd_bounded_tree_part *v, const struct rd_record *r) {
    struct rd_dpor *d = v->d;
    struct rd_node_stack *s = &d->stack;
    bool cut = r->out->verdict == RD_CUT && r->out->over_bound;
    for (uint32_t i = RD_MAX(s->branch, d->base); i < s->node.count; i++) {
        struct rd_node *n = &s->node.at[i];
        if (!n->value)
            rd_bounded_tree_thread(n, s->pool.at + n->cand, d->bound, &n->cut);
        cut |= n->cut;
    }
    if (!cut || v->cut_noted)
        return;
    v->cut_noted = true;
    rd_team_lock(d->team);
    if (rd_bounded_tree_of(d)->generation == d->generation)
        note_cut(v);
    rd_team_unlock(d->team);
}

/* ---- from the stack into the hub ---- */

static struct rd_bounded_tree_node *new_node(struct rd_bounded_tree *g) {
    struct rd_bounded_tree_node *x = g->unused;
    if (!x)
        return rd_arena_zero(&g->arena, sizeof *x);
    g->unused = x->next;
    return x;
}

static void plant(struct rd_bounded_tree_part *v, struct rd_bounded_tree *g, uint32_t i) {
    struct rd_dpor *d = v->d;
    RD_CHECK(i < d->stack.node.count && v->above.count >= i);
    const struct rd_node *n = &d->stack.node.at[i];
    struct rd_bounded_tree_node *x = new_node(g);
    /* there is a cut below the alternative that the stack has begun here */
    bool cut = n->cut_below || cut_from(&d->stack, i + 1);
    x->node = *n;
    x->node.cut |= cut;
    x->parent = i ? v->above.at[i - 1] : NULL;
    x->depth = i;
    x->active = 1; /* the unit of this worker, in the rest of its stack */
    x->open = n->value || cut ? RD_TID_NONE : n->choice.pick;
    if (i)
        x->via = d->stack.node.at[i - 1].choice;
    if (x->cand_room < n->count && !n->value) {
        x->cand_room = n->count;
        x->cand = rd_arena_alloc(&g->arena, n->count * sizeof *x->cand);
    }
    if (!n->value)
        memcpy(x->cand, d->stack.pool.at + n->cand, n->count * sizeof *x->cand);
    x->before = NULL;
    x->next = g->nodes;
    if (x->next)
        x->next->before = x;
    g->nodes = x;
    v->above.count = i;
    rd_vec_push(d->stack.arena, &v->above, x);
}

static size_t room_for(const struct rd_dpor *d, uint32_t from, uint32_t to) {
    size_t bytes = 0;
    for (uint32_t i = from; i <= to; i++)
        bytes += sizeof(struct rd_bounded_tree_node) + d->stack.node.at[i].count * sizeof(rd_tid) + 64;
    return bytes;
}

/*
 * Returns the uppermost node of the stack from which another worker could begin an alternative; the number of
 * nodes: there is none.
 */
static uint32_t first_to_take(const struct rd_dpor *d) {
    const struct rd_node_stack *s = &d->stack;
    uint32_t first = s->node.count, some = 0;
    bool cut = false, rely = may_rely(d);
    for (uint32_t i = s->node.count; i-- > d->base;) {
        const struct rd_node *n = &s->node.at[i];
        bool more = has_more(d, n, s->pool.at + n->cand);
        some += more;
        if (more && (n->value || cut || n->cut_below || rely))
            first = i;
        cut |= n->cut || n->cut_below;
    }
    return some < 2 ? s->node.count : first;
}

/* Other workers wait: moves the upper part of the stack into the hub if it has an alternative for them. */
static void share(struct rd_bounded_tree_part *v) {
    struct rd_dpor *d = v->d;
    struct rd_bounded_tree *g = rd_bounded_tree_of(d);
    uint32_t first = first_to_take(d);
    rd_team_lock(d->team);
    if (g->generation == d->generation && first < d->stack.node.count && !find(d) &&
        room_for(d, d->base, first) < g->arena.size - g->arena.used) {
        for (uint32_t i = d->base; i <= first; i++)
            plant(v, g, i);
        d->base = first + 1;
        v->cut_noted = cut_from(&d->stack, d->base);
    }
    if (g->generation == d->generation)
        call(d);
    rd_team_unlock(d->team);
}

/* ---- from the hub into a stack ---- */

static void load(struct rd_bounded_tree_part *v, struct rd_bounded_tree_node *x) {
    struct rd_dpor *d = v->d;
    struct rd_node_stack *s = &d->stack;
    while (v->above.count <= x->depth) {
        rd_vec_push(s->arena, &v->above, NULL);
        rd_vec_push(s->arena, &s->node, (struct rd_node){.count = 0});
    }
    struct rd_choice choice = x->node.choice;
    for (struct rd_bounded_tree_node *y = x; y; y = y->parent) {
        RD_CHECK(y->depth == (y->parent ? y->parent->depth + 1 : 0) && (y == x || y->active > 0));
        v->above.at[y->depth] = y;
        s->node.at[y->depth] = y->node;
        s->node.at[y->depth].choice = choice;
        choice = y->via;
    }
    for (uint32_t i = 0; i <= x->depth; i++) {
        struct rd_node *n = &s->node.at[i];
        n->cand = s->pool.count;
        for (uint32_t k = 0; !n->value && k < n->count; k++)
            rd_vec_push(s->arena, &s->pool, v->above.at[i]->cand[k]);
    }
    d->base = x->depth + 1;
    d->holds = true;
}

/* Begins the next alternative of the node. pre: the lock. */
static void begin(struct rd_bounded_tree_part *v, struct rd_bounded_tree *g, struct rd_bounded_tree_node *x,
                  struct rd_draft *draft) {
    uint16_t pick;
    if (x->node.value) {
        rd_node_next_way(&x->node, &pick);
    } else {
        if (x->open != RD_TID_NONE) {
            rd_tid_set_add(&x->node.sleep, x->open);
            g->relied = 1;
        }
        pick = rd_bounded_tree_thread(&x->node, x->cand, g->bound, NULL);
        RD_CHECK(pick != RD_TID_NONE);
        rd_tid_set_add(&x->node.done, pick);
        x->open = pick;
    }
    x->active++;
    load(v, x);
    rd_node_stack_take(&v->d->stack, pick, draft);
    rd_sleep_set_plan(&x->node.sleep, draft);
}

/* The tree is finished: begins the next bound if there was a cut. pre: the lock. */
static enum rd_next deepen(struct rd_bounded_tree_part *v, struct rd_bounded_tree *g) {
    struct rd_dpor *d = v->d;
    RD_CHECK(!g->growing && (!g->relied || !g->left_out));
    __atomic_store_n(&g->proved, (int32_t)RD_MIN(g->bound, (uint32_t)INT32_MAX), __ATOMIC_RELEASE);
    if (!d->deepens || !g->left_out)
        return RD_NEXT_DONE;
    d->bound = g->bound + 1;
    renew(v, false);
    rd_team_idle(d->team, false);
    return RD_NEXT_RUN;
}

/* For a worker whose unit is finished, or that had none: takes another unit. pre: the lock. */
static enum rd_next another(struct rd_bounded_tree_part *v, struct rd_draft *draft) {
    struct rd_dpor *d = v->d;
    struct rd_bounded_tree *g = rd_bounded_tree_of(d);
    struct rd_bounded_tree_node *x = d->base ? v->above.at[d->base - 1] : NULL;
    if (d->holds)
        release(d, g, x, x ? d->stack.node.at[d->base - 1].choice.pick : 0);
    d->holds = v->cut_noted = false;
    d->base = d->stack.node.count = d->stack.pool.count = v->above.count = 0;
    x = find(d);
    rd_team_idle(d->team, !x);
    if (!x)
        return g->growing ? RD_NEXT_WAIT : deepen(v, g);
    begin(v, g, x, draft);
    call(d);
    return RD_NEXT_RUN;
}

/* Removes the last node; a cut below a node is a cut below its parent, too. */
static void pop(struct rd_node_stack *s) {
    const struct rd_node *n = rd_node_stack_top(s);
    bool cut = n->cut || n->cut_below;
    rd_node_stack_pop(s);
    if (s->node.count)
        rd_node_stack_top(s)->cut_below |= cut;
}

/* Plans the next execution from the stack's own nodes; false: none is left. */
static bool go_on(struct rd_bounded_tree_part *v, struct rd_draft *draft) {
    struct rd_dpor *d = v->d;
    for (; d->stack.node.count > d->base; pop(&d->stack)) {
        rd_node_stack_finished(&d->stack);
        if (d->go_on(d, rd_node_stack_top(&d->stack), draft))
            return true;
    }
    return false;
}

enum rd_next rd_bounded_tree_next(struct rd_bounded_tree_part *v, struct rd_draft *draft) {
    struct rd_dpor *d = v->d;
    struct rd_team *t = d->team;
    enum rd_next next = RD_NEXT_RUN;
    rd_bounded_tree_stale(v);
    if (!d->fresh && __atomic_load_n(&t->hub->hungry, __ATOMIC_RELAXED))
        share(v);
    if (!d->fresh && !go_on(v, draft)) {
        t->seen = __atomic_load_n(&t->hub->event, __ATOMIC_ACQUIRE);
        rd_team_lock(t);
        rd_bounded_tree_stale(v);
        next = another(v, draft);
        rd_team_unlock(t);
    }
    d->fresh = false;
    draft->plan.preemptions_cut = d->bound + 1;
    if (next == RD_NEXT_DONE)
        rd_team_end(t, RD_OVER_DONE);
    return next;
}
