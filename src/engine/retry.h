/*
 * retry.h - a thread that goes round by itself and is not one that only waits (spin.h): on its way it changes
 * something, and takes it back. As long as nobody else goes on it will do so for ever; whether two of them keep each
 * other at it shows when they take turns. The search tries that (search/probe.h); here is only noticed where.
 */
#ifndef RD_RETRY_H
#define RD_RETRY_H

#include "trace/types.h"

enum { RD_RETRY_KEPT = 16 };

struct rd_retry {
    rd_tid tid;       /* who has made the last steps, all of them */
    uint32_t count;   /* of `at`: its operations since then whose local state is known */
    uint32_t changes; /* operations that are more than reads, since then */
    struct {
        rd_place pc;
        uint64_t local;
        uint32_t changes;
    } at[RD_RETRY_KEPT];
};

/* The thread is about to do this. True: it has come round alone, and not only by reading. */
bool rd_retry_arrives(struct rd_retry *r, rd_tid tid, const struct rd_op *op);

#endif
