/*
 * delta_tree.h - executions as a tree of deltas. A node is one choice that differs from the choice of the picker.
 * The execution of a node follows the choices on the path from the root to the node, and the picker everywhere
 * else (GAMBIT, PPoPP 2010, section 3).
 *
 * A node takes 32 bytes. Until it is executed it is in the fringe (the frontier of the search), an ordered tree: a
 * treap whose priorities are hashes of the node numbers. Afterwards it counts its children. A node that was
 * executed and has no children left is deleted, so memory holds only the fringe and the paths to its nodes.
 *
 * With a memory limit, the last node of the fringe is given up when there is no room. The tree counts these lost
 * nodes: with one of them the claim of the search is incomplete.
 *
 * Call order: open; then for each execution `_next`, `_from`, `_add` for each child, `_done`.
 */
#ifndef RD_SEARCH_BOUNDED_DELTA_TREE_H
#define RD_SEARCH_BOUNDED_DELTA_TREE_H

#include "base/tid_set.h"
#include "search/search.h"

struct rd_delta_tree_node {
    uint64_t key;        /* smaller keys are run earlier */
    uint32_t parent;     /* 0: none */
    uint32_t step : 30;  /* the step at which it differs */
    uint32_t value : 1;  /* it differs in a choice inside an operation, the way */
    uint32_t passed : 1; /* no execution: what the picker took in place of a sleeping thread (best_reduced.c) */
    uint32_t fp;         /* fingerprint of the candidates at that step */
    /* `pick`: the thread or way that is taken there; `cost`: preemptions or delays of the whole path */
    uint16_t pick, cost;
    union {
        struct {
            uint32_t left, right; /* in the fringe */
        };
        uint32_t children; /* once it is executed; the execution itself counts as one until `_done` */
    };
};
static_assert(sizeof(struct rd_delta_tree_node) == 32, "it is most of the memory of a long search");

struct rd_delta_tree_block {
    struct rd_delta_tree_node *node;
};

/* What a reduction knows of a node besides (delta_tree_facts.c): an element of the list of the node's facts. */
struct rd_delta_tree_fact {
    uint32_t next; /* 0: none */
    uint32_t step;
    rd_tid tid;
    bool asleep; /* the thread sleeps where the node differs; else: it is an alternative of the node at `step` */
};

struct rd_delta_tree {
    struct rd_arena *arena;
    struct {
        RD_VEC(struct rd_delta_tree_block);
    } blocks;
    uint32_t used, free; /* `used`: nodes that were ever allocated; `free`: the first of the deleted nodes */
    uint32_t fringe;     /* root of the treap of waiting nodes */
    uint32_t now;        /* the node that is being executed; 0: none */
    bool started;
    struct {
        RD_VEC(struct rd_delta_tree_fact);
    } facts; /* numbers from 1 on */
    struct {
        RD_VEC(uint32_t);
    } facts_of;         /* by node, from number 1 on: its first fact */
    uint32_t free_fact; /* the first of the deleted facts */
    uint64_t facts_alive;
    uint64_t bytes_max_allowed, bytes_max; /* the memory limit, 0: none; the most bytes of living nodes so far */
    uint64_t created, destroyed, alive, alive_max, lost;
    uint32_t lost_cost; /* the smallest cost of a lost node, if there is one */
    uint64_t early;     /* executions that ended before the choice that they were run for */
};

/* Where a new node goes among nodes with the same key: in front of them, or behind them. */
enum rd_delta_tree_end { RD_DELTA_TREE_STACK, RD_DELTA_TREE_QUEUE };

void rd_delta_tree_open(struct rd_delta_tree *t, struct rd_arena *a, const struct rd_params *params);
struct rd_delta_tree_node *rd_delta_tree_node(const struct rd_delta_tree *t, uint32_t n);
/* Returns the first node of the fringe, which is executed next, or NULL. */
const struct rd_delta_tree_node *rd_delta_tree_first(const struct rd_delta_tree *t);
/* Takes the next node from the fringe and writes its plan; the first node is the root. */
enum rd_next rd_delta_tree_next(struct rd_delta_tree *t, struct rd_draft *d, uint32_t picker);
/* Adds a child to the execution that has just been run. `child` has all but its parent. */
void rd_delta_tree_add(struct rd_delta_tree *t, struct rd_delta_tree_node child, enum rd_delta_tree_end end);
/* The same below any node that was executed; the tree may be above its memory limit afterwards. */
uint32_t rd_delta_tree_add_below(struct rd_delta_tree *t, uint32_t parent, struct rd_delta_tree_node child,
                                 enum rd_delta_tree_end end);
/* Gives the first node of the fringe this key, and moves it behind all nodes with the same key. */
void rd_delta_tree_defer(struct rd_delta_tree *t, uint64_t key);
/* Ends the execution: all its children were added. */
void rd_delta_tree_done(struct rd_delta_tree *t);

/* Returns the first step at which the execution that was run last may have children. */
uint32_t rd_delta_tree_from(struct rd_delta_tree *t, const struct rd_plan *plan, const struct rd_record *r);
/*
 * Writes the alternatives of this step to `list` (room for RD_TID_MAX), in the order in which they are tried:
 * enabled threads in ascending order, then timed waits that would time out. *late, unless `late` is NULL, is the
 * index of the first such wait. Returns the number of alternatives.
 */
uint32_t rd_delta_tree_others(const struct rd_record *r, uint32_t step, uint16_t *list, uint32_t *late);
/* Returns the node of an alternative, without key and parent. */
struct rd_delta_tree_node rd_delta_tree_child(const struct rd_record *r, uint32_t step, uint16_t pick,
                                              uint32_t cost);
/* Returns 1 if taking this thread at this step preempts the thread of the step before, else 0. */
uint32_t rd_delta_tree_preempts(const struct rd_record *r, uint32_t step, uint16_t pick);
/* Returns whether candidate i of the step is a timed wait that would time out. */
static inline bool rd_step_only_times_out(const struct rd_step *s, uint32_t i) {
    return i < RD_LATE_MAX && s->only_times_out >> i & 1;
}

/* Returns the thread that the picker `stay` takes at this step if no thread sleeps. */
rd_tid rd_delta_tree_default(const struct rd_record *r, uint32_t step);
/* Returns the memory of the living nodes and their facts. */
static inline uint64_t rd_delta_tree_bytes(const struct rd_delta_tree *t) {
    return t->alive * sizeof(struct rd_delta_tree_node) + t->facts_alive * sizeof(struct rd_delta_tree_fact);
}

/*
 * The facts of a node (delta_tree_facts.c) are deleted with it. A cursor is the place in a node's list behind the
 * facts of all steps before one; it only goes forward.
 */
struct rd_delta_tree_cursor {
    uint32_t node, before; /* `before`: the last fact of an earlier step, 0: none */
};
static inline struct rd_delta_tree_cursor rd_delta_tree_cursor(uint32_t node) {
    return (struct rd_delta_tree_cursor){.node = node};
}
/* Moves the cursor to this step, and returns the number of the first fact of the step; 0: there is none. */
uint32_t rd_delta_tree_facts_at(const struct rd_delta_tree *t, struct rd_delta_tree_cursor *c, uint32_t step);
/* Returns the fact after this one if it is of the same step, else 0. */
uint32_t rd_delta_tree_next_fact(const struct rd_delta_tree *t, uint32_t fact);
/* Adds an alternative at the step of the cursor, behind the others. */
void rd_delta_tree_note(struct rd_delta_tree *t, struct rd_delta_tree_cursor *c, uint32_t step, rd_tid tid);
/* Adds the threads that sleep at the node's own step to its facts. pre: the node has none yet. */
void rd_delta_tree_put_to_sleep(struct rd_delta_tree *t, uint32_t node, const struct rd_tid_set *sleep);
/* Writes these threads to `sleep`. */
void rd_delta_tree_sleepers(const struct rd_delta_tree *t, uint32_t node, struct rd_tid_set *sleep);
/* Deletes all facts of the node. */
void rd_delta_tree_forget_facts(struct rd_delta_tree *t, uint32_t node);

/*
 * Teams (team/team.h): rd_delta_tree_give removes half of the nodes of the fringe with a key of at most `key_max`,
 * writes each with the choices that lead to it, and returns the size in bytes. rd_delta_tree_take adds them to the
 * fringe of another worker, as if this worker had executed the nodes above them.
 */
enum { RD_DELTA_TREE_DEPTH_KEPT = 256 };
/*
 * rd_delta_tree_last_up_to: returns the number of the last node of the fringe with a key of at most `key_max`; 0:
 * none. rd_delta_tree_forget: deletes that node. pre: there is one.
 */
uint32_t rd_delta_tree_last_up_to(struct rd_delta_tree *t, uint64_t key_max);
void rd_delta_tree_forget(struct rd_delta_tree *t, uint64_t key_max);
/*
 * Adds a node of another worker. `waits`: to the fringe, behind all nodes with its key; else as one that was
 * executed.
 */
uint32_t rd_delta_tree_adopt(struct rd_delta_tree *t, struct rd_delta_tree_node node, bool waits);
/* Gives up nodes of the fringe until the tree is within its memory limit. */
void rd_delta_tree_keep_within(struct rd_delta_tree *t);
size_t rd_delta_tree_give(struct rd_delta_tree *t, uint64_t key_max, void *to, size_t room);
void rd_delta_tree_take(struct rd_delta_tree *t, const void *unit, size_t size);

/*
 * Adds to the claim of a search over this tree how large the tree is. Marks it as incomplete or void if the tree
 * has lost a node or an execution ended early.
 */
void rd_delta_tree_claim(const struct rd_delta_tree *t, struct rd_claim *c);

#endif
