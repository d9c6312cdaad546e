/*
 * execution.h - the part of the channel that is about one execution: its plan, its outcome, and what the program
 * declared meanwhile. The explorer writes the plan; the engine and the hooks write the rest while the execution
 * runs, so that it is there when the process dies. Steps, candidates and threads are arrays behind the channel
 * (rd_channel_record).
 */
#ifndef RD_CHANNEL_EXECUTION_H
#define RD_CHANNEL_EXECUTION_H

#include "trace/module.h"
#include "trace/sharing.h"
#include "trace/types.h"

/* The most values that a program lets raddle observe in one execution. */
enum { RD_OBSERVED_MAX = 256 };

/* A value of raddle_observe. */
struct rd_observed {
    int64_t value;
    rd_tid tid;
    uint16_t pad[3];
    char name[48];
};

struct rd_execution {
    struct rd_plan plan;
    struct rd_sharing_use sharing; /* version of shared memory that the executions which now run have */
    struct rd_outcome outcome;
    uint64_t output_size;  /* bytes on standard output; the first RD_OUTPUT_MAX are in rd_channel_output */
    uint64_t flushed_from; /* detail mode: index from which the output file holds text that the program had not flushed
                              when it ended; 0: all was flushed, or none */

    /* the same in all executions of a process; new modules and threads are added at the end */
    uint32_t module_count, path_count;
    uint32_t calls_unseen; /* some calls out of instrumented code do not pass a thunk */
    uint32_t pad;
    struct rd_module modules[RD_MODULES_MAX];
    struct rd_thread_path paths[RD_TID_MAX];

    /* what the program declared. The first `kept` of each list are from before the checkpoint: all executions have
       them */
    uint32_t annotation_count, annotation_kept, observed_count, observed_kept;
    struct rd_annotation annotations[RD_ANNOTATIONS_MAX];
    struct rd_observed observed[RD_OBSERVED_MAX];
};

#endif
