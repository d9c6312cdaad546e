/*
 * rank_tree.h - all executions of one order of priorities: those that differ in where the priorities change, in who
 * is woken, and in which timed waits give up. Depth first; an execution is the differences on the way to it.
 *
 * What the changes change to is part of the order. Where all orders of n + c priorities are to be searched it is
 * `free` instead: the order is one of the n threads, and a change puts the thread between any two others. That
 * comes to the same with far fewer executions.
 *
 * What was covered before is left out, unless `plain`:
 *   - a change that puts the thread above or below no other that is not over: the same goes without it (`free`
 *     leaves that out always);
 *   - what follows when everything is as it was elsewhere: the happens-before class of the prefix, the order of the
 *     priorities of all threads that are not over, and of those that are yet to be given. The thread that has just
 *     run matters only for the change that it can make there, so that is looked at first. What the fairness rule
 *     remembers is not in that key: executions with yields must be searched plainly. And where a thread yields so
 *     often that the picker lowers it, not even its priority is known here: plainly and not free.
 * Call order: begin for each order of priorities; then next, the execution, feedback until next says no.
 */
#ifndef RD_SEARCH_RANK_RANK_TREE_H
#define RD_SEARCH_RANK_RANK_TREE_H

#include "search/por/prefix_classes.h"
#include "search/rank/rank_permutations.h"
#include "search/rank/rank_vars.h"
#include "search/search.h"
#include "search/visited.h"

/* What an execution does otherwise than the one before it. */
struct rd_rank_delta {
    uint32_t step;
    uint16_t pick;  /* the thread or the way that is taken; of a change the thread */
    uint8_t change; /* the priority changes before this step */
    uint8_t way;
    uint32_t to; /* of a change: the new priority */
};

struct rd_rank_item {
    struct rd_rank_delta delta;
    uint32_t depth; /* differences before it */
    uint64_t past;  /* hash of what happened before the step */
};

struct rd_rank_tree {
    struct rd_arena *arena;
    const rd_tid *who; /* the threads, ascending: number i of the order is who[i] */
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
    uint64_t past; /* that the execution must have had before its last difference */
    struct rd_prefix_classes classes;
    struct rd_map seen;
    struct rd_visited *common; /* of several workers, in its place; what they search has another salt each time */
    uint64_t salt;
    uint64_t left_out; /* that were covered before */
    bool strange;      /* an execution did not do the same up to where it differs */
};

/* Nothing is covered yet: another set of variables. */
void rd_rank_tree_forget(struct rd_rank_tree *t);
/* `t->priority` is the order that is searched now. */
void rd_rank_tree_begin(struct rd_rank_tree *t);
/* Nothing is left of the order that is searched now. */
void rd_rank_tree_end(struct rd_rank_tree *t);
/* Writes the differences and the priorities into the draft, whose picker is `rank`. False: nothing is left. */
bool rd_rank_tree_next(struct rd_rank_tree *t, struct rd_draft *d);
/* `pieces`: where a change may follow an access. */
void rd_rank_tree_feedback(struct rd_rank_tree *t, const struct rd_rank_pieces *pieces, const struct rd_record *r);

#endif
