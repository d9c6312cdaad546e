/* rank_tree.c - see rank_tree.h. */
#include "search/rank/rank_tree.h"

#include "search/bounded/delta_tree.h"
#include "trace/track.h"

#include <string.h>

/* Distance of two neighbouring priorities: every change may go between two, half and half. */
enum { APART = 1 << 16 };
static_assert(APART >> RD_RANK_CHANGES_MAX > 1, "there is always a number between");

/* One execution while it is walked through. */
struct rank_walk {
    struct rd_rank_tree *t;
    const struct rd_rank_pieces *pieces;
    const struct rd_record *r;
    uint32_t used;              /* changes so far */
    uint32_t now[RD_TID_MAX];   /* by thread: its priority */
    uint32_t after[RD_TID_MAX]; /* by thread: the step from which on it is finished; UINT32_MAX: never */
    uint64_t ranks;             /* hash of the order of all that is left */
    bool fresh;                 /* `ranks` must be computed again */
    uint64_t prefix_hash;
};

void rd_rank_tree_forget(struct rd_rank_tree *t) {
    if (t->seen.room)
        memset(t->seen.slots, 0, t->seen.room * sizeof *t->seen.slots);
    t->seen.count = 0;
    t->seen.has_zero = false;
}

void rd_rank_tree_begin(struct rd_rank_tree *t) {
    RD_CHECK(t->stack.count == 0 && !t->root && t->changes <= RD_RANK_CHANGES_MAX);
    t->stack.count = t->path.count = 0;
    t->root = true;
}

void rd_rank_tree_end(struct rd_rank_tree *t) {
    t->stack.count = t->path.count = 0;
    t->root = false;
}

/* Returns the priority at place i of the order, as a number with room on both sides. */
static uint32_t priority_of(const struct rd_rank_tree *t, uint32_t i) { return (t->priority[i] + 1u) * APART; }

static void write_plan(const struct rd_rank_tree *t, struct rd_draft *d) {
    uint32_t n = t->threads ? t->tids[t->threads - 1] + 1u : 0, made = 0;
    d->plan.a = n;
    d->plan.b = t->changes;
    d->plan.ask_always = 1;
    d->plan.sparse = 1;
    for (uint32_t i = 0; i < n; i++)
        d->weight[i] = (struct rd_weight){.steps = 0};
    for (uint32_t i = 0; i < t->threads; i++)
        d->weight[t->tids[i]].steps = priority_of(t, i);
    for (uint32_t i = 0; i < t->changes; i++) {
        d->weight[rd_rank_fragment(n, i)].steps = t->free ? 0 : priority_of(t, t->threads + i);
        d->weight[rd_rank_change(n, t->changes, i)] = (struct rd_weight){UINT32_MAX, RD_TID_NONE, 0};
    }
    for (uint32_t i = 0; i < t->path.count; i++) {
        const struct rd_rank_delta *at = &t->path.at[i];
        if (at->change) {
            RD_CHECK(made < t->changes);
            d->weight[rd_rank_fragment(n, made)].steps = at->to;
            d->weight[rd_rank_change(n, t->changes, made++)] = (struct rd_weight){at->step, at->pick, 0};
            continue;
        }
        RD_CHECK(d->plan.prefix_count < d->prefix_max);
        d->prefix[d->plan.prefix_count++] =
            (struct rd_choice){.step = at->step, .pick = at->pick, .op = at->way ? RD_OP_WAITER : RD_OP_NONE};
    }
}

bool rd_rank_tree_next(struct rd_rank_tree *t, struct rd_draft *d) {
    if (t->root) {
        t->root = false;
        t->prefix_hash = 0;
    } else if (t->stack.count) {
        struct rd_rank_item item = t->stack.at[--t->stack.count];
        RD_CHECK(item.depth <= t->path.count);
        t->path.count = item.depth;
        rd_vec_push(t->arena, &t->path, item.delta);
        t->prefix_hash = item.prefix_hash;
    } else {
        return false;
    }
    write_plan(t, d);
    return true;
}

static bool over(const struct rank_walk *w, rd_tid tid, uint32_t step) { return w->after[tid] <= step; }

/* An element of the order: a thread, or a priority that is yet to be given (numbers from RD_TID_MAX on). */
struct place {
    uint32_t priority, element;
};

static uint32_t sort_in(struct place *list, uint32_t count, struct place p) {
    uint32_t i = count;
    for (; i > 0 && list[i - 1].priority > p.priority; i--)
        list[i] = list[i - 1];
    list[i] = p;
    return count + 1;
}

/* Lists the threads that are not finished, except for one, from the lowest priority on. */
static uint32_t others(const struct rank_walk *w, rd_tid but, uint32_t step, struct place *list) {
    uint32_t n = 0;
    for (uint32_t i = 0; i < w->t->threads; i++) {
        rd_tid u = w->t->tids[i];
        if (u != but && !over(w, u, step))
            n = sort_in(list, n, (struct place){w->now[u], u});
    }
    return n;
}

/*
 * Returns a hash of the order of the threads that are alive and of the priorities that are yet to be given; with
 * `free` of the number of these priorities.
 */
static uint64_t ranks(const struct rank_walk *w, uint32_t step) {
    const struct rd_rank_tree *t = w->t;
    struct place list[RD_TID_MAX + RD_RANK_CHANGES_MAX];
    uint32_t n = others(w, RD_TID_NONE, step, list);
    for (uint32_t i = w->used; i < t->changes && !t->free; i++)
        n = sort_in(list, n, (struct place){priority_of(t, t->threads + i), RD_TID_MAX + i - w->used});
    RD_CHECK(w->used <= t->changes);
    uint64_t h = t->changes - w->used;
    for (uint32_t i = 0; i < n; i++)
        h = rd_hash2(h, list[i].element);
    return h;
}

static uint64_t class_before(const struct rank_walk *w, uint32_t step) {
    return step ? w->t->classes.after.at[step - 1] : 1;
}

/* Returns whether the key was covered. If not, it counts as covered from now on. */
static bool covered(const struct rank_walk *w, uint64_t class, uint64_t order) {
    struct rd_rank_tree *t = w->t;
    bool known;
    if (t->common) {
        known = rd_visited_claim(t->common, rd_hash2(t->salt, rd_hash2(class, order)), 0, 0);
    } else {
        uint64_t *at = rd_map_put(&t->seen, t->arena, rd_hash2(class, order));
        known = *at;
        *at = 1;
    }
    t->left_out += known;
    return known;
}

static void push(const struct rank_walk *w, struct rd_rank_delta delta) {
    struct rd_rank_tree *t = w->t;
    RD_ASSERT(t->path.count == 0 || delta.step >= t->path.at[t->path.count - 1].step);
    rd_vec_push(t->arena, &t->stack, (struct rd_rank_item){delta, t->path.count, w->prefix_hash});
}

/* Offers a change to this priority, unless its continuation was covered. */
static void offer(struct rank_walk *w, uint32_t step, rd_tid tid, uint32_t to) {
    struct rd_rank_tree *t = w->t;
    uint32_t had = w->now[tid];
    bool known = false;
    if (!t->plain) {
        w->now[tid] = to;
        w->used++;
        known = covered(w, class_before(w, step), ranks(w, step));
        w->now[tid] = had;
        w->used--;
    }
    if (!known)
        push(w, (struct rd_rank_delta){.step = step, .pick = tid, .change = 1, .to = to});
}

/* Offers the changes of priority, before this step, of the thread that made the last step `from`. */
static void offer_changes(struct rank_walk *w, uint32_t step, const struct rd_step *from) {
    struct rd_rank_tree *t = w->t;
    bool here = from->op == RD_OP_START || rd_track_of_step(w->pieces->at, w->pieces->count, from);
    if (w->used == t->changes || !here || !(w->r->steps[step].flags & RD_STEP_COULD_STAY))
        return;
    uint32_t given = t->free ? 0 : priority_of(t, t->threads + w->used);
    if (t->plain && !t->free) {
        offer(w, step, from->tid, given);
        return;
    }
    struct place list[RD_TID_MAX];
    uint32_t n = others(w, from->tid, step, list), at = 0, to = 0;
    while (at < n && list[at].priority < w->now[from->tid])
        at++;
    while (to < n && list[to].priority < given)
        to++;
    if (!t->free && to != at)
        offer(w, step, from->tid, given);
    for (uint32_t i = 0; t->free && i <= n; i++) {
        uint32_t below = i ? list[i - 1].priority : 0, above = i < n ? list[i].priority : below + 2 * APART;
        if (i != at)
            offer(w, step, from->tid, below + (above - below) / 2);
    }
}

/* Offers the choices that priorities do not decide: which waiter is woken, and which timed wait times out. */
static void offer_others(const struct rank_walk *w, uint32_t step) {
    const struct rd_step *s = &w->r->steps[step];
    bool way = rd_step_is_way(s);
    for (uint32_t i = 0; i < s->ncand; i++) {
        uint16_t pick = way ? (uint16_t)i : w->r->cands[s->cand + i];
        bool taken = way ? pick == s->value : pick == s->tid;
        if (!taken && (way || rd_step_only_times_out(s, i)))
            push(w, (struct rd_rank_delta){.step = step, .pick = pick, .way = way});
    }
}

/* Computes the priorities after all changes of the path, and where each thread finishes. */
static void prepare(struct rank_walk *w) {
    struct rd_rank_tree *t = w->t;
    const struct rd_record *r = w->r;
    for (uint32_t i = 0; i < RD_TID_MAX; i++)
        w->after[i] = UINT32_MAX;
    for (uint32_t i = 0; i < t->threads; i++)
        w->now[t->tids[i]] = priority_of(t, i);
    for (uint32_t i = 0; i < t->path.count; i++) {
        if (!t->path.at[i].change)
            continue;
        w->now[t->path.at[i].pick] = t->path.at[i].to;
        w->used++;
    }
    for (uint32_t i = 0; i < r->out->steps; i++)
        if (r->threads[r->steps[i].tid].state == RD_T_FINISHED)
            w->after[r->steps[i].tid] = i + 1;
    w->fresh = true;
    RD_CHECK(w->used <= t->changes);
}

/* Visits one step. Returns false if its continuation was covered before. */
static bool visit(struct rank_walk *w, uint32_t i, const struct rd_step *before, bool changed) {
    const struct rd_step *s = &w->r->steps[i];
    if (!rd_step_is_way(s)) {
        if (before && !changed)
            offer_changes(w, i, before);
        w->fresh |= before && over(w, before->tid, i);
        if (w->fresh && !w->t->plain)
            w->ranks = ranks(w, i);
        w->fresh = false;
        if (!w->t->plain && !changed && covered(w, class_before(w, i), w->ranks))
            return false;
    }
    offer_others(w, i);
    return true;
}

/* Returns a hash of the step, equal for the same step of an execution with the same prefix. */
static uint64_t trace_of(const struct rd_step *s) {
    uint64_t way = rd_step_is_way(s) ? s->value : 0;
    return (uint64_t)s->fp << 32 ^ (uint64_t)s->tid << 16 ^ way;
}

void rd_rank_tree_feedback(struct rd_rank_tree *t, const struct rd_rank_pieces *pieces, const struct rd_record *r) {
    struct rank_walk w = {.t = t, .pieces = pieces, .r = r};
    const struct rd_rank_delta *last = t->path.count ? &t->path.at[t->path.count - 1] : NULL;
    uint32_t from = last ? last->step + !last->change : 0;
    const struct rd_step *before = NULL; /* the last step that a thread made */
    t->nondeterministic |= last && last->step >= r->out->steps;
    prepare(&w);
    if (!t->plain)
        rd_prefix_classes_of(&t->classes, t->arena, r);
    for (uint32_t i = 0; i < r->out->steps && !(r->steps[i].flags & RD_STEP_FORCED); i++) {
        const struct rd_step *s = &r->steps[i];
        t->nondeterministic |= last && i == last->step && w.prefix_hash != t->prefix_hash;
        if (i >= from && !visit(&w, i, before, last && last->change && i == from))
            return;
        w.prefix_hash = rd_hash2(w.prefix_hash, trace_of(s));
        before = rd_step_is_way(s) ? before : s;
    }
}
