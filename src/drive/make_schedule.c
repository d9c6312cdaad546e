/*
 * store.c - the schedule of an execution, and its file. What is an accident of the moment at which a hang was
 * noticed is left out, so that two recordings of the same execution are the same bytes.
 */
#include "drive/session.h"

#include "detect/detect.h"
#include "drive/rules_used.h"
#include "drive/sharing_table.h"

#include <string.h>

int rd_session_store(const struct rd_schedule *s, const char *path, struct rd_error *error) {
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

/* The threads of a search: only their places in the tree, the rest is of another execution. */
static struct rd_thread_info *tree_only(const struct rd_channel *c) {
    static struct rd_thread_info threads[RD_TID_MAX];
    memset(threads, 0, sizeof threads);
    for (uint32_t i = 0; i < c->execution.path_count; i++) {
        threads[i].parent = c->execution.paths[i].parent;
        threads[i].ordinal = c->execution.paths[i].ordinal;
    }
    return threads;
}

/* The threads of an execution. Those that it never made, but others of the search did, have their numbers, too. */
static struct rd_thread_info *with_tree(const struct rd_channel *c, struct rd_thread_info *threads) {
    for (uint32_t i = 1; i < c->execution.path_count; i++)
        if (threads[i].ordinal == 0) {
            threads[i].parent = c->execution.paths[i].parent;
            threads[i].ordinal = c->execution.paths[i].ordinal;
        }
    return threads;
}

static uint32_t heap_mode(const struct rd_channel *c, const struct rd_found *found) {
    if (!rd_detector_is_on(c->config.detect, RD_DETECT_HEAP))
        return RD_HEAP_OFF;
    return (found ? found->heap_known : c->config.heap_known) ? RD_HEAP_KNOWN : RD_HEAP_ON;
}

void rd_session_schedule(struct rd_schedule *to, const struct rd_target *t, struct rd_channel *c,
                         const struct rd_found *found) {
    struct rd_record r = rd_channel_record(c);
    *to = (struct rd_schedule){.program = (char *)t->path,
                               .cwd = (char *)t->cwd,
                               .args = t->args,
                               .arg_count = t->arg_count,
                               .build_id_size = t->build_id_size,
                               .rules = (char *)rd_rules_used(c),
                               .points = c->config.points,
                               .seed = c->config.seed,
                               .expect_status = c->config.expect_status,
                               .spurious = c->config.spurious,
                               .timeouts = c->config.timeouts,
                               .signal_fifo = c->config.signal_fifo,
                               .steps_max = c->config.steps_max,
                               .fair_after = c->config.fair_after,
                               .yields = RD_MAX(c->config.yields, found ? found->yields : c->execution.plan.yields),
                               .heap = heap_mode(c, found),
                               .separate = c->config.separate,
                               .modules = c->execution.modules,
                               .module_count = c->execution.module_count,
                               .access_points = found ? found->access_points : c->execution.plan.access_points,
                               .track = found ? rd_channel_track_store(c) + found->track : rd_channel_track(c),
                               .track_count = found ? found->track_count : c->execution.plan.track_count,
                               .annotations = found ? NULL : c->execution.annotations,
                               .annotation_count = found ? 0 : c->execution.annotation_count,
                               .finding = found ? found->finding : c->execution.outcome.finding,
                               .why = found ? found->why : (struct rd_why){0},
                               .threads = found ? tree_only(c) : with_tree(c, r.threads),
                               .thread_count = c->execution.path_count,
                               .steps = found ? rd_channel_store(c) + found->store : r.steps,
                               .step_count = found ? found->steps : c->execution.outcome.steps,
                               .step_stacks = found ? NULL : r.step_stacks,
                               .stacks = found ? NULL : r.stacks};
    memcpy(to->build_id, t->build_id, sizeof to->build_id);
    rd_drive_sharing_list(to, c, found);
}

int rd_session_prepare(struct rd_worker *w, const struct rd_target *t, const struct rd_schedule *schedule,
                       enum rd_backend backend, struct rd_error *error) {
    struct rd_config config = {.mode = RD_MODE_ONE,
                               .backend = backend,
                               .points = schedule->points,
                               .sharing = schedule->points == RD_POINTS_SHARED ? RD_SHARING_REPLAY : RD_SHARING_OFF,
                               .steps_max = schedule->steps_max,
                               .fair_after = schedule->fair_after,
                               .yields = schedule->yields,
                               .detail = 1,
                               .separate = schedule->separate || schedule->finding.kind == RD_OUTPUT,
                               .expect_output = schedule->finding.kind == RD_OUTPUT,
                               .spurious = (uint8_t)schedule->spurious,
                               .timeouts = (uint8_t)schedule->timeouts,
                               .signal_fifo = (uint8_t)schedule->signal_fifo,
                               .expect_status = schedule->expect_status,
                               .void_main = t->void_main,
                               .seed = schedule->seed,
                               .detect = (schedule->heap != RD_HEAP_OFF) << RD_DETECT_HEAP,
                               .heap_known = schedule->heap == RD_HEAP_KNOWN,
                               .heap_wanted = schedule->finding.key};
    config.detect |= rd_detect_at_end(schedule->finding.kind);
    struct rd_channel_size size = {.steps = (uint64_t)RD_MAX(schedule->steps_max, schedule->step_count) + 64,
                                   .store = 1,
                                   .rules = schedule->rules ? strlen(schedule->rules) : 0,
                                   .shared = schedule->shared_count,
                                   .detail = true};
    if (rd_worker_open(w, &config, &size, error) != 0)
        return -1;
    struct rd_channel *c = w->channel;
    c->execution.plan = (struct rd_plan){.prefix_count = schedule->step_count,
                                         .strict = 1,
                                         .noted_wanted = schedule->finding.key,
                                         .access_points = (uint8_t)schedule->access_points,
                                         .track_count = schedule->track_count};
    if (schedule->track_count)
        memcpy(rd_channel_track(c), schedule->track, schedule->track_count * sizeof *schedule->track);
    if (schedule->shared_count)
        memcpy(rd_channel_shared(c), schedule->shared, schedule->shared_count * sizeof *schedule->shared);
    if (schedule->points == RD_POINTS_SHARED)
        c->execution.sharing = (struct rd_sharing_use){.version = 1, .patience = schedule->patience};
    if (rd_is_predicted(schedule->finding.kind))
        c->execution.plan.steps_max_cut = schedule->step_count; /* it shows there; what follows is another matter */
    if (schedule->rules)
        memcpy(rd_channel_rules(c), schedule->rules, size.rules + 1);
    rd_choices_of_steps(rd_channel_prefix(c), schedule->steps, schedule->step_count);
    for (uint32_t i = 0; i < schedule->thread_count; i++)
        c->execution.paths[i] = (struct rd_thread_path){schedule->threads[i].parent, schedule->threads[i].ordinal};
    c->execution.path_count = schedule->thread_count;
    return 0;
}
