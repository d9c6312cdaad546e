/* make_schedule.c - see make_schedule.h. */
#include "drive/make_schedule.h"

#include "detect/detect.h"
#include "drive/rules_used.h"
#include "drive/sharing_table.h"

#include <string.h>

int rd_schedule_store(const struct rd_schedule *s, const char *path, struct rd_error *error) {
    struct rd_schedule stable = *s;
    static struct rd_thread_info threads[RD_TID_MAX];
    if (s->finding.kind == RD_HANG && s->finding.status == RD_HANG_BY_TIME) {
        stable.finding.pc = 0;
        stable.finding.line = 0;
        stable.finding.file[0] = stable.finding.function[0] = 0;
        memcpy(threads, s->threads, RD_MIN(s->thread_count, (uint32_t)RD_TID_MAX) * sizeof *threads);
        if (s->finding.tid < RD_TID_MAX)
            threads[s->finding.tid].frames = 0;
        stable.threads = threads;
    }
    return rd_schedule_write(&stable, path, error);
}

/* The threads of a search: only their places in the tree of creations, since the record is of another execution. */
static struct rd_thread_info *tree_only(const struct rd_run_result *r) {
    static struct rd_thread_info threads[RD_TID_MAX];
    memset(threads, 0, sizeof threads);
    for (uint32_t i = 0; i < r->path_count; i++) {
        threads[i].parent = r->paths[i].parent;
        threads[i].ordinal = r->paths[i].ordinal;
    }
    return threads;
}

/*
 * The threads of an execution. A thread that only other executions of the search have created gets its place in the
 * tree, too.
 */
static struct rd_thread_info *with_tree(const struct rd_run_result *r, struct rd_thread_info *threads) {
    for (uint32_t i = 1; i < r->path_count; i++)
        if (threads[i].ordinal == 0) {
            threads[i].parent = r->paths[i].parent;
            threads[i].ordinal = r->paths[i].ordinal;
        }
    return threads;
}

/* How the replay has to check the heap, so that it meets the same errors. */
static uint32_t heap_mode(const struct rd_run_result *r, const struct rd_found *found) {
    if (!rd_detector_is_on(r->config.detect, RD_DETECT_HEAP))
        return RD_HEAP_OFF;
    return (found ? found->heap_known : r->config.heap_known) ? RD_HEAP_KNOWN : RD_HEAP_ON;
}

void rd_schedule_make(struct rd_schedule *to, const struct rd_target *t, struct rd_run_result *r,
                      const struct rd_found *found) {
    *to = (struct rd_schedule){.program = (char *)t->path,
                               .cwd = (char *)t->cwd,
                               .args = t->args,
                               .arg_count = t->arg_count,
                               .build_id_size = t->build_id_size,
                               .rules = (char *)rd_rules_used(r),
                               .points = r->config.points,
                               .seed = r->config.seed,
                               .expect_status = r->config.expect_status,
                               .spurious = r->config.spurious,
                               .timeouts = r->config.timeouts,
                               .signal_fifo = r->config.signal_fifo,
                               .steps_max = r->config.steps_max,
                               .fair_after = r->config.fair_after,
                               .yields = RD_MAX(r->config.yields, found ? found->yields : r->plan.yields),
                               .heap = heap_mode(r, found),
                               .separate = r->config.separate,
                               .modules = r->modules,
                               .module_count = r->module_count,
                               .access_points = found ? found->access_points : r->plan.access_points,
                               .track = found ? r->tracks + found->track : (struct rd_track *)r->record.track,
                               .track_count = found ? found->track_count : r->plan.track_count,
                               .annotations = found ? NULL : r->annotations,
                               .annotation_count = found ? 0 : r->annotation_count,
                               .finding = found ? found->finding : r->outcome.finding,
                               .why = found ? found->why : (struct rd_why){0},
                               .threads = found ? tree_only(r) : with_tree(r, r->record.threads),
                               .thread_count = r->path_count,
                               .steps = found ? r->store + found->store : r->record.steps,
                               .step_count = found ? found->steps : r->outcome.steps,
                               .step_stacks = found ? NULL : r->record.step_stacks,
                               .stacks = found ? NULL : r->record.stacks,
                               .parts = found ? NULL : r->record.parts,
                               .part_count = found || !r->record.parts ? 0 : r->outcome.parts,
                               .blocks = found ? NULL : r->record.blocks,
                               .block_count = found || !r->record.blocks ? 0 : r->outcome.blocks};
    memcpy(to->build_id, t->build_id, sizeof to->build_id);
    rd_sharing_table_list(to, r, found);
}
