/*
 * dpor.c - dynamic partial-order reduction with source sets and sleep sets (Abdulla, Aronis, Jonsson, Sagonas,
 * POPL 2014): one execution of every class of equivalent schedules, and few more.
 *
 * Every execution is looked at as events with vector clocks. Two events of different threads that depend on each
 * other and are not ordered otherwise are a race; where the second could have come first, an execution in which it
 * does is due, and the node before the first event gets one of the threads that can begin it. A thread whose
 * executions from a node are done sleeps there: it is not run until something happens that depends on what it is
 * about to do.
 *
 * Blocking: the lock of a mutex does not race with the release before it, which it needs, but with the lock before
 * that. In general an event that may have been needed hides no earlier one (hb_graph.h, enum rd_swap). When an
 * execution ends, what its threads were about to do is looked at as if it had happened, so a deadlock loses
 * nothing; and an operation that ends the whole program (a failed assertion) depends on everything that was still
 * to come.
 *
 * `optimal` keeps, in place of threads to begin with, trees of whole sequences (wakeup_tree.c): then no execution
 * is equivalent to another or cut because only sleepers are left, as long as it is known exactly which events can
 * be swapped: memory, mutexes, semaphores, creation, join, and (but for teams) choices of the program's own.
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
    d->wakeups.arena = a;
    rd_hb_graph_open(&d->trail, a);
    d->trail.nearest = true; /* what is hidden is not looked at */
    d->team = params->team;
    d->go_on = rd_dpor_go_on;
    if (d->team)
        rd_shared_tree_open(d);
    return d;
}

/*
 * The other order of a race begins with what happened after its first event and independently of it, then comes the
 * second. For a tree of sequences that is all that ever happened so: what a sequence leaves open, those that sleep
 * might seem to cover.
 */
bool rd_dpor_other_order(struct rd_dpor *d, const struct rd_race *race) {
    const struct rd_hb_graph *t = &d->trail;
    struct rd_reversal *s = &d->sequence;
    rd_tid last = t->at[race->second].e.tid;
    rd_reversal_make(s, d->stack.arena, t, race->first, race->second,
                     d->optimal ? t->count : RD_MIN(race->second, t->count));
    d->initials.count = 0;
    for (uint32_t i = 0; !d->optimal && i < s->threads.count; i++)
        if (rd_reversal_begins(s, t, s->threads.at[i]))
            rd_vec_push(d->stack.arena, &d->initials, s->threads.at[i]);
    /* what has nothing to do with the second one cannot have let it go on either */
    const struct rd_node *n = &d->stack.node.at[t->at[race->first].step];
    return rd_node_has(&d->stack, n, last) || rd_reversal_event(s, t, last) != race->second ||
           !rd_reversal_begins(s, t, last);
}

void rd_dpor_grows(struct rd_dpor *d, uint32_t step) {
    if (step < d->stack.branch)
        d->grew = d->stack.executions;
}

/* One of those that can begin the other order is to be run before the first event of the race. */
static void add_source(struct rd_dpor *d, const struct rd_race *race) {
    struct rd_node *n = &d->stack.node.at[d->trail.at[race->first].step];
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
    rd_dpor_grows(d, d->trail.at[race->first].step);
}

static void add_sequence(struct rd_dpor *d, struct rd_race *race, struct rd_node *n, uint32_t step) {
    race->settled = race->second + 1;
    if (!rd_dpor_other_order(d, race) || rd_wakeup_covered(d, n, step, race))
        return;
    if (rd_wakeup_insert(d, race, n, &d->wakeups))
        rd_dpor_grows(d, step);
    d->astray |= d->wakeups.full;
}

static void add_race(struct rd_dpor *d, struct rd_race *race) {
    uint32_t step = d->trail.at[race->first].step;
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

/* Is there a rival between the two, in the order of events, that could surely be swapped with the second? */
static bool hidden(const struct rd_hb_graph *t, uint32_t first, uint32_t second) {
    uint32_t count;
    const uint32_t *rivals = rd_hb_graph_rivals(t, second, &count);
    for (uint32_t i = 0; i < count; i++)
        if (rivals[i] > first && rd_hb_graph_before(t, first, rivals[i]) &&
            rd_hb_graph_swap(t, rivals[i], second) == RD_SWAP_SURE)
            return true;
    return false;
}

/* Finds all races in which this event is the second one. */
static void races_of(struct rd_dpor *d, uint32_t second) {
    const struct rd_hb_graph *t = &d->trail;
    uint32_t count;
    const uint32_t *rivals = rd_hb_graph_rivals(t, second, &count);
    for (uint32_t i = 0; i < count; i++)
        if (rd_hb_graph_swap(t, rivals[i], second) != RD_SWAP_NEVER && !hidden(t, rivals[i], second))
            rd_vec_push(d->stack.arena, &d->races, (struct rd_race){rivals[i], second, UINT32_MAX});
}

/* The races of this execution; those of the events that it has in common with the last one are known. */
static void find_races(struct rd_dpor *d) {
    while (d->races.count && d->races.at[d->races.count - 1].second >= d->trail.kept)
        d->races.count--;
    for (uint32_t i = d->trail.kept; i < d->trail.all; i++)
        races_of(d, i);
}

/* The execution was ended by its last step: whatever else was to come could have come before that. */
static void ended_by_last(struct rd_dpor *d) {
    for (uint32_t i = d->trail.count; d->ended && d->trail.count && i < d->trail.all; i++)
        if (d->trail.at[i].e.tid != d->trail.at[d->trail.count - 1].e.tid)
            add_race(d, &(struct rd_race){d->trail.count - 1, i, UINT32_MAX});
}

/*
 * An execution was ended by a bug: what would have come after it is not known, and sequences that were cut short
 * cannot be compared with others. Or a sequence that was due could not be followed, and others that were merged
 * with it are lost. The search goes on with source sets, from the beginning.
 */
static void begin_again(struct rd_dpor *d) {
    if (d->team) {
        rd_shared_tree_begin_again(d);
        return;
    }
    d->optimal = d->stack.bare = d->astray = false;
    d->following = NULL;
    d->stack.node.count = d->stack.pool.count = d->stack.branch = 0;
    d->races.count = 0;
    rd_hb_graph_forget(&d->trail);
    d->fresh = true;
}

/*
 * A thread that sleeps covers a sequence that it has no part in, because what it leaves open was put into the tree,
 * as sequences, when the thread was run. In a team some were not: those with another way inside an operation than
 * the one that was there, as all ways are run in any case; and some of what was begun in a grove (shared_tree.h).
 * Such sleepers are soft: they cover only what they are part of. Fills in those of the nodes after the branch.
 */
static void pass_soft(struct rd_dpor *d, uint32_t branch) {
    const struct rd_node_stack *s = &d->stack;
    if (!d->team)
        return;
    for (uint32_t i = d->soft.count = RD_MIN(d->soft.count, branch + 1); i < s->node.count; i++) {
        const struct rd_node *n = &s->node.at[i];
        bool all = i > 0 && n[-1].value && n[-1].count > 1;
        struct rd_tid_set b = {.words = 0};
        if (all)
            rd_tid_set_copy(&b, &n->sleep);
        else if (i > 0)
            rd_tid_set_both(&b, &n->sleep, &d->soft.at[i - 1]);
        rd_vec_push(s->arena, &d->soft, b);
    }
}

static void feedback(void *state, const struct rd_plan *plan, const struct rd_record *r) {
    struct rd_dpor *d = state;
    (void)plan;
    if (d->team && rd_shared_tree_stale(d))
        return;
    uint32_t branch = d->stack.branch;
    d->ended = r->out->verdict == RD_FOUND && r->out->finding.kind != RD_DEADLOCK && r->out->steps;
    if (d->ended && d->optimal) {
        begin_again(d);
        return;
    }
    rd_node_stack_push(&d->stack, r);
    rd_hb_graph_build(&d->trail, r);
    d->fairness |= r->out->fairness || r->out->fair_tail;
    if (d->team && (d->fairness || d->trail.undirected))
        rd_shared_tree_void(d, (d->fairness ? RD_SHARED_TREE_FAIRNESS : 0u) |
                                   (d->trail.undirected ? RD_SHARED_TREE_UNDIRECTED : 0u));
    for (uint32_t i = branch; i + 1 < d->stack.node.count; i++)
        rd_sleep_set_pass(&d->stack, &d->trail, i);
    if (d->optimal)
        pass_soft(d, branch);
    if (d->optimal)
        rd_wakeup_follow(d, branch);
    if (d->astray) {
        begin_again(d);
        return;
    }
    /* a sequence has all that happened independently, in this execution: so those of races before the branch differ
     */
    bool some = r->out->steps && !d->optimal;
    uint32_t from = some ? d->trail.of_step.at[RD_MIN(branch, r->out->steps - 1)] : 0;
    find_races(d);
    for (uint32_t i = 0; i < d->races.count; i++)
        if (d->races.at[i].second >= from && d->races.at[i].settled > d->trail.kept)
            add_race(d, &d->races.at[i]);
    ended_by_last(d);
    if (d->astray)
        begin_again(d);
}

/* The next thread to be run from this node, or RD_TID_NONE. */
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
        if (d->astray) {
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
    /* else the tree is not known well enough */
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
    else if (d->trail.undirected || voids)
        rd_text_copy(c->voids, sizeof c->voids,
                     "a signal was sent to the whole process, and who takes it was not tried in every order");
}

struct tally {
    uint64_t executions;
    uint32_t fairness, undirected;
};

static size_t tally(const void *state, void *to, size_t room) {
    const struct rd_dpor *d = state;
    struct tally t = {d->stack.executions, d->fairness, d->trail.undirected};
    RD_CHECK(sizeof t <= room);
    memcpy(to, &t, sizeof t);
    return sizeof t;
}

static void merge(void *state, const void *from, size_t size) {
    struct rd_dpor *d = state;
    struct tally t;
    RD_CHECK(size == sizeof t);
    memcpy(&t, from, sizeof t);
    d->stack.executions += t.executions;
    d->fairness |= t.fairness;
    d->trail.undirected |= t.undirected;
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
