/*
 * dpor.c - dynamic partial-order reduction with source sets and sleep sets (Abdulla, Aronis, Jonsson and Sagonas,
 * "Optimal dynamic partial order reduction", POPL 2014, JACM 2017): at least one execution of every happens-before
 * class, and few more.
 *
 * Each execution is turned into a happens-before graph (hb_graph.h). Two dependent events of different threads
 * form a race if no other event orders them. If the events of a race could come in the other order, the search
 * needs an execution with that order: an initial of the other order is put into the backtrack set of the node
 * before the first event, unless one is there already (source sets). A thread sleeps at a node when its executions
 * from there are finished.
 *
 * Blocking operations: the lock of a mutex does not race with the unlock before it, which it needs, but with the
 * lock before that. In general, a racing event hides earlier races only if it could surely come after the second
 * event (hb_graph.h, enum rd_swap). At the end of an execution the pending operations of its threads are examined
 * as if they had happened, so that no deadlock is lost; an operation that ends the whole program (a failed
 * assertion) depends on all events that would have followed.
 *
 * `optimal` keeps wakeup trees of whole sequences in place of backtrack sets (wakeup_tree.c). Then no two
 * executions are of the same class, and none is cut because only sleepers are left, as long as it is known exactly
 * which events can be swapped: memory, mutexes, semaphores, creation, join, and (with one worker) choices of the
 * program itself.
 */
#include "search/por/dpor.h"

#include "base/text.h"
#include "search/por/bpor.h"
#include "search/por/shared_tree.h"

#include <string.h>

static void *open_dpor(struct rd_arena *a, const struct rd_params *params) {
    struct rd_dpor *d = rd_arena_zero(a, sizeof *d);
    d->stack.arena = a;
    d->fresh = true;
    d->optimal = d->stack.bare = rd_param_given(params, "optimal");
    d->wakeup_pool.arena = a;
    rd_hb_graph_open(&d->graph, a);
    d->graph.nearest = true; /* only immediate races are examined */
    d->team = params->team;
    d->go_on = rd_dpor_go_on;
    if (d->team)
        rd_shared_tree_open(d);
    return d;
}

/*
 * The other order of a race (reversal.h). Source sets need its events only up to the second event of the race. A
 * wakeup tree needs all independent events of the execution: a sequence without some of them could seem to be
 * covered by a sleeper.
 */
bool rd_dpor_other_order(struct rd_dpor *d, const struct rd_race *race) {
    const struct rd_hb_graph *t = &d->graph;
    uint32_t step = t->at[race->first].step;
    RD_CHECK(step < d->stack.node.count);
    bool enabled = rd_node_has(&d->stack, &d->stack.node.at[step], t->at[race->second].e.tid);
    bool possible = rd_race_reverse(race, t, d->stack.arena, &d->sequence,
                                    d->optimal ? t->count : RD_MIN(race->second, t->count), enabled);
    d->initials.count = 0;
    if (!d->optimal)
        rd_race_initials(&d->sequence, t, d->stack.arena, &d->initials);
    return possible;
}

void rd_dpor_grows(struct rd_dpor *d, uint32_t step) {
    if (step < d->stack.branch)
        d->grew = d->stack.executions;
}

/*
 * Puts an initial of the other order into the backtrack set before the race's first event, unless one is there or
 * asleep there.
 */
static void add_source(struct rd_dpor *d, const struct rd_race *race) {
    struct rd_node *n = &d->stack.node.at[d->graph.at[race->first].step];
    rd_tid chosen = RD_TID_NONE;
    if (!rd_dpor_other_order(d, race))
        return;
    for (uint32_t i = 0; i < d->initials.count; i++) {
        rd_tid tid = d->initials.at[i];
        if (rd_tid_set_has(&n->todo, tid) || rd_tid_set_has(&n->sleep, tid))
            return;
        if (chosen == RD_TID_NONE && rd_node_has(&d->stack, n, tid))
            chosen = tid;
    }
    if (chosen == RD_TID_NONE)
        return;
    rd_tid_set_add(&n->todo, chosen);
    rd_dpor_grows(d, d->graph.at[race->first].step);
}

static void add_sequence(struct rd_dpor *d, struct rd_race *race, struct rd_node *n, uint32_t step) {
    race->settled = race->second + 1;
    if (!rd_dpor_other_order(d, race) || rd_wakeup_covered(d, n, step, race))
        return;
    if (rd_wakeup_insert(d, race, n, &d->wakeup_pool))
        rd_dpor_grows(d, step);
    d->sequence_lost |= d->wakeup_pool.full;
}

static void add_race(struct rd_dpor *d, struct rd_race *race) {
    uint32_t step = d->graph.at[race->first].step;
    struct rd_node *n = &d->stack.node.at[step];
    if (n->forced)
        return;
    if (step < d->base)
        rd_shared_tree_add(d, race);
    else if (d->optimal)
        add_sequence(d, race, n, step);
    else
        add_source(d, race);
}

/*
 * If its last step has ended the execution: adds a race of that step with each pending operation, which could have
 * come before it. These races are not kept for the next execution.
 */
static void ended_by_last(struct rd_dpor *d) {
    uint32_t known = d->races.count;
    if (d->ended)
        rd_races_of_end(&d->races, d->stack.arena, &d->graph);
    for (uint32_t i = known; i < d->races.count; i++)
        add_race(d, &d->races.at[i]);
    d->races.count = known;
}

/*
 * Begins the search again with source sets in place of wakeup trees. Either a bug has ended an execution: the
 * events that would have followed are unknown, and sequences without them cannot be compared. Or an execution
 * could not follow a sequence of a wakeup tree, and with it the sequences that were merged with it are lost.
 */
static void begin_again(struct rd_dpor *d) {
    RD_CHECK(d->optimal);
    if (d->team) {
        rd_shared_tree_begin_again(d);
        return;
    }
    d->optimal = d->stack.bare = d->sequence_lost = false;
    d->following = NULL;
    d->stack.node.count = d->stack.pool.count = d->stack.branch = 0;
    d->races.count = 0;
    rd_hb_graph_forget(&d->graph);
    d->fresh = true;
}

/*
 * A sleeping thread p covers a sequence of which it is only a weak initial (independent of all of it), because the
 * rest of the sequence was inserted into the wakeup tree when p was run. In a team this does not hold for two
 * kinds of sequences: those that need another way inside an operation than the tree has (they are not inserted, as
 * all ways are run in any case), and some of those that were begun in the shared tree (shared_tree.h). Such
 * sleepers cover only sequences of which they are an initial. Computes them for the nodes after the branching
 * point.
 */
static void pass_initials_only(struct rd_dpor *d, uint32_t branch) {
    const struct rd_node_stack *s = &d->stack;
    if (!d->team)
        return;
    for (uint32_t i = d->initials_only.count = RD_MIN(d->initials_only.count, branch + 1); i < s->node.count; i++) {
        const struct rd_node *n = &s->node.at[i];
        bool all = i > 0 && n[-1].value && n[-1].count > 1;
        struct rd_tid_set b = {.words = 0};
        if (all)
            rd_tid_set_copy(&b, &n->sleep);
        else if (i > 0)
            rd_tid_set_both(&b, &n->sleep, &d->initials_only.at[i - 1]);
        rd_vec_push(s->arena, &d->initials_only, b);
    }
    RD_CHECK(d->initials_only.count == s->node.count);
}

static void feedback(void *state, const struct rd_plan *plan, const struct rd_record *r) {
    struct rd_dpor *d = state;
    if (d->team && rd_shared_tree_stale(d))
        return;
    uint32_t branch = d->stack.branch;
    d->ended = rd_races_ended(r);
    if (d->ended && d->optimal) {
        begin_again(d);
        return;
    }
    RD_CHECK(rd_node_stack_follows(&d->stack, plan));
    rd_node_stack_push(&d->stack, r);
    rd_hb_graph_build(&d->graph, r);
    d->fairness |= r->out->fairness || r->out->fair_tail;
    if (d->team && (d->fairness || d->graph.undirected))
        rd_shared_tree_void(d, (d->fairness ? RD_SHARED_TREE_FAIRNESS : 0u) |
                                   (d->graph.undirected ? RD_SHARED_TREE_UNDIRECTED : 0u));
    for (uint32_t i = branch; i + 1 < d->stack.node.count; i++)
        rd_sleep_set_pass(&d->stack, &d->graph, i);
    if (d->optimal)
        pass_initials_only(d, branch);
    if (d->optimal)
        rd_wakeup_follow(d, branch);
    if (d->sequence_lost) {
        begin_again(d);
        return;
    }
    /*
     * With wakeup trees a sequence consists of all independent events of this execution, so the sequence of a race
     * differs from that of the last execution even if both events of the race are before the branching point.
     */
    bool some = r->out->steps && !d->optimal;
    uint32_t from = some ? d->graph.of_step.at[RD_MIN(branch, r->out->steps - 1)] : 0;
    rd_races_find(&d->races, d->stack.arena, &d->graph);
    for (uint32_t i = 0; i < d->races.count; i++)
        if (d->races.at[i].second >= from && d->races.at[i].settled > d->graph.kept)
            add_race(d, &d->races.at[i]);
    ended_by_last(d);
    if (d->sequence_lost)
        begin_again(d);
}

/* Returns the next thread to be run from this node, or RD_TID_NONE. */
static rd_tid next_thread(const struct rd_dpor *d, const struct rd_node *n) {
    for (uint32_t i = 0; i < n->count; i++) {
        rd_tid t = d->stack.pool.at[n->cand + i];
        if (rd_tid_set_has(&n->todo, t) && !rd_tid_set_has(&n->done, t) && !rd_tid_set_has(&n->sleep, t))
            return t;
    }
    return RD_TID_NONE;
}

bool rd_dpor_go_on(struct rd_dpor *d, struct rd_node *n, struct rd_draft *draft) {
    if (n->value && d->optimal && !d->team)
        return rd_wakeup_take_way(d, n, draft);
    if (n->value) {
        uint16_t way;
        if (!rd_node_next_way(n, &way))
            return false;
        rd_node_stack_take(&d->stack, way, draft);
        rd_sleep_set_plan(&n->sleep, draft);
        return true;
    }
    RD_CHECK(d->optimal || rd_tid_set_has(&n->done, n->choice.pick));
    rd_tid_set_add(&n->sleep, n->choice.pick);
    if (d->optimal)
        return rd_wakeup_take(d, n, draft);
    rd_tid t = n->forced ? RD_TID_NONE : next_thread(d, n);
    if (t == RD_TID_NONE)
        return false;
    rd_tid_set_add(&n->done, t);
    rd_node_stack_take(&d->stack, t, draft);
    rd_sleep_set_plan(&n->sleep, draft);
    return true;
}

static enum rd_next next(void *state, struct rd_draft *draft) {
    struct rd_dpor *d = state;
    RD_CHECK(!d->finished);
    draft->plan = (struct rd_plan){.picker = RD_PICK_FIRST};
    if (d->team)
        return rd_shared_tree_next(d, draft);
    if (d->fresh) {
        d->fresh = false;
        return RD_NEXT_RUN;
    }
    for (struct rd_node *n; (n = rd_node_stack_top(&d->stack)) != NULL; rd_node_stack_pop(&d->stack)) {
        rd_node_stack_finished(&d->stack);
        if (rd_dpor_go_on(d, n, draft))
            return RD_NEXT_RUN;
        if (d->sequence_lost) {
            begin_again(d);
            return next(d, draft);
        }
    }
    d->finished = true;
    return RD_NEXT_DONE;
}

static void claim(const void *state, struct rd_claim *c) {
    const struct rd_dpor *d = state;
    bool finished = d->team ? rd_team_done(d->team) : d->finished;
    c->complete = finished;
    c->reduced = 1;
    rd_text_copy(c->phase, sizeof c->phase, "one execution of each order of events");
    /* else the tree has grown too recently for an estimate */
    if (finished || (!d->team && d->stack.executions >= 2 * d->grew)) {
        c->estimate = finished ? (double)d->stack.executions : rd_node_stack_estimate(&d->stack);
        c->done = finished ? 1 : (double)d->stack.executions / c->estimate;
        c->or_more = !finished;
    } else if (d->team) {
        rd_shared_tree_claim(d, c);
    }
    if (finished)
        rd_text_copy(c->proved, sizeof c->proved, rd_search_dpor.guarantee.sentence);
    uint32_t voids = d->team ? rd_shared_tree_voids(d) : 0;
    if (d->fairness || voids & RD_SHARED_TREE_FAIRNESS)
        rd_text_copy(c->voids, sizeof c->voids,
                     "a loop that waits was held back by the fairness rule, which the reduction does not know");
    else if (d->graph.undirected || voids)
        rd_text_copy(c->voids, sizeof c->voids,
                     "a signal was sent to the whole process, and who takes it was not tried in every order");
}

struct dpor_tally {
    uint64_t executions;
    uint32_t fairness, undirected;
};

static size_t tally(const void *state, void *to, size_t room) {
    const struct rd_dpor *d = state;
    struct dpor_tally t = {d->stack.executions, d->fairness, d->graph.undirected};
    RD_CHECK(sizeof t <= room);
    memcpy(to, &t, sizeof t);
    return sizeof t;
}

static void merge(void *state, const void *from, size_t size) {
    struct rd_dpor *d = state;
    struct dpor_tally t;
    RD_CHECK(size == sizeof t);
    memcpy(&t, from, sizeof t);
    d->stack.executions += t.executions;
    d->fairness |= t.fairness;
    d->graph.undirected |= t.undirected;
}

static const char *check(const struct rd_params *params) {
    bool both = rd_param_given(params, "optimal") && rd_param_given(params, "classic");
    return both ? "'optimal' and 'classic' cannot be used together" : NULL;
}

static const struct rd_search_team_ops team_ops = {.share = RD_SHARE_TREE, .tally = tally, .merge = merge};

static const struct rd_search *variant(const struct rd_params *params) {
    return rd_param_given(params, "classic") ? &rd_search_classic : NULL;
}

const struct rd_search rd_search_dpor = {
    .name = "dpor",
    .summary = "one schedule of every class of equivalent ones (optimal: no class twice)",
    .keys = "optimal classic",
    .guarantee = {.sentence = "every schedule of this test on this input is equivalent to one that was run",
                  .exhaustive = true,
                  .outcomes = true},
    .open = open_dpor,
    .next = next,
    .feedback = feedback,
    .claim = claim,
    .hooks = {.check = check, .variant = variant},
    .team = &team_ops,
};
