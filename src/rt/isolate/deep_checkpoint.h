/*
 * deep_checkpoint.h - checkpoints within an execution. A search that changes only the end of a long execution need
 * not run its beginning again: the state after some of its steps is kept, and the next execution with the same
 * beginning goes on from there. Only the pages that have changed since the first checkpoint are kept, so going back
 * to one costs what going back to the start does.
 */
#ifndef RD_RT_ISOLATE_DEEP_CHECKPOINT_H
#define RD_RT_ISOLATE_DEEP_CHECKPOINT_H

#include "rt/isolate/pages.h"
#include "trace/types.h"

enum { RD_DEEP_CHECKPOINT_MAX = 12 };

struct rd_deep_checkpoint {
    struct rd_page_set pages;
    void *sp, *tp;
    uint32_t steps; /* that were taken */
    uint32_t annotations, observed, paths;
    rd_tid running;
    struct rd_thread_info *threads;
    struct rd_outcome outcome;
};

/* In the kept memory. Each one is further in the same execution than the one before it. */
struct rd_deeps {
    struct rd_deep_checkpoint at[RD_DEEP_CHECKPOINT_MAX];
    uint32_t count;
    uint32_t save_at; /* where the running execution is to be kept next; 0: nowhere */
    uint32_t length;  /* of the last execution */
    uint32_t yields;  /* of the plans that they were made with */
    uint32_t resumed; /* the execution goes on from one: it has another plan */
    uint32_t from;    /* steps of the running execution that were not run again */
    /* how close together they are: what is tried, or was found best (deep_checkpoint.c) */
    uint32_t way, best, tried, settled;
    uint64_t cost, whole; /* of the executions since then: in steps, with and without checkpoints */
    uint64_t best_cost, best_whole;
};

/* In the explorer, before an execution with the channel's plan: from where it begins; NULL: from the start. */
const struct rd_deep_checkpoint *rd_deep_checkpoint_choose(void);
/* … and after it. */
void rd_deep_checkpoint_after(void);
/* Memory is no longer what they were made of. */
void rd_deep_checkpoint_forget(void);
/* In the explorer: the execution has come to where it is to be kept. Returns its thread pointer. */
void *rd_deep_checkpoint_keep(void *sp);
/* The deepest one; NULL: there is none. */
const struct rd_deep_checkpoint *rd_deep_checkpoint_last(void);
/* The channel is again as it was there. Its record is: that of another execution with the same beginning. */
void rd_deep_checkpoint_outcome(const struct rd_deep_checkpoint *from);

/* In an execution, before each step: keeps it if that is due. */
void rd_deep_checkpoint_step(void);

#endif
