/*
 * execution.h - the part of the channel about one execution: its plan, its outcome, and the declarations that the
 * program made. The explorer writes the plan; the engine and the hooks write the rest while the execution runs, so
 * that it survives the death of the process. Steps, candidates and threads are arrays of the channel
 * (rd_channel_record).
 */
#ifndef RD_CHANNEL_EXECUTION_H
#define RD_CHANNEL_EXECUTION_H

#include "trace/module.h"
#include "trace/sharing.h"
#include "trace/types.h"

/* The most calls of raddle_observe that one execution records. */
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
    struct rd_sharing_use sharing; /* the version of shared memory that the execution runs with */
    struct rd_outcome outcome;
    uint64_t output_size;  /* bytes on standard output; the first RD_OUTPUT_MAX are in rd_channel_output */
    uint64_t flushed_from; /* detail mode: index from which the output file holds text that the program had not
                              flushed when it ended; 0: there is no such text */

    /* the same in all executions of a process, which only append modules and threads */
    uint32_t module_count, path_count;
    uint32_t calls_unseen; /* 1: some calls out of instrumented code do not pass a thunk */
    uint32_t pad;
    struct rd_module modules[RD_MODULES_MAX];
    struct rd_thread_path paths[RD_TID_MAX];

    /*
     * declarations of the program. The first annotation_kept (observed_kept) of each list are from before the
     * checkpoint, so all executions have them
     */
    uint32_t annotation_count, annotation_kept, observed_count, observed_kept;
    struct rd_annotation annotations[RD_ANNOTATIONS_MAX];
    struct rd_observed observed[RD_OBSERVED_MAX];
};

#endif
