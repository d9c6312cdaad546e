/*
 * rank_vars.h - the variables at which `rank` may preempt, as profiles and executions have shown them, and the
 * sets of them in order: sets of one variable, then of two, and so on. Among sets of one size, sets with only the
 * first block of every allocation come before sets with later blocks (loop-iteration bounding). Among these,
 * shared variables come first, of these the ones that no lock protects, of these the ones that are rarely used.
 */
#ifndef RD_SEARCH_RANK_RANK_VARS_H
#define RD_SEARCH_RANK_RANK_VARS_H

#include "base/map.h"
#include "pick/rank.h"
#include "trace/code_ranges.h"

struct rd_rank_var {
    rd_place key;         /* its first address, as in a profile */
    rd_place first, last; /* of its bytes */
    uint32_t size;
    uint32_t ordinal;  /* number of its block among the blocks of the same allocation; 0 outside the heap */
    uint32_t accesses; /* in one execution, about */
    rd_tid tid;        /* a thread that uses it */
    bool shared, written;
    bool gone;    /* it is an element of an array that is a variable */
    bool data;    /* shared, written, and accessed otherwise than atomically */
    bool suspect; /* `data`, and no lock orders its accesses as far as profiles tell */
    bool listed;  /* in the list */
    /* from profiles */
    bool profiled, whole, plain; /* it is in a profile; it is an array; it has ordinary accesses */
    bool many, changed;          /* more than one thread has used it; a thread has written it */
};

struct rd_rank_vars {
    struct rd_arena *arena;
    struct {
        RD_VEC(struct rd_rank_var);
    } all;
    struct rd_map index; /* key -> index + 1 in `all` */
    struct rd_map twice; /* key -> accesses that profiles count both as reads and as writes */
    struct {
        RD_VEC(uint32_t);
    } list; /* the variables to preempt at, in the order in which they are tried */
    uint32_t ordinal_max;
    bool private_too;  /* variables that only one thread uses are listed, too */
    uint32_t left_out; /* because of their ordinal */
    uint32_t data;     /* variables with `data` */
    bool lost;         /* a profile had no room for all variables */
};

/* Learns from an execution that profiled. */
void rd_rank_vars_profile(struct rd_rank_vars *s, const struct rd_record *r);
/* Learns from an execution that tracked: objects and atomics that no profile has shown. */
void rd_rank_vars_note(struct rd_rank_vars *s, const struct rd_record *r);
/*
 * Adds the variables of another worker. A variable that one thread uses here, and another thread there, is shared.
 */
void rd_rank_vars_merge(struct rd_rank_vars *s, const struct rd_rank_vars *from);
/* Lists the variables that can be listed now. */
void rd_rank_vars_list(struct rd_rank_vars *s);

/* The sets of listed variables in order, up to `size_max` variables. */
struct rd_rank_sets {
    /* every set has a variable with a list index of at least `fresh`: the other sets are finished */
    uint32_t size_max, fresh;
    uint32_t size, ordinal;
    uint32_t at[RD_RANK_VARS_MAX]; /* indices into the list, ascending */
    bool begun;
    bool whole; /* there is one set: all variables */
};

struct rd_rank_sets rd_rank_sets_begin(uint32_t size_max, uint32_t fresh, bool whole);
/* Goes on to the next set. Returns false if there is none. */
bool rd_rank_sets_next(struct rd_rank_sets *e, const struct rd_rank_vars *s);

/* Pieces of memory in ascending order, without overlaps. */
struct rd_rank_pieces {
    struct rd_track *at; /* RD_TRACKS_MAX */
    uint32_t count;
    bool too_many;
};

/* Writes the pieces of a set. */
void rd_rank_pieces_of(const struct rd_rank_sets *e, const struct rd_rank_vars *s, struct rd_rank_pieces *to);
/*
 * Adds all shared data outside the set, so that executions show the order of its accesses. Returns false if there
 * is too much of it, or it is used too often.
 */
bool rd_rank_pieces_along(const struct rd_rank_pieces *from, const struct rd_rank_vars *s,
                          struct rd_rank_pieces *to);

#endif
