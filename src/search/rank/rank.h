/* rank.h - the common part of the two modes of `rank`: the threads that take part. */
#ifndef RD_SEARCH_RANK_RANK_H
#define RD_SEARCH_RANK_RANK_H

#include "search/rank/rank_vars.h"
#include "search/search.h"

/* The threads that take part: each has made a step, or was alive at the end of an execution. */
struct rd_rank_threads {
    rd_tid at[RD_TID_MAX]; /* in ascending order */
    uint32_t count;
};

/* Adds the threads of an execution. Returns whether one of them is new. */
bool rd_rank_threads_add(struct rd_rank_threads *w, const struct rd_record *r);
/* Adds the threads of `other`. */
void rd_rank_threads_unite(struct rd_rank_threads *w, const struct rd_rank_threads *other);
/* Returns whether there are more threads than can be ordered. */
static inline bool rd_rank_threads_full(const struct rd_rank_threads *w) {
    return w->count && rd_rank_too_many(w->at[w->count - 1] + 1u);
}

/* The randomized mode, a search of its own. */
extern const struct rd_search rd_search_rank_random;

#endif
