/*
 * shared_tree.h - the upper part of the tree of a partial-order reduction, when several workers search it (team.h).
 *
 * Nodes in the grove belong to nobody. A worker takes one alternative of one of them, a unit, and what is below
 * that is its own, in its own stack. When others wait and there is nothing to take, a worker moves the upper nodes
 * of its stack into the grove, down to the first that has something left. A race that is found anywhere below a
 * node of the grove is noted in that node: an alternative that is due there is anybody's to take, so nobody waits
 * for anybody's unit, and nothing is ever sent.
 *
 * Why nothing is lost: an alternative sleeps at its node from when it was begun, not from when it was done. What is
 * begun later may leave out what it covers, because it is covered in the end; and it does not leave out in turn
 * what was begun later than itself. A node stays until nothing is due there and all that was begun is done, so that
 * every race below it finds it. The tree is then one that a single worker could have built, which begins the
 * alternatives of a node in the same order.
 *
 * With sequences in the place of threads there is one thing more. A thread that sleeps may cover a sequence that it
 * has no part in, because the races found below it have put the rest of what begins with that sequence into the
 * tree before anything else was, and it is run after everything that was there then. In the grove alternatives are
 * not begun one after the other, and what others put there meanwhile may have swallowed it. So no thread that
 * sleeps at a node of the grove is relied on for that, not even one that was done before the node came there: they
 * (`soft`) cover only what they are part of, there and wherever they sleep on below. An execution that leads
 * nowhere new may be the price: it is cut.
 *
 * A search within a bound (bpor.c) has no sleepers, and sets that only grow. When its tree is done and something
 * was left out, the next bound begins, as another generation.
 *
 * All of it is in the hub, and read and changed with its lock, but for what never changes.
 */
#ifndef RD_SEARCH_POR_SHARED_TREE_H
#define RD_SEARCH_POR_SHARED_TREE_H

#include "search/por/dpor.h"
#include "search/team/team.h"

struct rd_shared_tree_node {
    struct rd_node node;  /* `done` and `sleep` have what was begun; `extra` is in the grove */
    struct rd_choice via; /* leads here from the parent */
    struct rd_shared_tree_node *parent, *next, *before; /* the latter of those that have something to take */
    struct rd_tid_set soft;                             /* of those that sleep: they were begun in the grove */
    rd_tid *cand;
    uint32_t cand_room;
    uint32_t depth, active; /* units and nodes below it that are not done */
    bool ready;             /* it is in the list */
    struct rd_event *event; /* what its threads are about to do, where that is needed */
    uint32_t event_count, event_room;
};

/* Why what is proved is void. */
enum rd_shared_tree_void { RD_SHARED_TREE_FAIRNESS = 1, RD_SHARED_TREE_UNDIRECTED = 2 };

struct rd_shared_tree {
    struct rd_arena arena;
    uint32_t generation; /* another one: all that was is void, and the search has begun again … */
    uint32_t source;     /* … with source sets */
    uint32_t growing;    /* what was begun at the root is not done */
    uint32_t voids;      /* enum rd_shared_tree_void, of all executions */
    uint32_t bound;      /* of a search within a bound; every bound is a generation of its own */
    int32_t proved;      /* the largest one that is done; -1: none */
    uint32_t left_out;   /* something was, because of the bound */
    uint64_t grew;       /* how many executions there were when something was last due in the grove that is new */
    struct rd_shared_tree_node *ready, *unused;
    struct rd_wakeups wakeups;
};

/* The first worker's grove is what the search begins with; the others wait. */
void rd_shared_tree_open(struct rd_dpor *d);
enum rd_next rd_shared_tree_next(struct rd_dpor *d, struct rd_draft *draft);
/* Is what this one does of no use any more, because the search has begun again? */
bool rd_shared_tree_stale(struct rd_dpor *d);
/* The other order of a race whose first event is at a node of the grove. */
void rd_shared_tree_add(struct rd_dpor *d, struct rd_race *race);
/* Of a search within a bound: the thread, or all if it cannot go on there, is due at this step. */
void rd_shared_tree_due(struct rd_dpor *d, uint32_t step, rd_tid tid);
static inline struct rd_shared_tree *rd_shared_tree_of(const struct rd_dpor *d) {
    return (struct rd_shared_tree *)((char *)d->team->hub + d->team->hub->tree_at);
}
/* Says so, if it is not known yet; and what anybody has said. */
void rd_shared_tree_void(struct rd_dpor *d, uint32_t voids);
uint32_t rd_shared_tree_voids(const struct rd_dpor *d);
/* How many executions there will be, by what this worker has of the tree, if that is known well enough. */
void rd_shared_tree_claim(const struct rd_dpor *d, struct rd_claim *c);
/* As begin_again of dpor.c, for all. */
void rd_shared_tree_begin_again(struct rd_dpor *d);

#endif
