/* rank.h - the limits of a plan of the picker `rank`, and the positions of its weights; see rank.c. */
#ifndef RD_PICK_RANK_H
#define RD_PICK_RANK_H

#include "trace/types.h"

/* RD_RANK_YIELDS: a thread falls below all others after this many yields with no other thread in between. */
enum { RD_RANK_CHANGES_MAX = 8, RD_RANK_VARS_MAX = 8, RD_RANK_YIELDS = 100 };

/* Indices of weights in a plan for this many threads and changes: the priority of a fragment, and a change point.
 */
static inline uint32_t rd_rank_fragment(uint32_t threads, uint32_t i) { return threads + i; }
static inline uint32_t rd_rank_change(uint32_t threads, uint32_t changes, uint32_t i) {
    return threads + changes + i;
}
/* Returns the value of `parent` for a variable in place of a thread; `var` is its number in the plan's tracks. */
static inline rd_tid rd_rank_variable(uint32_t var) { return (rd_tid)(RD_TID_MAX + var); }
/* Returns whether the priorities of so many threads do not fit into a plan. */
static inline bool rd_rank_too_many(uint32_t threads) { return threads + 2 * RD_RANK_CHANGES_MAX > RD_TID_MAX; }

#endif
