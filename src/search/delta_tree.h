/*
 * delta_tree.h - executions as a tree of deltas: a node is one choice that differs from what the picker would do,
 * its execution is the choices on the way up to the root, and the picker for the rest (GAMBIT, PPoPP 2010, section
 * 3).
 *
 * A node is 32 bytes, all of it: while it waits to be executed it is part of the fringe, an ordered tree (a treap
 * whose random numbers are hashes of the nodes' own), afterwards it counts its children. A node that was executed
 * and has no children left deletes itself, so only what is still to be run and the way to it is in memory.
 *
 * With a budget, the node that would be run last is given up when there is no room; that is counted, and nothing
 * is claimed of such a search.
 *
 * Call order: open; then _next, the execution, _add for each child, _done.
 */
#ifndef RD_SEARCH_DELTA_TREE_H
#define RD_SEARCH_DELTA_TREE_H

#include "search/search.h"

struct rd_delta_tree_node {
    uint64_t key;        /* what is smaller is run earlier */
    uint32_t parent;     /* 0: none */
    uint32_t step : 31;  /* where it differs … */
    uint32_t value : 1;  /* … in a choice inside an operation */
    uint32_t fp;         /* of what was enabled there */
    uint16_t pick, cost; /* what it takes there; preemptions or delays so far */
    union {
        struct {
            uint32_t left, right; /* while it waits */
        };
        uint32_t children; /* once it was executed */
    };
};
static_assert(sizeof(struct rd_delta_tree_node) == 32, "it is most of the memory of a long search");

struct rd_delta_tree_block {
    struct rd_delta_tree_node *node;
};

struct rd_delta_tree {
    struct rd_arena *arena;
    struct {
        RD_VEC(struct rd_delta_tree_block);
    } blocks;
    uint32_t used, free; /* nodes that were ever handed out; the first of those that came back */
    uint32_t fringe;     /* root of the waiting ones */
    uint32_t now;        /* the one that is being executed; 0: none */
    bool started;
    uint64_t alive_max_allowed; /* by the budget; 0: no limit */
    uint64_t created, destroyed, alive, alive_max, lost;
    uint64_t early; /* executions that ended before the choice that they were run for */
};

/* Where it goes among nodes with the same key. */
enum rd_delta_tree_end { RD_DELTA_TREE_STACK, RD_DELTA_TREE_QUEUE };

void rd_delta_tree_open(struct rd_delta_tree *t, struct rd_arena *a, const struct rd_params *params);
struct rd_delta_tree_node *rd_delta_tree_node(const struct rd_delta_tree *t, uint32_t n);
/* The node that is run next, or NULL. */
const struct rd_delta_tree_node *rd_delta_tree_first(const struct rd_delta_tree *t);
/* Takes it out of the fringe and writes its plan; the first time that is the root. */
enum rd_next rd_delta_tree_next(struct rd_delta_tree *t, struct rd_draft *d, uint32_t picker);
/* A child of the execution that has just been: `child` has everything but its parent. */
void rd_delta_tree_add(struct rd_delta_tree *t, struct rd_delta_tree_node child, enum rd_delta_tree_end end);
/* Moves the first one to where this key belongs. */
void rd_delta_tree_defer(struct rd_delta_tree *t, uint64_t key);
/* The execution has all its children. */
void rd_delta_tree_done(struct rd_delta_tree *t);

/* The first step at which the execution that has just been may have children. */
uint32_t rd_delta_tree_from(struct rd_delta_tree *t, const struct rd_plan *plan, const struct rd_record *r);
/*
 * What else could have been taken at this step, in the order in which it is to be tried: who can go on, in
 * ascending order, then who can only give up. `list` has room for RD_TID_MAX; `late`, unless NULL, says where in it
 * those begin.
 */
uint32_t rd_delta_tree_others(const struct rd_record *r, uint32_t step, uint16_t *list, uint32_t *late);
/* The node for it. */
struct rd_delta_tree_node rd_delta_tree_child(const struct rd_record *r, uint32_t step, uint16_t pick,
                                              uint32_t cost);
/* 1 when taking this thread at this step preempts the one before. */
uint32_t rd_delta_tree_preempts(const struct rd_record *r, uint32_t step, uint16_t pick);
/* Can candidate i of the step only give up? */
static inline bool rd_step_only_times_out(const struct rd_step *s, uint32_t i) {
    return i < 31 && s->only_times_out >> i & 1;
}

/*
 * Several workers (team.h): half of what waits with a key of at most `key_max`, each node with all the choices that
 * lead to it, and the bytes that it is. The other one takes them as if it had executed what is above them.
 */
enum { RD_DELTA_TREE_DEPTH_KEPT = 256 };
/* The last one that waits with a key of at most that, 0: none does; and takes it out, for good. */
uint32_t rd_delta_tree_last_up_to(struct rd_delta_tree *t, uint64_t key_max);
void rd_delta_tree_forget(struct rd_delta_tree *t, uint64_t key_max);
/* A node that another worker had; one that waits is the last with its key. */
uint32_t rd_delta_tree_adopt(struct rd_delta_tree *t, struct rd_delta_tree_node node, bool waits);
/* Gives up what there is no room for. */
void rd_delta_tree_keep_within(struct rd_delta_tree *t);
size_t rd_delta_tree_give(struct rd_delta_tree *t, uint64_t key_max, void *to, size_t room);
void rd_delta_tree_take(struct rd_delta_tree *t, const void *unit, size_t size);

/* What they know of all executions, for the claim. */
struct rd_delta_tree_tally {
    uint64_t executions, lost, early;
    uint32_t most;   /* preemptions of one of them */
    uint32_t barred; /* see icb.c; 0: nothing was */
    uint32_t beyond, unfair;
};
size_t rd_delta_tree_tally(const struct rd_delta_tree *t, struct rd_delta_tree_tally tally, void *to, size_t room);
struct rd_delta_tree_tally rd_delta_tree_merge(struct rd_delta_tree *t, const void *tally, size_t size);

/* What makes the claims of a search over a tree worth nothing, if anything. */
void rd_delta_tree_claim(const struct rd_delta_tree *t, struct rd_claim *c);

#endif
