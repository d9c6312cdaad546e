/*
 * rank_tree.h - all executions of one order of priorities: they differ in the steps at which priorities change, in
 * the waiters that are woken, and in the timed waits that time out. The search goes depth first; an execution is
 * the list of differences on the path to it.
 *
 * The priorities that changes give are part of the order. If all orders of n + c priorities are to be searched,
 * the order is `free` instead: it is one of the n threads, and a change puts the thread between any two others.
 * That is equivalent with far fewer executions.
 *
 * Unless `plain`, two kinds of executions are left out because equivalent ones were covered:
 * - those with a change that moves the thread prefix_hash no other thread that is alive: the execution is the same
 *   without the change (with `free` they are always left out);
 * - the continuations of a prefix, if an earlier prefix was equal in all of this, the *key*: the happens-before
 *   class, the order of the priorities of all threads that are alive, and of the priorities that are yet to be
 *   given. The thread of the last step matters only for its change at this point, so that change is offered first.
 *   The state of the fairness rule is not in the key: executions with yields must be searched `plain`. If a thread
 *   yields so often that the picker lowers it, its priority is not known here either: then `plain`, and not
 *   `free`.
 *
 * Call order: begin for each order of priorities; then next, the execution, feedback until next returns false.
 */
#ifndef RD_SEARCH_RANK_RANK_TREE_H
#define RD_SEARCH_RANK_RANK_TREE_H

#include "search/por/prefix_classes.h"
#include "search/rank/rank_permutations.h"
#include "search/rank/rank_vars.h"
#include "search/search.h"
#include "search/visited.h"

/* One difference of an execution from the one above it. */
struct rd_rank_delta {
    uint32_t step;
    uint16_t pick;  /* the thread or the way that is taken; of a change: the thread whose priority changes */
    uint8_t change; /* the priority changes before this step */
    uint8_t way;
    uint32_t to; /* of a change: the new priority */
};

struct rd_rank_item {
    struct rd_rank_delta delta;
    uint32_t depth;       /* differences before it */
    uint64_t prefix_hash; /* hash of the execution before the step */
};

struct rd_rank_tree {
    struct rd_arena *arena;
    const rd_tid *tids; /* the threads in ascending order: element i of the order is thread tids[i] */
    uint32_t threads;
    uint32_t changes;                                    /* at most */
    uint16_t priority[RD_TID_MAX + RD_RANK_CHANGES_MAX]; /* of the order that is being searched */
    bool plain, free, root;
    struct {
        RD_VEC(struct rd_rank_item);
    } stack;
    struct {
        RD_VEC(struct rd_rank_delta);
    } path;
    uint64_t prefix_hash; /* the hash that the execution must have before its last difference */
    struct rd_prefix_classes classes;
    struct rd_map seen;
    /* the covered prefixes of a team; `salt`: a hash of the phase and the set of variables, part of each key */
    struct rd_visited *common;
    uint64_t salt;
    uint64_t left_out;     /* continuations that were covered before */
    bool nondeterministic; /* an execution did not repeat the one above up to its difference */
};

/* Forgets the covered prefixes: another set of variables begins. */
void rd_rank_tree_forget(struct rd_rank_tree *t);
/* Begins the order `t->priority`. */
void rd_rank_tree_begin(struct rd_rank_tree *t);
/* Ends the order: drops the executions that are left of it. */
void rd_rank_tree_end(struct rd_rank_tree *t);
/*
 * Writes the differences and the priorities into the draft, for the picker `rank`. Returns false if no execution
 * of the order is left.
 */
bool rd_rank_tree_next(struct rd_rank_tree *t, struct rd_draft *d);
/* `pieces`: memory after accesses to which a priority may change. */
void rd_rank_tree_feedback(struct rd_rank_tree *t, const struct rd_rank_pieces *pieces, const struct rd_record *r);

#endif
