/*
 * retry_cycle.h - notices a thread that runs alone and repeats a cycle in which it changes memory or locks and
 * undoes the change, so that it is no loop that only waits (spin.h). Such a thread goes on for ever as long as no
 * other thread runs. Two of them may keep each other in their cycles: that shows when they take turns, which the
 * search tries (explore/livelock_probe.h). This file only finds the step at which the cycle was first complete.
 */
#ifndef RD_ENGINE_RETRY_CYCLE_H
#define RD_ENGINE_RETRY_CYCLE_H

#include "trace/types.h"

enum { RD_RETRY_CYCLE_KEPT = 16 };

/*
 * Operations so far. A cycle that only takes a lock and gives it back is a wait (spin.h); it counts here only if it
 * also tries another lock.
 */
struct rd_retry_cycle_sum {
    uint32_t changes, locks, tries;
};

struct rd_retry_cycle {
    rd_tid tid;     /* the thread that announced last; all the entries are its own */
    uint32_t count; /* length of `at`: its last operations with a known local state */
    uint64_t seen;  /* a bit for each local state in `at`, so that most local states need no search */
    struct rd_retry_cycle_sum sum;
    struct {
        rd_place pc;
        uint64_t local;
        struct rd_retry_cycle_sum sum;
    } at[RD_RETRY_CYCLE_KEPT];
};

/* The thread announces the operation. Returns whether it has completed a cycle alone, with a change in it. */
bool rd_retry_cycle_arrives(struct rd_retry_cycle *r, rd_tid tid, const struct rd_op *op);

#endif
