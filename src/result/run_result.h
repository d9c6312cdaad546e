/*
 * run_result.h - the result of a search or a replay: the copy that the driver makes of the channel when the tested
 * processes are gone (drive/take_result.h). rd_run_result_check checks the copy once. Reports and subcommands read
 * only this copy, so they see no memory that a tested process can write.
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
    struct rd_config config; /* of the command */
    const char *rules;       /* the rules for functions without hooks, as lines; NULL: none. Not owned */
    bool attached;           /* the runtime took the program over */
    bool explored;           /* the program created a thread, so that a search began */

    /* of a search */
    struct rd_summary summary;
    struct rd_found *found;        /* summary.found_count entries */
    struct rd_found early_failure; /* a failure of an execution before the search; count 0: none */
    struct rd_step *store;         /* the steps of the found executions */
    struct rd_track *tracks;       /* the pieces that their plans tracked */
    struct rd_ending *endings;
    char *texts; /* the texts of the endings */
    struct rd_sample *samples;
    struct rd_order_count *orders; /* summary.coverage.order_count entries */
    struct rd_profile *profile;

    /* of the program */
    struct rd_module *modules;
    uint32_t module_count;
    bool calls_unseen; /* as rd_execution.calls_unseen */
    struct rd_thread_path *paths;
    uint32_t path_count;

    /* of the last execution; a replay has only one */
    struct rd_plan plan; /* its track_count pieces are `record.track` */
    struct rd_sharing_use sharing;
    struct rd_shared *shared; /* of a replay: the memory that its schedule file lists as shared */
    uint32_t shared_count;
    struct rd_outcome outcome;
    struct rd_record record; /* copies of the arrays; rd_run_result_record completes it for detectors */
    struct rd_annotation *annotations;
    uint32_t annotation_count;
    uint64_t flushed_from;      /* detail mode: index from which the output file holds text that the program had not
                                   flushed when it ended; 0: all was flushed, or none */
    rd_tid running;             /* the thread that ran last */
    struct rd_task_state stuck; /* where that was when the watchdog looked */
};

/*
 * Checks every index, enumerator and text of the copy. Returns NULL, or the name of the first wrong part: then the
 * program has damaged the channel. Cuts the last execution before the first step that a killed process left half
 * written.
 */
const char *rd_run_result_check(struct rd_run_result *r);
/* Returns the record of the last execution: pointers into the result, valid while it is not moved. */
struct rd_record rd_run_result_record(struct rd_run_result *r);
/*
 * Returns true if another finding says more: a race that unseen code may rule out is certain in another execution,
 * or another finding is the deadlock that this one predicts.
 */
bool rd_found_is_superseded(const struct rd_found *f, const struct rd_run_result *r);
/* Returns true if this finding, its steps and the tables of the program are sound, even if other parts are not. */
bool rd_run_result_has_sound(const struct rd_run_result *r, const struct rd_found *f);

#endif
