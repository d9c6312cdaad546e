/*
 * thread_limits.h - limits of threads (Bruening and Chapin, section 3): a search over atomic blocks tries the
 * orders of the blocks up to the limit of each thread. A thread is at its limit after its block number `blocks`, or
 * when a block ends elsewhere after one of its blocks has ended in the code of `within`. From there on the thread
 * is run without branches, and only when no thread that is not at its limit can go on.
 *
 * How far each thread is at a point of the path is a list of marks. A list is an index into `marks`, newest mark
 * first; lists share their tails. Marks are only added at the end, as cells are (footprint.h).
 */
#ifndef RD_SEARCH_EXITBLOCK_THREAD_LIMITS_H
#define RD_SEARCH_EXITBLOCK_THREAD_LIMITS_H

#include "search/search.h"

struct rd_thread_mark {
    rd_tid tid;
    bool inside, over; /* inside: a block has ended in the code of `within`; over: the thread is at its limit */
    uint32_t next;     /* index + 1; 0: the end */
    uint32_t blocks;   /* that the thread has run */
};

struct rd_thread_limits {
    uint64_t blocks; /* 0: any number */
    struct rd_range within[RD_RANGES_MAX];
    uint32_t within_count; /* 0: all code */
    struct {
        RD_VEC(struct rd_thread_mark);
    } marks;
};

void rd_thread_limits_init(struct rd_thread_limits *l, const struct rd_params *params);
static inline bool rd_thread_limits_any(const struct rd_thread_limits *l) { return l->blocks || l->within_count; }
/* Returns whether the thread is at its limit. */
bool rd_thread_limits_over(const struct rd_thread_limits *l, uint32_t list, rd_tid tid);
/* The thread has run a block whose last operation is `last`. Returns the new list. */
uint32_t rd_thread_limits_block(struct rd_thread_limits *l, struct rd_arena *a, uint32_t list,
                                const struct rd_step *last);

#endif
