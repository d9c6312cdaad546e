/*
 * bounded_shared_tree.h - the upper part of the tree of a search with sleep sets within a bound (`icb:sleep`,
 * bpor.c), when several workers search it (team.h). As in a grove (shared_tree.h), nodes there belong to nobody, a
 * worker takes one alternative of one of them, a unit, and gives away the upper nodes of its stack when others
 * wait.
 *
 * A thread may sleep at a node only when nothing below it was left out because of the bound, and what was left out
 * anywhere is left out below every node above. So an alternative is *open* until it is done, or until something is
 * left out below it: from then on it will never sleep. The next alternative of its node is begun when none is open:
 * then exactly those sleep that would with one worker, and the same executions are run.
 *
 * Where the bound leaves nothing out, that would have one worker do everything. So when there have been some
 * executions of a bound and nothing was left out, the next one may be begun although the one before is open, which
 * is taken to sleep. If nothing is ever left out that is right, and again what one worker runs. If something is,
 * all begin this bound again, and nobody takes anything for granted; only then are there more executions than one
 * worker runs.
 *
 * All of it is in the hub, and read and changed with its lock, but for single words that tell how far it is.
 */
#ifndef RD_SEARCH_POR_BOUNDED_SHARED_TREE_H
#define RD_SEARCH_POR_BOUNDED_SHARED_TREE_H

#include "search/por/dpor.h"
#include "search/team/team.h"

struct rd_bounded_tree_node {
    struct rd_node node;  /* `done`: what was begun; `sleep`: who may sleep in what is begun next */
    struct rd_choice via; /* leads here from the parent */
    struct rd_bounded_tree_node *parent, *next, *before; /* the latter of all that there are */
    rd_tid *cand;
    uint32_t cand_room;
    uint32_t depth, active; /* units and nodes below it that are not done */
    rd_tid open;            /* the alternative that is; RD_TID_NONE: none is */
};

struct rd_bounded_tree {
    struct rd_arena arena;
    uint32_t generation; /* another one: all that was is void, and this or the next bound has begun */
    uint32_t bound;
    int32_t proved;    /* the largest one that is done; -1: none */
    uint32_t left_out; /* something was, because of the bound */
    uint32_t growing;  /* what was begun at the root is not done */
    uint32_t relied;   /* somebody sleeps who was open */
    uint32_t careful;  /* nobody may */
    uint32_t voids;    /* enum rd_bounded_tree_void, of all executions */
    uint64_t began;    /* executions of all before this generation */
    struct rd_bounded_tree_node *nodes, *unused;
};

/* Why what is proved is void. */
enum rd_bounded_tree_void { RD_BOUNDED_TREE_FAIRNESS = 1, RD_BOUNDED_TREE_UNDIRECTED = 2 };

/* What a worker has of it. */
struct rd_bounded_tree_part {
    struct rd_dpor *d; /* the stack, the trail, the bound, and how it goes on from a node */
    bool told;         /* something was left out in the stack below the common nodes, and they know */
    struct {
        RD_VEC(struct rd_bounded_tree_node *);
    } above; /* the common nodes above the stack's own */
};

static inline struct rd_bounded_tree *rd_bounded_tree_of(const struct rd_dpor *d) {
    return (struct rd_bounded_tree *)((char *)d->team->hub + d->team->hub->tree_at);
}
/* The first worker begins, the others wait. */
void rd_bounded_tree_open(struct rd_bounded_tree_part *v, struct rd_dpor *d);
enum rd_next rd_bounded_tree_next(struct rd_bounded_tree_part *v, struct rd_draft *draft);
/* Is what this one does of no use any more, because the search has begun again, or is at another bound? */
bool rd_bounded_tree_stale(struct rd_bounded_tree_part *v);
/* The execution is in the stack, and who sleeps at each node is known. */
void rd_bounded_tree_note(struct rd_bounded_tree_part *v, const struct rd_record *r);
/* Says so, if it is not known yet. */
void rd_bounded_tree_void(const struct rd_dpor *d, uint32_t voids);
/*
 * The next thread to be run from a node: the one that ran before first, then by their numbers; RD_TID_NONE: none is
 * left. `beyond`, unless NULL: one is left out because of the bound.
 */
rd_tid rd_bounded_tree_thread(const struct rd_node *n, const rd_tid *cand, uint32_t bound, bool *beyond);

#endif
