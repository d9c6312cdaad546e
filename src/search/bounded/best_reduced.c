/*
 * best_reduced.c - best-first search over partial-order reduction, `best:reduce` (GAMBIT: Coons, Burckhardt and
 * Musuvathi, PPoPP 2010, figure 4, without a bound): at least one execution of every happens-before class, none
 * twice, the best alternative of all first.
 *
 * An alternative enters the tree only when a race of an execution demands it (por/races.h): no initial of the other
 * order of the race is among the alternatives that were ever created at that step, or asleep there (source sets,
 * Abdulla et al., POPL 2014). The paper's rule, to add the racing thread, loses orders together with sleep sets.
 *
 * The order of the siblings at a step is the order of their creation, and a thread sleeps in all siblings that were
 * created after it. That is sound though the search is not depth first: the proof of source sets speaks of the
 * whole tree in the end, and each alternative that was created is executed in the end. So the sleep set of a node
 * is known when the node is created: the threads that sleep at the step before, and its elder siblings. It is one
 * of the node's facts (delta_tree_facts.c), and the alternatives that were created below it are the others.
 *
 * A race can be between events before the node's own step. Its alternative differs from the ancestor that has made
 * this step, and becomes the ancestor's child: the later choices on the path to the node have no part in it. A node
 * without children can be deleted, as only executions below it can demand more of its alternatives.
 *
 * A plan repeats the choices on the path, and the picker's choices between them, in which no thread sleeps. Where
 * the picker of an execution has passed over a sleeping thread, what it took instead is a choice, too: a node of
 * the path that is no execution of its own (`passed`).
 */
#include "search/bounded/best_reduced.h"

#include "base/text.h"
#include "search/bounded/bounded.h"
#include "search/por/races.h"
#include "search/por/sleep_set.h"
#include "search/priority/priority.h"

struct reduced_search {
    struct rd_bounded base;
    struct rd_priority_order order;
    struct rd_hb_graph graph; /* of the last execution */
    struct rd_races races;    /* of the last execution */
    struct rd_reversal sequence;
    struct rd_initials initials;
    struct rd_arena scratch; /* for one execution */
    bool fairness;           /* the fairness rule held threads back in an execution: the claim is void */
};

static struct rd_arena lend(struct rd_arena *a) {
    struct rd_arena part;
    size_t size = (a->size - a->used) / 4 & ~(size_t)4095;
    rd_arena_init(&part, rd_arena_alloc(a, size), size);
    a->lent += size;
    return part;
}

static void *open_reduced(struct rd_arena *a, const struct rd_params *params) {
    struct reduced_search *s = rd_arena_zero(a, sizeof *s);
    rd_bounded_open(&s->base, a, params, "c");
    rd_priority_order_open(&s->order, params);
    rd_hb_graph_open(&s->graph, a);
    s->graph.nearest = true; /* only immediate races are examined */
    s->scratch = lend(a);
    return s;
}

static enum rd_next next(void *state, struct rd_draft *d) {
    struct reduced_search *s = state;
    struct rd_tid_set sleep;
    enum rd_next next = rd_delta_tree_next(&s->base.tree, d, RD_PICK_STAY);
    if (next != RD_NEXT_RUN)
        return next;
    rd_delta_tree_sleepers(&s->base.tree, s->base.tree.now, &sleep);
    rd_sleep_set_plan(&sleep, d);
    return next;
}

/* ---- a walk along the execution ---- */

/* The races whose first event is at one step, as a list. */
struct demand {
    const struct rd_race *race;
    struct demand *next;
};

/* Where the walk is: before step `step` of the execution. */
struct best_walk {
    struct reduced_search *s;
    const struct rd_record *record;
    struct rd_backtrack_marks marks;
    struct demand **demands;            /* by step */
    uint32_t *path;                     /* the nodes from the root to the one that was executed */
    uint32_t length, at;                /* of `path`; the last node of it whose own step is before `step` */
    struct rd_delta_tree_cursor cursor; /* the node that gets the alternatives of `step`, and its facts there */
    struct rd_tid_set sleep;            /* the threads that sleep at `step` */
    uint32_t step, cost;                /* `cost`: the preemptions before `step` */
    /* steps since the last node at which the picker has passed over a sleeping thread */
    struct {
        RD_VEC(uint32_t);
    } passed;
};

static const struct rd_delta_tree_node *on_path(const struct best_walk *w, uint32_t i) {
    return rd_delta_tree_node(&w->s->base.tree, w->path[i]);
}

/* Returns whether the node `at` + 1 of the path differs from the node `at` at this step. */
static bool branches_here(const struct best_walk *w) {
    return w->at + 1 < w->length && on_path(w, w->at + 1)->step == w->step;
}

/* Creates the nodes for the steps that were passed: the plan of a later alternative needs them. */
static void make_passed(struct best_walk *w) {
    struct rd_delta_tree *t = &w->s->base.tree;
    for (uint32_t i = 0; i < w->passed.count; i++) {
        uint32_t step = w->passed.at[i];
        struct rd_delta_tree_node n = rd_delta_tree_child(w->record, step, w->record->steps[step].tid, 0);
        n.parent = w->cursor.node;
        n.passed = true;
        w->cursor = rd_delta_tree_cursor(rd_delta_tree_adopt(t, n, false));
    }
    w->passed.count = 0;
}

/* Creates an alternative at this step. The threads in `asleep` sleep in it. */
static void create(struct best_walk *w, struct rd_delta_tree_node child, const struct rd_tid_set *asleep) {
    struct rd_delta_tree *t = &w->s->base.tree;
    uint32_t n = rd_delta_tree_add_below(t, w->cursor.node, child, RD_DELTA_TREE_STACK);
    rd_delta_tree_put_to_sleep(t, n, asleep);
}

static struct rd_delta_tree_node child_of(struct best_walk *w, uint16_t pick) {
    uint32_t cost = w->cost + rd_delta_tree_preempts(w->record, w->step, pick);
    struct rd_delta_tree_node child = rd_delta_tree_child(w->record, w->step, pick, cost);
    child.key = rd_priority_order_key(&w->s->order, &w->marks, w->step, &child);
    return child;
}

/* Creates the other ways of an operation: all of them are run. */
static void offer_ways(struct best_walk *w) {
    uint16_t others[RD_TID_MAX];
    uint32_t count = rd_delta_tree_others(w->record, w->step, others, NULL);
    if (count)
        make_passed(w);
    for (uint32_t i = 0; i < count; i++)
        create(w, child_of(w, others[i]), &w->sleep);
}

/*
 * Adds to `sleep` the alternatives that this step has already: those that were created, with the thread that the
 * parent takes as the first; or only the thread that is taken here.
 */
static void add_alternatives(struct best_walk *w, struct rd_tid_set *sleep) {
    const struct rd_delta_tree *t = &w->s->base.tree;
    uint32_t n = rd_delta_tree_facts_at(t, &w->cursor, w->step);
    if (!n)
        rd_tid_set_add(sleep, w->record->steps[w->step].tid);
    for (; n; n = rd_delta_tree_next_fact(t, n))
        rd_tid_set_add(sleep, t->facts.at[n - 1].tid);
}

/* Returns the best alternative among the initials of the other order, unless one of them is there already. */
static bool choose(struct best_walk *w, const struct rd_tid_set *there, struct rd_delta_tree_node *best) {
    const struct rd_initials *initials = &w->s->initials;
    bool some = false;
    for (uint32_t i = 0; i < initials->count; i++)
        if (rd_tid_set_has(there, initials->at[i]))
            return false;
    for (uint32_t i = 0; i < initials->count; i++) {
        if (!rd_hb_graph_enabled(&w->s->graph, initials->at[i], w->step))
            continue;
        struct rd_delta_tree_node child = child_of(w, initials->at[i]);
        if (!some || child.key < best->key)
            *best = child;
        some = true;
    }
    return some;
}

/* Creates the alternative that the race demands, unless there is one. */
static void meet_demand(struct best_walk *w, const struct rd_race *race) {
    struct reduced_search *s = w->s;
    const struct rd_hb_graph *t = &s->graph;
    struct rd_arena *a = s->base.tree.arena;
    struct rd_tid_set there;
    struct rd_delta_tree_node child;
    bool enabled = rd_hb_graph_enabled(t, t->at[race->second].e.tid, w->step);
    if (!rd_race_reverse(race, t, a, &s->sequence, RD_MIN(race->second, t->count), enabled))
        return;
    rd_race_initials(&s->sequence, t, a, &s->initials);
    rd_tid_set_copy(&there, &w->sleep);
    add_alternatives(w, &there);
    if (!choose(w, &there, &child))
        return;
    make_passed(w);
    if (!rd_delta_tree_facts_at(&s->base.tree, &w->cursor, w->step))
        rd_delta_tree_note(&s->base.tree, &w->cursor, w->step, w->record->steps[w->step].tid);
    rd_delta_tree_note(&s->base.tree, &w->cursor, w->step, child.pick);
    create(w, child, &there);
}

/* Goes to the next step. */
static void pass(struct best_walk *w) {
    const struct rd_step *here = &w->record->steps[w->step];
    bool way = rd_step_is_way(here), inside = w->step + 1 < w->record->out->steps && rd_step_is_way(here + 1);
    if (branches_here(w)) {
        w->at++;
        w->cursor = rd_delta_tree_cursor(w->path[w->at]);
        if (!on_path(w, w->at)->passed)
            rd_delta_tree_sleepers(&w->s->base.tree, w->path[w->at], &w->sleep);
    } else if (w->at + 1 == w->length && !way && !(here->flags & RD_STEP_FORCED) &&
               (here->tid != rd_delta_tree_default(w->record, w->step))) {
        rd_vec_push(&w->s->scratch, &w->passed, w->step);
    }
    if (!inside) /* else the operation is not complete yet: it wakes no thread */
        rd_sleep_set_wake(&w->sleep, &w->s->graph, w->step);
    if (w->marks.now)
        rd_backtrack_marks_pass(&w->marks, w->step);
    w->cost += (here->flags & RD_STEP_PREEMPTION) != 0;
    w->step++;
}

/* ---- the races of the execution ---- */

static void find_path(struct best_walk *w) {
    const struct rd_delta_tree *t = &w->s->base.tree;
    for (uint32_t n = t->now; n; n = rd_delta_tree_node(t, n)->parent)
        w->length++;
    w->path = rd_arena_alloc(&w->s->scratch, w->length * sizeof *w->path);
    for (uint32_t n = t->now, i = w->length; n; n = rd_delta_tree_node(t, n)->parent)
        w->path[--i] = n;
    w->cursor = rd_delta_tree_cursor(w->path[0]);
}

static void add_demands(struct best_walk *w, uint32_t from_race, uint32_t from_event) {
    struct reduced_search *s = w->s;
    for (uint32_t i = from_race; i < s->races.count; i++) {
        const struct rd_race *race = &s->races.at[i];
        uint32_t step = s->graph.at[race->first].step;
        if (race->second < from_event || w->record->steps[step].flags & RD_STEP_FORCED)
            continue;
        struct demand *d = rd_arena_alloc(&s->scratch, sizeof *d);
        *d = (struct demand){race, w->demands[step]};
        w->demands[step] = d;
    }
}

/*
 * Finds the races that the execution has shown first. Races among the events that it has in common with its parent
 * are known already.
 */
static void find_demands(struct best_walk *w, uint32_t own) {
    struct reduced_search *s = w->s;
    const struct rd_record *r = w->record;
    w->demands = rd_arena_zero(&s->scratch, r->out->steps * sizeof *w->demands);
    uint32_t from = r->out->steps ? s->graph.of_step.at[RD_MIN(own, r->out->steps - 1)] : 0;
    rd_races_find(&s->races, s->base.tree.arena, &s->graph);
    uint32_t known = s->races.count;
    if (rd_races_ended(r))
        rd_races_of_end(&s->races, s->base.tree.arena, &s->graph);
    add_demands(w, 0, from);
    s->races.count = known;
}

static void feedback(void *state, const struct rd_plan *plan, const struct rd_record *r) {
    struct reduced_search *s = state;
    struct rd_delta_tree *t = &s->base.tree;
    struct best_walk w = {.s = s, .record = r};
    rd_bounded_count(&s->base);
    uint32_t own = rd_delta_tree_node(t, t->now)->step, from = rd_delta_tree_from(t, plan, r);
    s->fairness |= r->out->fairness || r->out->fair_tail;
    rd_arena_reset(&s->scratch);
    rd_hb_graph_build(&s->graph, r);
    rd_priority_order_examine(&s->order, r, t, &s->scratch, &w.marks);
    find_path(&w);
    find_demands(&w, own);
    while (w.step < r->out->steps) {
        for (const struct demand *d = w.demands[w.step]; d; d = d->next)
            meet_demand(&w, d->race);
        if (w.step >= from && rd_step_is_way(&r->steps[w.step]))
            offer_ways(&w);
        pass(&w);
    }
    rd_delta_tree_done(t);
    rd_delta_tree_keep_within(t);
    rd_bounded_settle(&s->base, false);
}

static void claim(const void *state, struct rd_claim *c) {
    const struct reduced_search *s = state;
    *c = rd_claim_none();
    rd_delta_tree_claim(&s->base.tree, c);
    c->reduced = 1;
    c->complete = s->base.bound.ended && !c->incomplete;
    if (c->complete) {
        c->done = 1;
        c->estimate = (double)s->base.bound.executions;
        rd_text_copy(c->proved, sizeof c->proved, rd_search_best_reduced.guarantee.sentence);
    }
    rd_text_copy(c->phase, sizeof c->phase, "one execution of each order of events");
    if (s->fairness)
        rd_text_copy(c->voids, sizeof c->voids,
                     "a loop that waits was held back by the fairness rule, which the reduction does not know");
    else if (s->graph.undirected)
        rd_text_copy(c->voids, sizeof c->voids,
                     "a signal was sent to the whole process, and who takes it was not tried in every order");
}

const struct rd_search rd_search_best_reduced = {
    .name = "best",
    .summary = rd_best_summary,
    .keys = rd_best_keys,
    .guarantee = {.sentence = "every schedule of this test on this input is equivalent to one that was run",
                  .exhaustive = true,
                  .outcomes = true},
    .keeps_within = true,
    .open = open_reduced,
    .next = next,
    .feedback = feedback,
    .claim = claim,
};
