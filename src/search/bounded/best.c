/*
 * best.c - best-first search over the tree of executions (GAMBIT: Coons, Burckhardt and Musuvathi, PPoPP 2010).
 * Every execution offers its alternatives, each with a priority, and the best alternative of all is run next.
 * Priorities are compared in the order in which they are given; among equal ones the newest comes first, which
 * keeps the tree small. No execution is run twice, and in the end all are run: a bad priority only costs time.
 * That is why sleep sets and backtrack sets, which lose executions if they prune under a bound, are safe as
 * priorities.
 *
 * The children of a node differ from it *after* its own step: with a child at that very step, as in the paper's
 * figure 4, every child would offer its parent again.
 */
#include "search/bounded/best_reduced.h"
#include "search/bounded/bounded.h"
#include "search/por/prefix_classes.h"
#include "search/priority/priority.h"
#include "search/team/team.h"

struct best_search {
    struct rd_bounded base;
    struct rd_priority_order order;
    struct {
        RD_VEC(struct rd_delta_tree_node);
    } children; /* of the last execution */
};

static void *open_best(struct rd_arena *a, const struct rd_params *params) {
    struct best_search *s = rd_arena_zero(a, sizeof *s);
    rd_bounded_open(&s->base, a, params, "c");
    rd_priority_order_open(&s->order, params);
    return s;
}

static enum rd_next next(void *state, struct rd_draft *d) {
    struct best_search *s = state;
    return rd_delta_tree_next(&s->base.tree, d, RD_PICK_STAY);
}

static void offer(struct best_search *s, const struct rd_backtrack_marks *m, uint32_t step, uint16_t pick,
                  uint32_t used) {
    uint32_t cost = used + rd_delta_tree_preempts(m->record, step, pick);
    struct rd_delta_tree_node child = rd_delta_tree_child(m->record, step, pick, cost);
    if (!rd_bounded_admits(&s->base, cost))
        return;
    child.key = rd_priority_order_key(&s->order, m, step, &child);
    RD_CHECK(s->children.count < s->children.room);
    s->children.at[s->children.count++] = child;
}

/* Among equals the newest comes first, so timed waits that would time out are offered before the others. */
static void branch(struct best_search *s, const struct rd_backtrack_marks *m, uint32_t step, uint32_t used) {
    uint16_t others[RD_TID_MAX];
    uint32_t late, count = rd_delta_tree_others(m->record, step, others, &late);
    RD_ASSERT(late <= count);
    for (uint32_t i = 0; i < count; i++)
        offer(s, m, step, others[(i + late) % count], used);
}

/* Makes room for all children first: while the execution is examined, the rest of the arena is scratch memory. */
static void find_children(struct best_search *s, const struct rd_record *r, uint32_t from, uint32_t used) {
    for (uint32_t i = from, n = 0; i < r->out->steps; n += r->steps[i++].ncand)
        while (s->children.room < n + r->steps[i].ncand)
            s->children.at = rd_vec_grow(s->base.tree.arena, s->children.at, s->children.room, &s->children.room,
                                         sizeof *s->children.at);
    struct rd_arena scratch = rd_arena_rest(s->base.tree.arena);
    struct rd_backtrack_marks m;
    rd_priority_order_examine(&s->order, r, &s->base.tree, &scratch, &m);
    s->children.count = 0;
    for (uint32_t i = 0; i < r->out->steps; i++) {
        if (i >= from)
            branch(s, &m, i, used);
        if (m.at)
            rd_backtrack_marks_pass(&m, i);
    }
}

/* Returns whether the tree is run in the order of preemptions. */
static bool in_order(const struct best_search *s) { return rd_priority_order_by_cost(&s->order); }

static void feedback(void *state, const struct rd_plan *plan, const struct rd_record *r) {
    struct best_search *s = state;
    uint32_t used = rd_bounded_count(&s->base);
    find_children(s, r, rd_delta_tree_from(&s->base.tree, plan, r), used);
    for (uint32_t i = 0; i < s->children.count; i++)
        rd_delta_tree_add(&s->base.tree, s->children.at[i], RD_DELTA_TREE_STACK);
    rd_delta_tree_done(&s->base.tree);
    RD_ASSERT(!in_order(s) || s->base.team || !rd_delta_tree_first(&s->base.tree) ||
              rd_delta_tree_first(&s->base.tree)->cost >= used);
    rd_bounded_settle(&s->base, in_order(s));
}

static void claim(const void *state, struct rd_claim *c) {
    const struct best_search *s = state;
    int64_t finished = s->base.team && in_order(s) ? (int64_t)s->base.team->hub->level - 1 : -1;
    struct rd_bound b = rd_bounded_progress(&s->base, finished, s->base.most);
    *c = rd_claim_none();
    rd_bounded_claim(&s->base, c);
    c->reduced = 1;
    rd_bound_words(&b, "preemption", c);
    if (!c->incomplete)
        c->preemptions = (int32_t)RD_MIN(b.finished, (int64_t)INT32_MAX);
}

static uint64_t level(void *state) { return rd_bounded_level(state, in_order(state)); }

static size_t give(void *state, uint64_t level, void *to, size_t room) {
    struct best_search *s = state;
    /* bits of the key behind the preemptions */
    unsigned below = in_order(s) ? s->order.bits - s->order.at[0]->bits : 0;
    uint64_t key_max = in_order(s) ? ((level + 1) << below) - 1 : UINT64_MAX;
    return rd_delta_tree_give(&s->base.tree, key_max, to, room);
}

static const struct rd_search_team_ops team_ops = {
    .share = RD_SHARE_UNITS,
    .level = level,
    .give = give,
    .take = rd_bounded_take,
    .tally = rd_bounded_tally,
    .merge = rd_bounded_merge,
};

static bool reduces(const struct rd_params *params) { return rd_param_given(params, "reduce"); }

static const struct rd_search *variant(const struct rd_params *params) {
    return reduces(params) ? &rd_search_best_reduced : NULL;
}

static const char *check(const struct rd_params *params) {
    struct rd_priority_order order;
    rd_priority_order_open(&order, params);
    if (order.bits > RD_PRIORITY_BITS)
        return "these priorities of best are too many for one search";
    if (reduces(params) && rd_param_given(params, "c")) /* GAMBIT section 4.2, figure 2 */
        return "'reduce' and 'c' of best cannot be used together: a reduction loses executions that are within a "
               "bound on preemptions; with 'c' use 'dpor', 'mdpor' and 'ss' as priorities";
    return NULL;
}

const struct rd_search rd_search_best = {
    .name = "best",
    .summary = rd_best_summary,
    .keys = rd_best_keys,
    .guarantee = {.sentence = "every schedule with at most as many preemptions as the bound allows was run",
                  .exhaustive = true,
                  .outcomes = true},
    .focusable = true,
    .keeps_within = true,
    .open = open_best,
    .next = next,
    .feedback = feedback,
    .claim = claim,
    .hooks = {.check = check, .variant = variant, .reduces = reduces},
    .team = &team_ops,
};
