/*
 * bpor.c - three reductions with backtrack sets: `bpor`, which is sound under a bound on preemptions (Coons,
 * Musuvathi and McKinley, "Bounded partial-order reduction", OOPSLA 2013), `dpor:classic`, on which it is built
 * (Flanagan and Godefroid, "Dynamic partial-order reduction for model checking software", POPL 2005), and
 * `icb:sleep`.
 *
 * Classic: for each operation of a thread, performed or pending, and each racing event of another thread, the
 * thread is added to the backtrack set before that event; if it is not enabled there, all enabled threads are.
 * Under a bound that is not enough: running the thread there may cost one preemption too many, while a switch at
 * the beginning of the other thread's turn is free. So `bpor` adds the thread there, too (the conservative
 * backtrack points of the paper). There are no sleep sets.
 *
 * The published rule leaves out the race with a release that the operation needs, as every reduction does: the two
 * events cannot be swapped. Under a bound that loses states: a turn that begins before the release, with other
 * operations, and ends without cost where it blocks, is within the bound, and the same turn begun later may not
 * be. So a race with a release counts if the thread performed operations before. `published` omits this
 * correction, for comparison, and its claim is void.
 *
 * `icb:sleep` has every thread in every backtrack set, within the bound, and sleep sets. A thread sleeps only if
 * the bound has left out no execution below its alternative: an execution that was beyond the bound there might be
 * equivalent to one that is within the bound here.
 *
 * In a team (shared_tree.h) the workers share the upper nodes. Backtrack sets follow from the executions below a
 * node, whichever worker runs them and when, so a team runs the executions of one worker. For `icb:sleep`
 * bounded_shared_tree.h guarantees the same.
 *
 * With c=N there is one pass with that bound. Without it the bound grows from 0 until it leaves out no execution.
 */
#include "base/text.h"
#include "search/por/bpor.h"
#include "search/por/shared_tree.h"
#include "search/por/bounded_shared_tree.h"

#include <string.h>

enum { UNBOUNDED = UINT32_MAX };

enum mode { BOUNDED, CLASSIC, SLEEPING };

static bool go_on(struct rd_dpor *d, struct rd_node *n, struct rd_draft *draft);

struct bpor {
    /*
     * first member: shared_tree.c gets a pointer to it. Used are the stack, the graph, the bound, and the team's
     * fields
     */
    struct rd_dpor d;
    enum mode mode;
    bool growing, finished, fairness, started, published;
    bool left_out;  /* the bound has left out an alternative */
    int32_t proved; /* the largest bound that is finished; -1: none */
    struct rd_bounded_tree_part shared;
};

static void *open_any(struct rd_arena *a, const struct rd_params *params, enum mode mode) {
    struct bpor *b = rd_arena_zero(a, sizeof *b);
    b->d.stack.arena = a;
    b->mode = mode;
    b->growing = mode != CLASSIC && !rd_param_given(params, "c");
    b->d.bound =
        mode == CLASSIC ? UNBOUNDED : (uint32_t)RD_MIN(rd_param_number(params, "c", 0), (uint64_t)INT32_MAX);
    b->proved = -1;
    b->published = rd_param_given(params, "published");
    rd_hb_graph_open(&b->d.graph, a);
    b->d.go_on = go_on;
    b->d.bounded = true;
    b->d.deepens = b->growing;
    b->d.team = params->team;
    if (b->d.team && mode == SLEEPING)
        rd_bounded_tree_open(&b->shared, &b->d);
    else if (b->d.team)
        rd_shared_tree_open(&b->d);
    return b;
}

static void *open_bpor(struct rd_arena *a, const struct rd_params *params) { return open_any(a, params, BOUNDED); }
static void *open_classic(struct rd_arena *a, const struct rd_params *params) {
    return open_any(a, params, CLASSIC);
}
static void *open_sleep(struct rd_arena *a, const struct rd_params *params) {
    return open_any(a, params, SLEEPING);
}

/* Adds the thread to the backtrack set of the node at this step, or all threads if it is not enabled there. */
static void add(struct bpor *b, uint32_t step, rd_tid tid) {
    RD_CHECK(step < b->d.stack.node.count);
    struct rd_node *n = &b->d.stack.node.at[step];
    if (b->d.team) {
        rd_shared_tree_due(&b->d, step, tid);
        return;
    }
    if (n->value || rd_node_has(&b->d.stack, n, tid)) {
        rd_tid_set_add(&n->todo, tid);
        return;
    }
    for (uint32_t i = 0; i < n->count; i++)
        rd_tid_set_add(&n->todo, b->d.stack.pool.at[n->cand + i]);
}

/*
 * Returns the first step of the turn to which this step belongs. A turn also begins where its thread goes on by a
 * time-out: a switch is free there.
 */
static uint32_t turn_of(const struct rd_record *r, uint32_t step) {
    while (step > 0 && r->steps[step - 1].tid == r->steps[step].tid &&
           (rd_step_is_way(&r->steps[step]) || r->steps[step].flags & RD_STEP_COULD_STAY))
        step--;
    return step;
}

static void add_before(struct bpor *b, const struct rd_record *r, uint32_t first, rd_tid tid) {
    uint32_t step = b->d.graph.at[first].step;
    add(b, step, tid);
    if (b->mode == BOUNDED)
        add(b, turn_of(r, step), tid);
}

/*
 * Bounded rule: adds the thread of event `second` before every event that raced with it while it was pending, and
 * of the events before that before the last one of each thread.
 */
static void against_each(struct bpor *b, const struct rd_record *r, uint32_t second) {
    const struct rd_hb_graph *t = &b->d.graph;
    const struct rd_hb_graph_event *y = &t->at[second];
    rd_tid over = RD_TID_NONE; /* the thread whose last racing event was found */
    uint32_t count;
    const uint32_t *racing = rd_hb_graph_racing(t, second, &count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t a = racing[i];
        /* the turn of `second` may begin with other operations and end without cost where it has to wait for a */
        bool before = y->prev != RD_HB_GRAPH_NONE && a < y->prev, earlier = before && !b->published;
        if (t->at[a].e.tid == over || (rd_hb_graph_swap(t, a, second) == RD_SWAP_NEVER && !earlier))
            continue;
        add_before(b, r, a, y->e.tid);
        if (before)
            over = t->at[a].e.tid;
    }
}

/* Classic rule: of the events before `second` was pending, only the last one of all threads. */
static void against_all(struct bpor *b, const struct rd_record *r, uint32_t second) {
    const struct rd_hb_graph *t = &b->d.graph;
    const struct rd_hb_graph_event *y = &t->at[second];
    uint32_t last = RD_HB_GRAPH_NONE;
    uint32_t count;
    const uint32_t *racing = rd_hb_graph_racing(t, second, &count);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t a = racing[i];
        if (rd_hb_graph_swap(t, a, second) == RD_SWAP_NEVER)
            continue;
        if (y->prev == RD_HB_GRAPH_NONE || a > y->prev)
            add_before(b, r, a, y->e.tid);
        else if (last == RD_HB_GRAPH_NONE || a > last)
            last = a;
    }
    if (last != RD_HB_GRAPH_NONE)
        add_before(b, r, last, y->e.tid);
}

/* The execution was ended by its last step: every operation that was still to come could have come before it. */
static void ended_by_last(struct bpor *b, const struct rd_record *r) {
    bool ends = r->out->verdict == RD_FOUND && r->out->finding.kind != RD_DEADLOCK;
    for (uint32_t i = b->d.graph.count; ends && b->d.graph.count && i < b->d.graph.all; i++)
        if (b->d.graph.at[i].e.tid != b->d.graph.at[b->d.graph.count - 1].e.tid)
            add_before(b, r, b->d.graph.count - 1, b->d.graph.at[i].e.tid);
}

/* Puts all threads into the backtrack sets, and computes the sleep sets. */
static void add_all(struct bpor *b, const struct rd_record *r) {
    for (uint32_t i = b->d.stack.branch; i < b->d.stack.node.count; i++) {
        struct rd_node *n = &b->d.stack.node.at[i];
        for (uint32_t k = 0; !n->value && k < n->count; k++)
            rd_tid_set_add(&n->todo, b->d.stack.pool.at[n->cand + k]);
        if (i + 1 < b->d.stack.node.count)
            rd_sleep_set_pass(&b->d.stack, &b->d.graph, i);
    }
    /* no thread was left that is awake and within the bound */
    if (r->out->verdict == RD_CUT && r->out->over_bound)
        b->d.stack.node.at[b->d.stack.node.count - 1].cut_below = true;
}

static void reduce(struct bpor *b, const struct rd_record *r) {
    uint32_t steps = r->out->steps, from = steps ? b->d.graph.of_step.at[RD_MIN(b->d.stack.branch, steps - 1)] : 0;
    for (uint32_t i = from; i < b->d.graph.all; i++) {
        if (b->mode == CLASSIC)
            against_all(b, r, i);
        if (b->mode == BOUNDED)
            against_each(b, r, i);
    }
    ended_by_last(b, r);
}

/* Notes in the hub if this execution makes the claim void. */
static void say_void(struct bpor *b) {
    struct rd_dpor *d = &b->d;
    if (b->mode == SLEEPING)
        rd_bounded_tree_void(d, (b->fairness ? RD_BOUNDED_TREE_FAIRNESS : 0u) |
                                    (d->graph.undirected ? RD_BOUNDED_TREE_UNDIRECTED : 0u));
    else
        rd_shared_tree_void(d, (b->fairness ? RD_SHARED_TREE_FAIRNESS : 0u) |
                                   (d->graph.undirected ? RD_SHARED_TREE_UNDIRECTED : 0u));
}

/* Returns whether the execution on the stack has no more preemptions than the bound allows. */
static bool is_within_bound(const struct rd_dpor *d) {
    const struct rd_node *n = d->stack.node.count ? &d->stack.node.at[d->stack.node.count - 1] : NULL;
    return !n || n->preemptions <= d->bound;
}

static void feedback(void *state, const struct rd_plan *plan, const struct rd_record *r) {
    struct bpor *b = state;
    if (b->d.team && (b->mode == SLEEPING ? rd_bounded_tree_stale(&b->shared) : rd_shared_tree_stale(&b->d)))
        return;
    RD_CHECK(rd_node_stack_follows(&b->d.stack, plan));
    rd_node_stack_push(&b->d.stack, r);
    RD_ASSERT(r->out->fairness || r->out->fair_tail || is_within_bound(&b->d));
    rd_hb_graph_build(&b->d.graph, r);
    b->fairness |= r->out->fairness || r->out->fair_tail;
    if (b->d.team)
        say_void(b);
    if (b->mode == SLEEPING)
        add_all(b, r);
    else
        reduce(b, r);
    if (b->d.team && b->mode == SLEEPING)
        rd_bounded_tree_note(&b->shared, r);
}

static rd_tid next_thread(struct bpor *b, struct rd_node *n) {
    bool beyond = false;
    rd_tid chosen = rd_bounded_tree_thread(n, b->d.stack.pool.at + n->cand, b->d.bound, &beyond);
    b->left_out |= beyond;
    n->cut |= beyond;
    return chosen;
}

static bool go_on(struct rd_dpor *d, struct rd_node *n, struct rd_draft *draft) {
    struct bpor *b = (struct bpor *)d;
    uint16_t pick;
    if (n->value && !rd_node_next_way(n, &pick))
        return false;
    if (!n->value) {
        if (b->mode == SLEEPING && !n->cut_below)
            rd_tid_set_add(&n->sleep, n->choice.pick);
        pick = next_thread(b, n);
        if (pick == RD_TID_NONE)
            return false;
        rd_tid_set_add(&n->done, pick);
    }
    n->cut |= n->cut_below;
    n->cut_below = false;
    rd_node_stack_take(&b->d.stack, pick, draft);
    rd_sleep_set_plan(&n->sleep, draft);
    return true;
}

/* Removes the last node; a cut below a node is a cut below its parent, too. */
static void pop(struct bpor *b) {
    const struct rd_node *n = rd_node_stack_top(&b->d.stack);
    bool cut = n->cut || n->cut_below;
    rd_node_stack_pop(&b->d.stack);
    if (b->d.stack.node.count)
        rd_node_stack_top(&b->d.stack)->cut_below |= cut;
}

static enum rd_next next(void *state, struct rd_draft *draft) {
    struct bpor *b = state;
    draft->plan = (struct rd_plan){.picker = b->mode == CLASSIC ? RD_PICK_FIRST : RD_PICK_STAY};
    if (b->mode == SLEEPING)
        draft->plan.preemptions_cut = b->d.bound + 1;
    if (b->d.team && b->mode == SLEEPING)
        return rd_bounded_tree_next(&b->shared, draft);
    if (b->d.team)
        return rd_shared_tree_next(&b->d, draft);
    for (struct rd_node *n; (n = rd_node_stack_top(&b->d.stack)) != NULL; pop(b)) {
        rd_node_stack_finished(&b->d.stack);
        if (go_on(&b->d, n, draft))
            return RD_NEXT_RUN;
    }
    b->d.stack.branch = 0;
    if (!b->started) {
        b->started = true;
        return RD_NEXT_RUN;
    }
    RD_CHECK(!b->finished && b->proved < (int32_t)RD_MIN(b->d.bound, (uint32_t)INT32_MAX));
    b->proved = (int32_t)RD_MIN(b->d.bound, (uint32_t)INT32_MAX);
    b->finished = !b->left_out;
    if (b->finished || !b->growing)
        return RD_NEXT_DONE;
    b->d.bound++;
    b->left_out = false;
    if (b->mode == SLEEPING)
        draft->plan.preemptions_cut = b->d.bound + 1;
    return RD_NEXT_RUN;
}

/* Writes the claim: "SUBJECT with at most 2 preemptions VERB; a bug that was missed needs at least 3". */
static void claim_bound(const struct bpor *b, struct rd_claim *c, const char *subject, const char *verb) {
    struct rd_text t;
    rd_text_init(&t, c->proved, sizeof c->proved);
    if (b->proved < 0)
        return;
    rd_text_str(&t, subject);
    if (!b->finished) {
        rd_text_str(&t, " with at most ");
        rd_text_dec(&t, b->proved);
        rd_text_str(&t, b->proved == 1 ? " preemption" : " preemptions");
    }
    rd_text_str(&t, verb);
    if (!b->finished) {
        rd_text_str(&t, "; a bug that was missed needs at least ");
        rd_text_dec(&t, b->proved + 1);
    }
}

static void claim_numbers(const struct bpor *b, struct rd_claim *c) {
    struct rd_text t;
    rd_text_init(&t, c->phase, sizeof c->phase);
    rd_text_str(&t, "the orders of events");
    if (b->mode != CLASSIC) {
        rd_text_str(&t, " with at most ");
        rd_text_dec(&t, b->d.bound);
        rd_text_str(&t, b->d.bound == 1 ? " preemption" : " preemptions");
    }
    c->preemptions = b->finished || b->mode == CLASSIC ? -1 : b->proved;
    c->complete = b->finished;
    c->reduced = 1;
    if (!b->growing && b->d.team && b->proved < 0) {
        if (b->mode != SLEEPING)
            rd_shared_tree_claim(&b->d, c);
    } else if (!b->growing) {
        c->estimate = b->d.team ? (double)b->d.stack.executions : rd_node_stack_estimate(&b->d.stack);
        c->done = b->proved >= 0 ? 1 : (double)b->d.stack.executions / c->estimate;
        c->or_more = b->proved < 0;
    }
    if (b->published)
        rd_text_copy(c->voids, sizeof c->voids, "the reduction as it was published loses states within the bound");
    if (b->fairness)
        rd_text_copy(c->voids, sizeof c->voids,
                     "a loop that waits was held back by the fairness rule, which the reduction does not know");
    else if (b->d.graph.undirected)
        rd_text_copy(c->voids, sizeof c->voids,
                     "a signal was sent to the whole process, and who takes it was not tried in every order");
}

/*
 * Returns the state that one worker alone would have after the executions of the whole team, as far as the claim
 * needs it.
 */
static struct bpor of_all(const struct bpor *b) {
    struct bpor all = *b;
    if (!b->d.team)
        return all;
    if (b->mode == SLEEPING) {
        const struct rd_bounded_tree *v = rd_bounded_tree_of(&b->d);
        all.d.bound = __atomic_load_n(&v->bound, __ATOMIC_ACQUIRE);
        all.proved = __atomic_load_n(&v->proved, __ATOMIC_ACQUIRE);
        all.finished = rd_team_done(b->d.team) && !v->left_out;
        all.fairness |= (v->voids & RD_BOUNDED_TREE_FAIRNESS) != 0;
        all.d.graph.undirected |= (v->voids & RD_BOUNDED_TREE_UNDIRECTED) != 0;
        return all;
    }
    const struct rd_shared_tree *g = rd_shared_tree_of(&b->d);
    all.d.bound = __atomic_load_n(&g->bound, __ATOMIC_ACQUIRE);
    all.proved = __atomic_load_n(&g->proved, __ATOMIC_ACQUIRE);
    all.finished = rd_team_done(b->d.team) && !g->left_out;
    all.fairness |= rd_shared_tree_voids(&b->d) & RD_SHARED_TREE_FAIRNESS;
    all.d.graph.undirected |= rd_shared_tree_voids(&b->d) & RD_SHARED_TREE_UNDIRECTED;
    return all;
}

static void claim_bpor(const void *state, struct rd_claim *c) {
    struct bpor b = of_all(state);
    claim_numbers(&b, c);
    claim_bound(&b, c, "every state that a thread can reach", " was reached");
}

static void claim_all(const void *state, struct rd_claim *c) {
    struct bpor b = of_all(state);
    claim_numbers(&b, c);
    claim_bound(&b, c, "every schedule", " is equivalent to one that was run");
}

static size_t tally(const void *state, void *to, size_t room) {
    const struct bpor *b = state;
    RD_CHECK(sizeof b->d.stack.executions <= room);
    memcpy(to, &b->d.stack.executions, sizeof b->d.stack.executions);
    return sizeof b->d.stack.executions;
}

static void merge(void *state, const void *from, size_t size) {
    struct bpor *b = state;
    uint64_t executions;
    RD_CHECK(size == sizeof executions);
    memcpy(&executions, from, sizeof executions);
    b->d.stack.executions += executions;
}

static const struct rd_search_team_ops team_ops = {.share = RD_SHARE_TREE, .tally = tally, .merge = merge};

const struct rd_search rd_search_bpor = {
    .name = "bpor",
    .summary = "fewer schedules within a bound on preemptions (c), nothing lost that a thread can see",
    .keys = "c# published",
    .guarantee = {.sentence = "every state that a thread can reach within the bound on preemptions was reached",
                  .exhaustive = true},
    .open = open_bpor,
    .next = next,
    .feedback = feedback,
    .claim = claim_bpor,
    .team = &team_ops,
};

const struct rd_search rd_search_classic = {
    .name = "dpor",
    .summary = "one schedule of every class of equivalent ones, by the classic reduction",
    .keys = "classic",
    .guarantee = {.sentence = "every schedule of this test on this input is equivalent to one that was run",
                  .exhaustive = true,
                  .outcomes = true},
    .open = open_classic,
    .next = next,
    .feedback = feedback,
    .claim = claim_all,
    .team = &team_ops,
};

const struct rd_search rd_search_bounded_sleep = {
    .name = "icb",
    .summary = "in the order of preemptions, without what is equivalent",
    .keys = "c# sleep",
    .guarantee = {.sentence = "every schedule with at most as many preemptions as the bound allows is equivalent "
                              "to one that was run",
                  .exhaustive = true,
                  .outcomes = true},
    .open = open_sleep,
    .next = next,
    .feedback = feedback,
    .claim = claim_all,
    .team = &team_ops,
};
