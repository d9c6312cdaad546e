/* bounded.c - see bounded.h. */
#include "search/bounded/bounded.h"

#include "search/team/team.h"

#include <string.h>

void rd_bounded_open(struct rd_bounded *b, struct rd_arena *a, const struct rd_params *params, const char *limit) {
    rd_delta_tree_open(&b->tree, a, params);
    b->bound.finished = -1;
    b->team = params->team;
    b->tree.started = b->team && b->team->me; /* the first worker runs the root of the tree */
    b->limit = rd_param_given(params, limit) ? (int64_t)rd_param_number(params, limit, 0) : -1;
}

bool rd_bounded_admits(struct rd_bounded *b, uint32_t cost) {
    bool admits = b->limit < 0 || cost <= b->limit;
    b->bound.beyond |= !admits;
    return admits;
}

uint32_t rd_bounded_count(struct rd_bounded *b) {
    RD_CHECK(b->tree.now);
    uint32_t cost = rd_delta_tree_node(&b->tree, b->tree.now)->cost;
    RD_CHECK(b->limit < 0 || cost <= b->limit);
    b->bound.executions++;
    b->most = RD_MAX(b->most, cost);
    return cost;
}

void rd_bounded_settle(struct rd_bounded *b, bool ordered) {
    RD_CHECK(!b->tree.now);
    const struct rd_delta_tree_node *first = rd_delta_tree_first(&b->tree);
    int64_t all = b->bound.beyond ? b->limit : (int64_t)b->most;
    RD_CHECK(b->team || b->bound.finished <= all);
    int64_t finished = first ? (int64_t)first->cost - 1 : all;
    if (!first && !b->tree.lost)
        rd_bound_end(&b->bound, all);
    else if (ordered)
        rd_bound_finish(&b->bound, rd_bounded_kept(b, finished));
}

uint64_t rd_bounded_level(const struct rd_bounded *b, bool ordered) {
    const struct rd_delta_tree_node *first = rd_delta_tree_first(&b->tree);
    if (!b->tree.started)
        return 0;
    return !first ? RD_LEVEL_NONE : ordered ? first->cost : 0;
}

struct rd_bound rd_bounded_progress(const struct rd_bounded *b, int64_t finished, int64_t most) {
    struct rd_bound all = b->bound;
    if (b->team) {
        all = (struct rd_bound){.executions = all.executions,
                                .covered = b->team->hub->covered,
                                .finished = finished,
                                .beyond = all.beyond};
        if (rd_team_done(b->team))
            rd_bound_end(&all, all.beyond ? b->limit : most);
    }
    return all;
}

int64_t rd_bounded_kept(const struct rd_bounded *b, int64_t bound) {
    return b->tree.lost ? RD_MIN(bound, (int64_t)b->tree.lost_cost - 1) : bound;
}

void rd_bounded_claim(const struct rd_bounded *b, struct rd_claim *c) {
    rd_delta_tree_claim(&b->tree, c);
    c->given_up = c->incomplete;
    c->incomplete = c->incomplete && (b->team || b->bound.finished < 0);
}

size_t rd_bounded_give(void *state, uint64_t level, void *to, size_t room) {
    return rd_delta_tree_give(&((struct rd_bounded *)state)->tree, level, to, room);
}

void rd_bounded_take(void *state, const void *unit, size_t size) {
    rd_delta_tree_take(&((struct rd_bounded *)state)->tree, unit, size);
}

/* The tally of a worker. */
struct bounded_tally {
    uint64_t executions, lost, early, nodes_max, bytes_max;
    uint32_t most, barred, beyond, unfair;
};

size_t rd_bounded_tally(const void *state, void *to, size_t room) {
    const struct rd_bounded *b = state;
    struct bounded_tally t = {b->bound.executions, b->tree.lost,      b->tree.early,
                              b->tree.alive_max,   b->tree.bytes_max, b->most,
                              b->barred,           b->bound.beyond,   b->unfair};
    RD_CHECK(sizeof t <= room);
    memcpy(to, &t, sizeof t);
    return sizeof t;
}

void rd_bounded_merge(void *state, const void *tally, size_t size) {
    struct rd_bounded *b = state;
    struct bounded_tally t;
    RD_CHECK(size == sizeof t);
    memcpy(&t, tally, sizeof t);
    b->bound.executions += t.executions;
    b->bound.beyond |= t.beyond != 0;
    b->tree.lost += t.lost;
    b->tree.early += t.early;
    b->tree.alive_max += t.nodes_max; /* of all workers together: at most that many at the same time */
    b->tree.bytes_max += t.bytes_max;
    b->most = RD_MAX(b->most, t.most);
    b->unfair |= t.unfair != 0;
    b->barred = b->barred && t.barred ? RD_MIN(b->barred, t.barred) : b->barred + t.barred;
}
