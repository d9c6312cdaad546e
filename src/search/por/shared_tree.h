/*
 * shared_tree.h - the upper part of the search tree of a partial-order reduction, in the hub of a team
 * (team/team.h).
 *
 * Nodes of the shared tree belong to no worker. A worker takes one alternative of such a node, a unit, and
 * explores the subtree below it with a stack of its own. When other workers wait and no shared node has an
 * alternative to take, a worker moves the upper nodes of its stack into the shared tree, down to the first node
 * that has an alternative left. If a race shows that a shared node needs another alternative, it is added to that
 * node, where any worker can take it: no worker waits for the unit of another one, and no messages are sent.
 *
 * Why no execution is lost: an alternative is in the sleep set of its node from its beginning, not only from its
 * end. A later alternative may leave out executions that an earlier one covers, because the earlier one will be
 * finished; the earlier one never leaves out executions that the later one covers. A node stays in the tree until
 * no alternative is due there and all alternatives that were begun are finished, so every race below can add an
 * alternative to it. The tree is then one that a single worker could have built, by beginning the alternatives of
 * each node in the same order.
 *
 * Wakeup trees need one more rule. With one worker, a sleeping thread p also covers a sequence that p is no
 * initial of but independent of (p is a weak initial, Abdulla et al. 2014): the races in p's subtree have inserted
 * the rest of such a sequence before any other sequence was inserted, as the last branch of the wakeup tree at
 * that time. But alternatives of a shared node are explored at the same time, and a branch that another worker has
 * inserted may have absorbed the rest. So a thread that sleeps at a shared node, even one that was finished before
 * the node was shared, covers only sequences of which it is an initial (`initials_only`), there and wherever it
 * sleeps on below. The cost is that some executions are redundant; they are cut when all enabled threads sleep.
 *
 * A bounded reduction (bpor.c) has no sleep sets, and backtrack sets that only grow. When its tree is finished and
 * the bound has left out an alternative, the next bound begins as a new generation.
 *
 * The whole tree lies in the hub, under the hub's lock, except for words that never change and words that are
 * accessed atomically.
 */
#ifndef RD_SEARCH_POR_SHARED_TREE_H
#define RD_SEARCH_POR_SHARED_TREE_H

#include "search/por/dpor.h"
#include "search/team/team.h"

struct rd_shared_tree_node {
    /* `done` and `sleep` contain the alternatives that were begun; the wakeup tree `extra` is in the hub */
    struct rd_node node;
    struct rd_choice via; /* the choice that leads here from the parent */
    /* `next` and `before`: neighbours in the list of nodes with an alternative to take */
    struct rd_shared_tree_node *parent, *next, *before;
    /* the threads in `sleep` that cover only sequences of which they are an initial */
    struct rd_tid_set initials_only;
    rd_tid *cand;
    uint32_t cand_room;
    uint32_t depth, active; /* `active`: units begun here and shared children that are not finished */
    bool ready;             /* the node is in that list */
    struct rd_event *event; /* the pending events of the threads here; `optimal` only */
    uint32_t event_count, event_room;
};

/* Why the claim is void: the fairness rule held a thread back; a signal was sent to the whole process. */
enum rd_shared_tree_void { RD_SHARED_TREE_FAIRNESS = 1, RD_SHARED_TREE_UNDIRECTED = 2 };

struct rd_shared_tree {
    struct rd_arena arena;
    uint32_t generation; /* increases when the search begins again: units of earlier generations are void */
    uint32_t source;     /* the search has begun again with source sets */
    uint32_t growing;    /* units that were begun at the root are not finished */
    uint32_t voids;      /* enum rd_shared_tree_void, of all executions */
    uint32_t bound;      /* of a bounded reduction; every bound is a generation */
    int32_t proved;      /* the largest bound that is finished; -1: none */
    uint32_t left_out;   /* the bound has left out an alternative */
    uint64_t grew;       /* executions of the team when a shared node last got a new alternative */
    struct rd_shared_tree_node *ready, *unused;
    struct rd_wakeup_pool wakeup_pool;
};

/* Opens the tree: the first worker begins with the whole search, the others wait for units. */
void rd_shared_tree_open(struct rd_dpor *d);
enum rd_next rd_shared_tree_next(struct rd_dpor *d, struct rd_draft *draft);
/* Returns whether the unit of this worker is void because the search has begun again; then drops the unit. */
bool rd_shared_tree_stale(struct rd_dpor *d);
/* Adds the other order of a race to the shared node of its first event. pre: that node is shared. */
void rd_shared_tree_add(struct rd_dpor *d, struct rd_race *race);
/*
 * Bounded reduction: adds the thread to the backtrack set of the node at this step, or all threads if it is not
 * enabled there.
 */
void rd_shared_tree_due(struct rd_dpor *d, uint32_t step, rd_tid tid);
static inline struct rd_shared_tree *rd_shared_tree_of(const struct rd_dpor *d) {
    return (struct rd_shared_tree *)((char *)d->team->hub + d->team->hub->tree_at);
}
/*
 * rd_shared_tree_void: adds reasons why the claim of the team is void, a set of enum rd_shared_tree_void.
 * rd_shared_tree_voids: returns the reasons that all workers have added.
 */
void rd_shared_tree_void(struct rd_dpor *d, uint32_t voids);
uint32_t rd_shared_tree_voids(const struct rd_dpor *d);
/*
 * Writes the estimate of the number of executions, from the part of the tree that this worker knows, if the tree
 * has not grown for a while.
 */
void rd_shared_tree_claim(const struct rd_dpor *d, struct rd_claim *c);
/* Begins the search again with source sets, for the whole team. */
void rd_shared_tree_begin_again(struct rd_dpor *d);

#endif
