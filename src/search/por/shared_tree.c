/* shared_tree.c - see shared_tree.h. */
#include "search/por/shared_tree.h"

#include <string.h>

static void clear(struct rd_dpor *d, struct rd_shared_tree *g, uint32_t generation) {
    *g = (struct rd_shared_tree){.generation = generation, .growing = 1, .voids = g->voids, .proved = g->proved};
    g->bound = d->bound;
    rd_arena_init(&g->arena, g + 1, d->team->hub->tree_size - sizeof *g);
    g->wakeup_pool.arena = &g->arena;
}

void rd_shared_tree_open(struct rd_dpor *d) {
    d->holds = d->fresh = d->team->me == 0;
    if (!d->holds)
        return;
    rd_shared_tree_of(d)->voids = 0;
    rd_shared_tree_of(d)->proved = -1;
    clear(d, rd_shared_tree_of(d), 0);
}

void rd_shared_tree_void(struct rd_dpor *d, uint32_t voids) {
    uint32_t *to = &rd_shared_tree_of(d)->voids;
    if ((__atomic_load_n(to, __ATOMIC_RELAXED) | voids) != *to)
        __atomic_or_fetch(to, voids, __ATOMIC_RELEASE);
}

uint32_t rd_shared_tree_voids(const struct rd_dpor *d) {
    return __atomic_load_n(&rd_shared_tree_of(d)->voids, __ATOMIC_ACQUIRE);
}

bool rd_shared_tree_stale(struct rd_dpor *d) {
    const struct rd_shared_tree *g = rd_shared_tree_of(d);
    uint32_t now = __atomic_load_n(&g->generation, __ATOMIC_ACQUIRE);
    if (now == d->generation)
        return false;
    RD_CHECK(now > d->generation);
    d->generation = now;
    d->bound = g->bound;
    d->optimal = d->stack.bare = d->sequence_lost = d->fresh = d->holds = false;
    d->following = NULL;
    d->races.count = 0;
    rd_hb_graph_forget(&d->graph);
    d->stack.node.count = d->stack.pool.count = d->stack.branch = d->base = d->initials_only.count = 0;
    return true;
}

void rd_shared_tree_begin_again(struct rd_dpor *d) {
    struct rd_shared_tree *g = rd_shared_tree_of(d);
    rd_team_lock(d->team);
    if (g->generation == d->generation) {
        clear(d, g, d->generation);
        g->source = 1;
        __atomic_store_n(&g->generation, d->generation + 1, __ATOMIC_RELEASE);
        rd_shared_tree_stale(d);
        d->fresh = d->holds = true;
    }
    rd_team_unlock(d->team);
}

/* ---- alternatives that can be taken ---- */

static bool beyond(const struct rd_dpor *d, const struct rd_node *n, rd_tid t) {
    return d->bounded && n->preemptions + rd_node_cost(n, t) > d->bound;
}

/* Returns the next thread to be run from a node, or RD_TID_NONE. */
static rd_tid next_thread(const struct rd_dpor *d, const struct rd_node *n, const rd_tid *cand) {
    for (uint32_t i = 0; i < n->count; i++)
        if (rd_tid_set_has(&n->todo, cand[i]) && !rd_tid_set_has(&n->done, cand[i]) &&
            !rd_tid_set_has(&n->sleep, cand[i]) && !beyond(d, n, cand[i]))
            return cand[i];
    return RD_TID_NONE;
}

static bool has_more(const struct rd_dpor *d, const struct rd_node *n, const rd_tid *cand) {
    if (n->forced)
        return false;
    if (n->value)
        return n->tried < n->count;
    return d->optimal ? n->extra != NULL : next_thread(d, n, cand) != RD_TID_NONE;
}

static void set_ready(struct rd_shared_tree *g, struct rd_shared_tree_node *x, bool ready) {
    if (x->ready == ready)
        return;
    x->ready = ready;
    if (ready) {
        x->before = NULL;
        x->next = g->ready;
        if (x->next)
            x->next->before = x;
        g->ready = x;
        return;
    }
    *(x->before ? &x->before->next : &g->ready) = x->next;
    if (x->next)
        x->next->before = x->before;
}

/* Ends a unit of the node that took so many executions; frees each node above that is finished by this. */
static void release(const struct rd_dpor *d, struct rd_shared_tree *g, struct rd_shared_tree_node *x,
                    uint64_t executions) {
    while (x) {
        RD_CHECK(x->active > 0);
        x->node.below += executions;
        x->node.explored++;
        if (--x->active || has_more(d, &x->node, x->cand))
            break;
        struct rd_shared_tree_node *parent = x->parent;
        executions = x->node.below;
        x->next = g->unused;
        g->unused = x;
        x = parent;
    }
    if (!x)
        g->growing = 0;
}

/* ---- from a stack into the shared tree ---- */

static const struct rd_shared_tree_node *above(const struct rd_dpor *d, uint32_t i) { return d->above.at[i]; }

static size_t room_for(const struct rd_dpor *d, uint32_t from, uint32_t to) {
    size_t bytes = 0;
    for (uint32_t i = from; i <= to; i++)
        bytes += sizeof(struct rd_shared_tree_node) + d->stack.node.at[i].count * sizeof(rd_tid) +
                 d->graph.threads * sizeof(struct rd_event) + 256;
    return bytes;
}

static struct rd_shared_tree_node *new_node(struct rd_shared_tree *g) {
    struct rd_shared_tree_node *x = g->unused;
    if (!x)
        return rd_arena_zero(&g->arena, sizeof *x);
    g->unused = x->next;
    return x;
}

/* Stores the pending events of all threads at the node, as far as this execution shows them. */
static void note_events(struct rd_dpor *d, struct rd_shared_tree *g, struct rd_shared_tree_node *x) {
    x->event_count = d->graph.threads;
    if (x->event_room < x->event_count) {
        x->event_room = x->event_count;
        x->event = rd_arena_alloc(&g->arena, x->event_room * sizeof *x->event);
    }
    for (uint32_t tid = 0; tid < x->event_count; tid++)
        x->event[tid] = rd_sleep_set_event(&d->graph, (rd_tid)tid, x->depth);
}

static void plant(struct rd_dpor *d, struct rd_shared_tree *g, uint32_t i) {
    RD_CHECK(i < d->stack.node.count && d->above.count >= i);
    struct rd_node *n = &d->stack.node.at[i];
    struct rd_shared_tree_node *x = new_node(g);
    struct rd_shared_tree_node *parent = i ? d->above.at[i - 1] : NULL;
    x->node = *n;
    x->parent = parent;
    x->depth = i;
    x->active = 1; /* the unit of this worker, in the rest of its stack */
    x->ready = false;
    if (i)
        x->via = d->stack.node.at[i - 1].choice;
    if (x->cand_room < n->count && !n->value) {
        x->cand_room = n->count;
        x->cand = rd_arena_alloc(&g->arena, n->count * sizeof *x->cand);
    }
    if (!n->value) {
        memcpy(x->cand, d->stack.pool.at + n->cand, n->count * sizeof *x->cand);
        if (!d->bounded)
            rd_tid_set_add(&x->node.sleep, n->choice.pick);
    }
    if (d->optimal) {
        x->initials_only = x->node.sleep; /* with the thread that was begun last */
        d->initials_only.at[i] = x->initials_only;
        note_events(d, g, x);
        x->node.extra = rd_wakeup_move(&g->wakeup_pool, &d->wakeup_pool, n->extra);
        n->extra = NULL;
        d->sequence_lost |= g->wakeup_pool.full;
    }
    d->above.count = i;
    rd_vec_push(d->stack.arena, &d->above, x);
    set_ready(g, x, has_more(d, &x->node, x->cand));
}

/*
 * A thread that sleeps on from a shared node covers only sequences of which it is an initial in the rest of the
 * stack, too.
 */
static void spread_initials_only(struct rd_dpor *d) {
    for (uint32_t i = RD_MAX(d->base, 1u); d->optimal && i < d->initials_only.count; i++) {
        struct rd_tid_set more;
        rd_tid_set_both(&more, &d->stack.node.at[i].sleep, &d->initials_only.at[i - 1]);
        rd_tid_set_join(&d->initials_only.at[i], &more);
    }
}

/* Other workers wait: moves the upper part of the stack into the shared tree if it has enough alternatives. */
static void share(struct rd_dpor *d) {
    struct rd_node_stack *s = &d->stack;
    struct rd_shared_tree *g = rd_shared_tree_of(d);
    uint32_t first = s->node.count, some = 0;
    for (uint32_t i = s->node.count; i-- > d->base;) {
        bool more = has_more(d, &s->node.at[i], s->pool.at + s->node.at[i].cand);
        some += more;
        first = more ? i : first;
    }
    if (some < 2)
        return;
    rd_team_lock(d->team);
    if (g->generation == d->generation && !g->ready &&
        room_for(d, d->base, first) < g->arena.size - g->arena.used) {
        for (uint32_t i = d->base; i <= first; i++)
            plant(d, g, i);
        d->base = first + 1;
        d->executions_before = s->node.at[first].executions_before;
        spread_initials_only(d);
        rd_team_call(d->team);
    }
    rd_team_unlock(d->team);
}

/* ---- from the shared tree into a stack ---- */

static void load(struct rd_dpor *d, struct rd_shared_tree_node *x) {
    struct rd_node_stack *s = &d->stack;
    s->node.count = s->pool.count = d->above.count = d->initials_only.count = 0;
    while (d->above.count <= x->depth) {
        rd_vec_push(s->arena, &d->initials_only, (struct rd_tid_set){.words = 0});
        rd_vec_push(s->arena, &d->above, NULL);
        rd_vec_push(s->arena, &s->node, (struct rd_node){.count = 0});
    }
    struct rd_choice choice = x->node.choice;
    for (struct rd_shared_tree_node *y = x; y; y = y->parent) {
        RD_CHECK(y->depth == (y->parent ? y->parent->depth + 1 : 0) && (y == x || y->active > 0));
        d->above.at[y->depth] = y;
        d->initials_only.at[y->depth] = y->initials_only;
        s->node.at[y->depth] = y->node;
        s->node.at[y->depth].choice = choice;
        s->node.at[y->depth].extra = NULL;
        choice = y->via;
    }
    for (uint32_t i = 0; i <= x->depth; i++) {
        struct rd_node *n = &s->node.at[i];
        n->cand = s->pool.count;
        for (uint32_t k = 0; !n->value && k < n->count; k++)
            rd_vec_push(s->arena, &s->pool, above(d, i)->cand[k]);
    }
    d->base = x->depth + 1;
    d->executions_before = s->executions;
    d->holds = true;
}

/*
 * Begins the next alternative of the node, in the stack of this worker. Returns false if its sequence cannot be
 * followed. pre: the lock.
 */
static bool begin(struct rd_dpor *d, struct rd_shared_tree *g, struct rd_shared_tree_node *x,
                  struct rd_draft *draft) {
    RD_CHECK(x->ready && has_more(d, &x->node, x->cand));
    load(d, x);
    struct rd_node *n = rd_node_stack_top(&d->stack);
    RD_CHECK(d->stack.node.count == d->base);
    uint16_t pick = RD_TID_NONE;
    bool fine = true;
    if (n->value) {
        rd_node_next_way(&x->node, &pick);
        rd_node_stack_take(&d->stack, pick, draft);
        rd_sleep_set_plan(&n->sleep, draft);
    } else if (d->optimal) {
        n->extra = rd_wakeup_move_first(&d->wakeup_pool, &g->wakeup_pool, &x->node.extra);
        pick = n->extra ? rd_wakeup_tid(n->extra) : RD_TID_NONE;
        d->pending = x->event;
        d->pending_count = x->event_count;
        fine = rd_wakeup_take(d, n, draft);
        d->pending = NULL;
    } else {
        pick = next_thread(d, &x->node, x->cand);
        rd_node_stack_take(&d->stack, pick, draft);
        rd_sleep_set_plan(&n->sleep, draft);
    }
    if (!n->value) {
        rd_tid_set_add(&x->node.done, pick);
        if (!d->bounded)
            rd_tid_set_add(&x->node.sleep, pick);
        rd_tid_set_add(&x->initials_only, pick);
    }
    x->active++;
    set_ready(g, x, has_more(d, &x->node, x->cand));
    return fine;
}

/* The tree is finished: begins the next bound if this one has left out an alternative. pre: the lock. */
static enum rd_next deepen(struct rd_dpor *d, struct rd_shared_tree *g) {
    RD_CHECK(!g->ready && !g->growing);
    if (d->bounded)
        __atomic_store_n(&g->proved, (int32_t)RD_MIN(g->bound, (uint32_t)INT32_MAX), __ATOMIC_RELEASE);
    if (!d->deepens || !g->left_out)
        return RD_NEXT_DONE;
    d->bound = g->bound + 1;
    clear(d, g, d->generation);
    __atomic_store_n(&g->generation, d->generation + 1, __ATOMIC_RELEASE);
    rd_shared_tree_stale(d);
    d->holds = true;
    rd_team_idle(d->team, false);
    return RD_NEXT_RUN;
}

/* For a worker whose unit is finished, or that had none: takes another unit. pre: the lock. */
static enum rd_next another(struct rd_dpor *d, struct rd_shared_tree *g, struct rd_draft *draft) {
    if (d->holds)
        release(d, g, d->base ? d->above.at[d->base - 1] : NULL, d->stack.executions - d->executions_before);
    d->holds = false;
    d->base = d->stack.node.count = d->stack.pool.count = 0;
    struct rd_shared_tree_node *x = g->ready;
    for (struct rd_shared_tree_node *y = x; y; y = y->next)
        x = y->depth < x->depth ? y : x;
    rd_team_idle(d->team, !x);
    if (x) {
        d->sequence_lost |= !begin(d, g, x, draft);
        return RD_NEXT_RUN;
    }
    return g->growing ? RD_NEXT_WAIT : deepen(d, g);
}

enum rd_next rd_shared_tree_next(struct rd_dpor *d, struct rd_draft *draft) {
    struct rd_team *t = d->team;
    struct rd_shared_tree *g = rd_shared_tree_of(d);
    rd_shared_tree_stale(d);
    if (d->sequence_lost)
        rd_shared_tree_begin_again(d);
    if (d->fresh) {
        d->fresh = false;
        return RD_NEXT_RUN;
    }
    if (__atomic_load_n(&t->hub->hungry, __ATOMIC_RELAXED) && !__atomic_load_n(&g->ready, __ATOMIC_RELAXED))
        share(d);
    for (struct rd_node *n; d->stack.node.count > d->base; rd_node_stack_pop(&d->stack)) {
        n = rd_node_stack_top(&d->stack);
        rd_node_stack_finished(&d->stack);
        if (d->go_on(d, n, draft))
            return RD_NEXT_RUN;
        if (d->sequence_lost)
            return rd_shared_tree_next(d, draft);
    }
    t->seen = __atomic_load_n(&t->hub->event, __ATOMIC_ACQUIRE);
    rd_team_lock(t);
    rd_shared_tree_stale(d);
    enum rd_next next = another(d, g, draft);
    rd_team_unlock(t);
    if (next == RD_NEXT_DONE)
        rd_team_end(t, RD_OVER_DONE);
    return next == RD_NEXT_RUN && d->sequence_lost ? rd_shared_tree_next(d, draft) : next;
}

/* ---- races ---- */

/* Returns whether the other order of the race is redundant at the node. Once it is, it stays redundant. */
static bool is_covered(struct rd_dpor *d, const struct rd_node *n, uint32_t step, struct rd_race *race) {
    if (d->optimal) {
        race->settled = race->second + 1; /* the sleep set cannot undo it: sleeping threads stay asleep */
        return rd_wakeup_covered(d, n, step, race);
    }
    for (uint32_t i = 0; i < d->initials.count; i++)
        if (rd_tid_set_has(&n->todo, d->initials.at[i]) || rd_tid_set_has(&n->sleep, d->initials.at[i]))
            return true;
    return false;
}

static bool add(struct rd_dpor *d, struct rd_shared_tree *g, struct rd_shared_tree_node *x, struct rd_race *race) {
    if (d->optimal) {
        bool added = rd_wakeup_insert(d, race, &x->node, &g->wakeup_pool);
        d->sequence_lost |= g->wakeup_pool.full;
        return added;
    }
    for (uint32_t i = 0; i < d->initials.count; i++) {
        if (!rd_node_has(&d->stack, &d->stack.node.at[x->depth], d->initials.at[i]))
            continue;
        rd_tid_set_add(&x->node.todo, d->initials.at[i]);
        return true;
    }
    return false;
}

/* Adds the thread to the backtrack set and returns whether it is new there. */
static bool add_due(struct rd_dpor *d, struct rd_node *n, rd_tid tid) {
    bool fresh = !rd_tid_set_has(&n->todo, tid);
    rd_tid_set_add(&n->todo, tid);
    if (fresh && !n->forced && beyond(d, n, tid))
        __atomic_store_n(&rd_shared_tree_of(d)->left_out, 1, __ATOMIC_RELAXED);
    return fresh;
}

/*
 * The same, or adds all candidates if the thread is not one of them. `here` is the node in the stack; n is this
 * node or its shared original, which has the same candidates.
 */
static bool add_all_due(struct rd_dpor *d, const struct rd_node *here, struct rd_node *n, rd_tid tid) {
    bool fresh = false;
    if (n->value || rd_node_has(&d->stack, here, tid))
        return add_due(d, n, tid);
    for (uint32_t i = 0; i < n->count; i++)
        fresh |= add_due(d, n, d->stack.pool.at[here->cand + i]);
    return fresh;
}

void rd_shared_tree_due(struct rd_dpor *d, uint32_t step, rd_tid tid) {
    RD_CHECK(step < d->stack.node.count && d->base <= d->above.count);
    struct rd_node *n = &d->stack.node.at[step];
    struct rd_shared_tree *g = rd_shared_tree_of(d);
    if (!add_all_due(d, n, n, tid) ||
        step >= d->base) /* a thread in the backtrack set of the copy is in that of the shared node, too */
        return;
    rd_team_lock(d->team);
    struct rd_shared_tree_node *x = d->above.at[step];
    if (g->generation == d->generation && add_all_due(d, n, &x->node, tid)) {
        g->grew = rd_team_count(d->team);
        set_ready(g, x, has_more(d, &x->node, x->cand));
        if (d->team->hub->hungry)
            rd_team_call(d->team);
    }
    rd_team_unlock(d->team);
}

void rd_shared_tree_add(struct rd_dpor *d, struct rd_race *race) {
    uint32_t step = d->graph.at[race->first].step;
    RD_CHECK(step < d->base);
    /* the copy in the stack, as the shared node was when it was last read */
    struct rd_node *n = &d->stack.node.at[step];
    struct rd_shared_tree *g = rd_shared_tree_of(d);
    if (!rd_dpor_other_order(d, race) || is_covered(d, n, step, race))
        return;
    rd_team_lock(d->team);
    if (g->generation == d->generation) {
        struct rd_shared_tree_node *x = d->above.at[step];
        n->todo = x->node.todo;
        n->sleep = x->node.sleep;
        if (d->optimal)
            d->initials_only.at[step] = x->initials_only;
        if (!is_covered(d, n, step, race) && add(d, g, x, race)) {
            n->todo = x->node.todo;
            g->grew = rd_team_count(d->team);
            set_ready(g, x, has_more(d, &x->node, x->cand));
            if (d->team->hub->hungry)
                rd_team_call(d->team);
        }
    }
    rd_team_unlock(d->team);
}
