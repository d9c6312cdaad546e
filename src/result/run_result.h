/*
 * run_result.h - what is left of a search or of a replay when its processes are gone: the copy that the driver
 * makes of the channel (drive/take_result.h), checked once by rd_run_result_check. Everything outside the driver
 * works with this copy: no report and no subcommand sees memory that a tested process can write.
 */
#ifndef RD_RESULT_RUN_RESULT_H
#define RD_RESULT_RUN_RESULT_H

#include "result/found.h"
#include "result/summary.h"
#include "trace/config.h"
#include "trace/module.h"
#include "trace/profile.h"
#include "trace/task_state.h"

struct rd_run_result {
    struct rd_config config; /* what was asked for */
    bool attached;           /* the runtime took the program over */
    bool explored;           /* the program came to its first thread, and a search began */

    /* of a search */
    struct rd_summary summary;
    struct rd_found *found;   /* summary.found_count of them */
    struct rd_found learned;  /* a failure of an execution before the search; count 0: none */
    struct rd_step *store;    /* the steps of the found executions */
    struct rd_track *tracks;  /* and what their plans tracked */
    struct rd_ending *endings;
    char *texts;              /* of the endings */
    struct rd_sample *samples;
    struct rd_profile *profile;

    /* of the program */
    struct rd_module *modules;
    uint32_t module_count;
    bool calls_unseen; /* some calls out of instrumented code do not pass a thunk */
    struct rd_thread_path *paths;
    uint32_t path_count;

    /* of the last execution; of a replay, the only one */
    struct rd_plan plan; /* its track_count pieces are `record.track` */
    struct rd_sharing_use sharing;
    struct rd_shared *shared; /* of a replay: the memory that its schedule file lists as shared */
    uint64_t shared_count;
    struct rd_outcome outcome;
    struct rd_record record; /* its arrays are this result's own; `out` is `outcome` */
    struct rd_annotation *annotations;
    uint32_t annotation_count;
    uint64_t flushed_from; /* detail mode: index from which the output file holds text that the program had not flushed
                              when it ended; 0: all was flushed, or none */
    rd_tid running;           /* the thread that ran last */
    struct rd_task_state stuck; /* where that was when the watchdog looked */
};

/*
 * Checks every count, index and text of a copy: returns NULL, or the name of what is wrong, and then the program has
 * damaged the memory of the search. Steps of the last execution that a killed process left half written are cut off.
 */
const char *rd_run_result_check(struct rd_run_result *r);

#endif
