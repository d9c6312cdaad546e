/*
 * retry_cycle.h - a thread that goes round by itself and is not one that only waits (spin.h): on its way it changes
 * something, and takes it back. As long as nobody else goes on it will do so for ever; whether two of them keep
 * each other at it shows when they take turns. The search tries that (explore/livelock_probe.h); here is only
 * noticed where.
 */
#ifndef RD_ENGINE_RETRY_CYCLE_H
#define RD_ENGINE_RETRY_CYCLE_H

#include "trace/types.h"

enum { RD_RETRY_CYCLE_KEPT = 16 };

/* Operations so far. To take a lock and give it back is only a wait for it (spin.h), unless another one is tried.
 */
struct rd_retry_cycle_sum {
    uint32_t changes, locks, tries;
};

struct rd_retry_cycle {
    rd_tid tid;     /* who has made the last steps, all of them */
    uint32_t count; /* of `at`: its operations since then whose local state is known */
    uint64_t seen;  /* a bit for each local state in `at`: most were not there */
    struct rd_retry_cycle_sum sum;
    struct {
        rd_place pc;
        uint64_t local;
        struct rd_retry_cycle_sum sum;
    } at[RD_RETRY_CYCLE_KEPT];
};

/* The thread is about to do this. True: it has come round alone, and not only by reading. */
bool rd_retry_cycle_arrives(struct rd_retry_cycle *r, rd_tid tid, const struct rd_op *op);

#endif
