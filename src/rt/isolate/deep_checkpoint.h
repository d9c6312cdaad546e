/*
 * deep_checkpoint.h - checkpoints within an execution, for snapshot isolation. A search that changes only the end
 * of a long execution need not run its beginning again: the state after some of its steps is kept, and the next
 * execution with the same beginning goes on from there. Only the pages that have changed since the first checkpoint
 * are kept, so going back to a deep checkpoint takes as long as going back to the start.
 */
#ifndef RD_RT_ISOLATE_DEEP_CHECKPOINT_H
#define RD_RT_ISOLATE_DEEP_CHECKPOINT_H

#include "rt/isolate/pages.h"
#include "trace/types.h"

enum { RD_DEEP_CHECKPOINT_MAX = 12 };

/* The state of an execution after some of its steps: its pages, and its part of the channel. */
struct rd_deep_checkpoint {
    struct rd_page_set pages;
    void *sp, *tp;                  /* stack pointer and thread pointer of the thread that runs */
    uint32_t steps;                 /* steps that were taken */
    uint32_t annotations, observed; /* numbers of annotations and observed values in the channel */
    uint32_t paths;                 /* numbers of threads that were given: entries of `threads` */
    rd_tid running;                 /* the thread that runs */
    struct rd_thread_info *threads; /* the record's part about threads */
    struct rd_outcome outcome;      /* up to its finding: there is none yet */
};

/*
 * All deep checkpoints, in the kept memory. They are of one execution, in order: each has more steps than the one
 * before it. How far apart they are made is chosen by trial (deep_checkpoint.c).
 */
struct rd_deeps {
    struct rd_deep_checkpoint at[RD_DEEP_CHECKPOINT_MAX];
    uint32_t count;
    uint32_t save_at; /* the step after which the running execution is to be kept next; 0: never */
    uint32_t length;  /* steps of the last execution */
    uint32_t yields;  /* rd_plan.yields of the plans that the checkpoints were made with */
    uint32_t resumed; /* the running execution goes on from a deep checkpoint: its plan is another one */
    uint32_t from;    /* steps of the running execution that were not run again */
    uint32_t way;     /* the distance that is in use, as an index; the number of distances: no deep checkpoints */
    uint32_t best;    /* the best distance that was tried so far */
    uint32_t tried;   /* executions with `way` so far */
    uint32_t settled; /* all distances were tried: `way` is the best, for a while */
    uint64_t cost, whole; /* executions with `way`: steps that were run, plus a price for checkpoints; all steps */
    uint64_t best_cost, best_whole; /* the same for `best` */
};

/* ---- in the explorer ---- */

/*
 * Before an execution with the channel's plan: returns the deep checkpoint from which it goes on, NULL: it begins
 * at the start. Checkpoints that do not fit the plan are dropped.
 */
const struct rd_deep_checkpoint *rd_deep_checkpoint_choose(void);
/* After an execution. */
void rd_deep_checkpoint_after(void);
/* Drops all: memory at the start, on which they are based, has changed. */
void rd_deep_checkpoint_forget(void);
/* The execution has come to where it is to be kept: keeps it. Returns the thread pointer with which it goes on. */
void *rd_deep_checkpoint_keep(void *sp);
/* Returns the deepest one; NULL: there is none. */
const struct rd_deep_checkpoint *rd_deep_checkpoint_last(void);
/*
 * Sets the channel to its state at this checkpoint. The record's steps stay as they are: the last execution's,
 * which has the same beginning.
 */
void rd_deep_checkpoint_outcome(const struct rd_deep_checkpoint *from);

/* ---- in an execution ---- */

/* Before each step: keeps the execution if that is due. */
void rd_deep_checkpoint_step(void);

#endif
