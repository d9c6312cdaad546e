/*
 * rank_vars.h - the variables at which `rank` may preempt, as profiles and executions have shown them, and the sets
 * of them, one after the other: first those of one variable, then of two …; of each size those of the first block
 * of every allocation before later ones (loop-iteration bounding); shared variables first, and of those the ones
 * that no lock protects; what is seldom used before what is used often.
 */
#ifndef RD_SEARCH_RANK_RANK_VARS_H
#define RD_SEARCH_RANK_RANK_VARS_H

#include "base/map.h"
#include "pick/rank.h"
#include "trace/code_ranges.h"

struct rd_rank_var {
    rd_place key;         /* where it begins, as in a profile */
    rd_place first, last; /* of its bytes */
    uint32_t size;
    uint32_t ordinal;  /* of its block among those of the same allocation; 0 outside the heap */
    uint32_t accesses; /* in one execution, about */
    rd_tid tid;        /* one that uses it */
    bool shared, written;
    bool gone;    /* an element: its array is a variable */
    bool data;    /* shared, written, and accessed otherwise than atomically */
    bool suspect; /* … and no lock orders that as far as profiles tell */
    bool listed;  /* in the list */
    /* as profiles have it */
    bool profiled, whole, plain; /* they have it at all; it is an array; there were ordinary accesses */
    bool many, changed;          /* more than one thread has used it; somebody has written it */
};

struct rd_rank_vars {
    struct rd_arena *arena;
    struct {
        RD_VEC(struct rd_rank_var);
    } all;
    struct rd_map index; /* key -> index + 1 in `all` */
    struct rd_map twice; /* the same -> accesses that profiles count both as reads and as writes */
    struct {
        RD_VEC(uint32_t);
    } list; /* those to preempt at, in the order in which they are tried */
    uint32_t ordinal_max;
    bool privately;    /* those of one thread, too */
    uint32_t left_out; /* because of their ordinal */
    uint32_t data;     /* how many are */
    bool lost;         /* there are more than a profile can hold */
};

/* After an execution that profiled: what is known by now. */
void rd_rank_vars_profile(struct rd_rank_vars *s, const struct rd_record *r);
/* After one that tracked: objects and atomics that no profile has shown. */
void rd_rank_vars_note(struct rd_rank_vars *s, const struct rd_record *r);
/* What another worker has shown, too. What only one thread uses here and another one there is shared. */
void rd_rank_vars_merge(struct rd_rank_vars *s, const struct rd_rank_vars *from);
/* Lists those that can be listed now. */
void rd_rank_vars_list(struct rd_rank_vars *s);

/* One set after the other of those in the list, of `size_max` at most. */
struct rd_rank_sets {
    uint32_t size_max, fresh; /* every set has a member that is not before this one: the others were done */
    uint32_t size, ordinal;
    uint32_t at[RD_RANK_VARS_MAX]; /* in the list, ascending */
    bool begun;
    bool whole; /* there is only one set: everything */
};

struct rd_rank_sets rd_rank_sets_begin(uint32_t size_max, uint32_t fresh, bool whole);
/* False: there is none left. */
bool rd_rank_sets_next(struct rd_rank_sets *e, const struct rd_rank_vars *s);

/* Pieces of memory, in order; no two overlap. */
struct rd_rank_pieces {
    struct rd_track *at; /* RD_TRACKS_MAX */
    uint32_t count;
    bool too_many;
};

/* The pieces of a set. */
void rd_rank_pieces_of(const struct rd_rank_sets *e, const struct rd_rank_vars *s, struct rd_rank_pieces *to);
/*
 * The same and all shared data outside of it, so that executions tell in which order that was used. False: it is
 * too much, or used too often for that.
 */
bool rd_rank_pieces_along(const struct rd_rank_pieces *from, const struct rd_rank_vars *s,
                          struct rd_rank_pieces *to);

#endif
