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
#include "search/bounded/bounded.h"
#include "search/por/prefix_classes.h"
#include "search/por/backtrack_marks.h"
#include "search/team/team.h"

#include "base/rng.h"

#include <string.h>

enum priority { PB, DPOR, SS, MDPOR, RAND, METHOD, VAR, PRIORITIES };

static const struct {
    const char *key;
    unsigned bits;
} words[PRIORITIES] = {
    [PB] = {"pb", 16},     [DPOR] = {"dpor", 1},     [SS] = {"ss", 1},   [MDPOR] = {"mdpor", 1},
    [RAND] = {"rand", 32}, [METHOD] = {"method", 2}, [VAR] = {"var", 2},
};

struct best_search {
    struct rd_bounded base;
    struct rd_rng rng;
    uint8_t order[PRIORITIES];
    uint32_t count;
    /*
     * which facts of an execution the priorities need: its backtrack sets, its sleep sets, its pending operations
     */
    bool races, sleep, ahead;
    const struct rd_range *ranges;
    uint32_t range_count;
    struct {
        RD_VEC(struct rd_delta_tree_node);
    } children; /* of the last execution */
};

static void *open_best(struct rd_arena *a, const struct rd_params *params) {
    struct best_search *s = rd_arena_zero(a, sizeof *s);
    rd_bounded_open(&s->base, a, params, "c");
    rd_rng_seed(&s->rng, params->seed);
    s->ranges = params->ranges;
    s->range_count = params->range_count;
    bool given[PRIORITIES] = {false};
    for (uint32_t i = 0; i < params->count; i++) {
        for (unsigned p = 0; p < PRIORITIES; p++) {
            if (strcmp(params->at[i].key, words[p].key) != 0 || given[p])
                continue;
            given[p] = true;
            s->order[s->count++] = (uint8_t)p;
        }
    }
    s->races = given[DPOR] || given[MDPOR];
    s->sleep = given[SS];
    s->ahead = given[METHOD] || given[VAR];
    return s;
}

static enum rd_next next(void *state, struct rd_draft *d) {
    struct best_search *s = state;
    return rd_delta_tree_next(&s->base.tree, d, RD_PICK_STAY);
}

static bool listed(const struct best_search *s, enum rd_names list, rd_place p) {
    for (uint32_t i = 0; i < s->range_count; i++)
        if (s->ranges[i].list == list && p >= s->ranges[i].first && p <= s->ranges[i].last)
            return true;
    return false;
}

/*
 * Returns 0 if both the operation that is preempted and the one that preempts it are on the list, 1 if one of them
 * is, 2 if none is.
 */
static uint64_t unlisted(const struct best_search *s, enum rd_names list, const struct rd_backtrack_marks *m,
                         uint32_t step, const struct rd_delta_tree_node *child) {
    const struct rd_step *here = &m->record->steps[step];
    rd_place place = list == RD_NAMES_METHOD ? here->pc : here->place, other = place;
    if (!child->value) {
        const struct rd_event *e = m->now[child->pick].at;
        other = !e ? 0 : list == RD_NAMES_METHOD ? rd_backtrack_marks_pc(m, child->pick) : e->place;
    }
    return 2 - (uint64_t)listed(s, list, place) - (uint64_t)listed(s, list, other);
}

static uint64_t priority_of(struct best_search *s, enum priority p, const struct rd_backtrack_marks *m,
                            uint32_t step, const struct rd_delta_tree_node *child) {
    unsigned marks = m->at ? rd_backtrack_marks_of(m, step, child->pick) : 0;
    switch (p) {
    case PB:
        return child->cost;
    case DPOR:
        return !(marks & RD_BACKTRACK_RACE);
    case SS:
        return marks & RD_BACKTRACK_ASLEEP ? 1 : 0;
    case MDPOR:
        return !(marks & RD_BACKTRACK_FIRM);
    case RAND:
        return rd_rng_next(&s->rng) >> 32;
    case METHOD:
        return unlisted(s, RD_NAMES_METHOD, m, step, child);
    case VAR:
        return unlisted(s, RD_NAMES_VAR, m, step, child);
    default:
        RD_BUG("no such priority");
    }
}

static uint64_t key_of(struct best_search *s, const struct rd_backtrack_marks *m, uint32_t step,
                       const struct rd_delta_tree_node *child) {
    uint64_t key = 0;
    for (uint32_t i = 0; i < s->count; i++) {
        uint64_t priority = priority_of(s, s->order[i], m, step, child);
        RD_CHECK(priority >> words[s->order[i]].bits == 0);
        key = key << words[s->order[i]].bits | priority;
    }
    return key;
}

/* Computes the facts of the execution that the priorities need. */
static void examine(const struct best_search *s, const struct rd_record *r, struct rd_arena *scratch,
                    struct rd_backtrack_marks *m) {
    *m = (struct rd_backtrack_marks){.record = r};
    if (!s->races && !s->sleep && !s->ahead)
        return;
    rd_backtrack_marks_open(m, scratch, r);
    if (s->races)
        rd_backtrack_marks_races(m, scratch);
    if (s->sleep)
        rd_backtrack_marks_sleep(m, &s->base.tree);
    rd_backtrack_marks_begin(m);
}

static void offer(struct best_search *s, const struct rd_backtrack_marks *m, uint32_t step, uint16_t pick,
                  uint32_t used) {
    uint32_t cost = used + rd_delta_tree_preempts(m->record, step, pick);
    struct rd_delta_tree_node child = rd_delta_tree_child(m->record, step, pick, cost);
    if (!rd_bounded_admits(&s->base, cost))
        return;
    child.key = key_of(s, m, step, &child);
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
    examine(s, r, &scratch, &m);
    s->children.count = 0;
    for (uint32_t i = 0; i < r->out->steps; i++) {
        if (i >= from)
            branch(s, &m, i, used);
        if (m.at)
            rd_backtrack_marks_pass(&m, i);
    }
}

/* Returns whether the tree is run in the order of preemptions. */
static bool in_order(const struct best_search *s) { return s->count && s->order[0] == PB; }

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
    rd_delta_tree_claim(&s->base.tree, c);
    c->reduced = 1;
    rd_bound_words(&b, "preemption", c);
    if (!c->incomplete)
        c->preemptions = (int32_t)RD_MIN(b.finished, (int64_t)INT32_MAX);
}

static uint64_t level(void *state) { return rd_bounded_level(state, in_order(state)); }

static size_t give(void *state, uint64_t level, void *to, size_t room) {
    struct best_search *s = state;
    unsigned below = 0; /* bits of the key behind the preemptions */
    for (uint32_t i = 1; i < s->count; i++)
        below += words[s->order[i]].bits;
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

const struct rd_search rd_search_best = {
    .name = "best",
    .summary = "best first by pb, dpor, ss, mdpor, rand, method=f,g and var=x,y in the order given; c=N: at most N "
               "preemptions",
    .keys = "pb dpor ss mdpor rand method= var= c#",
    .guarantee = {.sentence = "every schedule with at most as many preemptions as the bound allows was run",
                  .exhaustive = true,
                  .outcomes = true},
    .focusable = true,
    .keeps_within = true,
    .open = open_best,
    .next = next,
    .feedback = feedback,
    .claim = claim,
    .team = &team_ops,
};
