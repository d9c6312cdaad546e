/*
 * replay_schedule.c - see replay_schedule.h. A finding that a detector read in the record of an execution does not
 * end the replay. The driver runs the detector again on its copy of the replay's record, in a side process, since
 * that can take long.
 */
#include "drive/replay_schedule.h"

#include "base/text.h"
#include "detect/detect.h"
#include "drive/process/side_process.h"
#include "drive/session.h"
#include "explore/outcomes.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static const uint64_t ARENA_SIZE = (uint64_t)64 << 30;
/* A replay may take so many seconds beyond the deadline; the last process is gone 0.4 s after that (deadline.c). */
static const double REPLAY_SPARE_S = 0.3;

static enum rd_stage stage_of_replay(void *ctx) {
    (void)ctx;
    return rd_deadline_stage(REPLAY_SPARE_S);
}

bool rd_replay_has_time(void) { return stage_of_replay(NULL) == RD_STAGE_BEFORE; }

/* The arguments and the result of a detection, in memory that the side process shares with the driver. */
struct detection {
    struct rd_record record;
    const struct rd_finding *wanted;
    bool found;
    struct rd_finding finding;
};

static void detect_again(void *ctx) {
    struct detection *d = ctx;
    void *memory =
        mmap(NULL, ARENA_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return;
    struct rd_arena arena;
    rd_arena_init(&arena, memory, ARENA_SIZE);
    d->found = rd_detect_again(&arena, &d->record, d->wanted, &d->finding);
    munmap(memory, ARENA_SIZE);
}

/*
 * Looks for a predicted finding in the record, and makes it the outcome of the replay, even if the replay has ended
 * with another finding: the record up to that step shows both.
 */
static void look_for_predicted(struct rd_run_result *r, const struct rd_finding *wanted) {
    struct rd_outcome *o = &r->outcome;
    int status;
    if (o->verdict != RD_PASSED && o->verdict != RD_CUT && o->verdict != RD_FOUND)
        return;
    struct detection *d = mmap(NULL, sizeof *d, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (d == MAP_FAILED)
        return;
    d->record = rd_run_result_record(r);
    d->wanted = wanted;
    struct rd_side_process side = {.work = detect_again, .stage = stage_of_replay, .ctx = d};
    if (rd_side_process(&side, &status) == RD_SIDE_PROCESS_LATE) {
        o->verdict = RD_GIVEN_UP;
    } else if (d->found) {
        o->verdict = RD_FOUND;
        o->finding = d->finding;
    }
    munmap(d, sizeof *d);
}

/*
 * Makes the wrong output of the finding the outcome of the replay if the program has printed the same again. The
 * expected output is not needed, and not in the schedule file.
 */
static void compare_output(struct rd_replay *r, const struct rd_finding *wanted) {
    struct rd_outcome *o = &r->result.outcome;
    static char text[RD_OUTPUT_MAX];
    if (o->verdict != RD_PASSED ||
        rd_outcomes_output_key(text, rd_worker_output(&r->worker, text, sizeof text)) != wanted->key)
        return;
    o->verdict = RD_FOUND;
    o->finding = *wanted;
}

/* ---- the process ---- */

static int prepare(struct rd_worker *w, const struct rd_target *t, const struct rd_schedule *schedule,
                   enum rd_backend backend, struct rd_error *error) {
    struct rd_config config = {.mode = RD_MODE_ONE,
                               .backend = backend,
                               .points = schedule->points,
                               .sharing = rd_schedule_lists_points(schedule) ? RD_SHARING_REPLAY : RD_SHARING_OFF,
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
    /* the arrays in the channel have that size; files and results are checked when they are read */
    RD_CHECK(schedule->thread_count <= RD_TID_MAX && schedule->track_count <= RD_TRACKS_MAX);
    c->execution.plan = (struct rd_plan){.prefix_count = schedule->step_count,
                                         .strict = 1,
                                         .noted_wanted = schedule->finding.key,
                                         .access_points = (uint8_t)schedule->access_points,
                                         .track_count = schedule->track_count};
    if (schedule->track_count)
        memcpy(rd_channel_track(c), schedule->track, schedule->track_count * sizeof *schedule->track);
    if (schedule->shared_count)
        memcpy(rd_channel_shared(c), schedule->shared, schedule->shared_count * sizeof *schedule->shared);
    if (rd_schedule_lists_points(schedule))
        c->execution.sharing = (struct rd_sharing_use){.version = 1, .patience = schedule->patience};
    if (rd_is_predicted(schedule->finding.kind))
        c->execution.plan.steps_max_cut = schedule->step_count; /* the record shows the finding after these steps */
    if (schedule->rules)
        memcpy(rd_channel_rules(c), schedule->rules, size.rules + 1);
    rd_choices_of_steps(rd_channel_prefix(c), schedule->steps, schedule->step_count);
    for (uint32_t i = 0; i < schedule->thread_count; i++)
        c->execution.paths[i] = (struct rd_thread_path){schedule->threads[i].parent, schedule->threads[i].ordinal};
    c->execution.path_count = schedule->thread_count;
    return 0;
}

/* Takes the result of the process, which has ended. Returns 0, or -1 with a message. */
static int take(struct rd_replay *r, const struct rd_target *t, const struct rd_schedule *schedule, int status,
                struct rd_error *error) {
    struct rd_worker *w = &r->worker;
    bool whole = rd_worker_is_whole(w) && rd_channel_is_sound(w->channel),
         attached = whole && w->channel->live.attached;
    if (attached && w->channel->execution.outcome.verdict == RD_RUNNING)
        rd_outcome_by_status(w->channel, status);
    const char *wrong = rd_run_result_take(&r->result, w);
    if (wrong)
        rd_error_set(error, "the program has written into the memory that it shares with raddle (%s)", wrong);
    else if (!attached)
        rd_session_not_attached(w, t, error);
    if (wrong || !attached)
        return -1;
    r->result.rules = schedule->rules;
    r->result.shared_count = schedule->shared_count;
    r->result.shared = calloc(schedule->shared_count + 1, sizeof *r->result.shared);
    if (!r->result.shared)
        abort();
    if (schedule->shared_count)
        memcpy(r->result.shared, schedule->shared, schedule->shared_count * sizeof *r->result.shared);
    if (r->result.module_count) /* the dynamic linker does not give the path of the executable */
        rd_text_copy(r->result.modules[0].path, sizeof r->result.modules[0].path, t->path);
    return 0;
}

int rd_replay_run(struct rd_replay *r, const struct rd_target *t, const struct rd_schedule *schedule,
                  enum rd_backend backend, double execution_s_max, struct rd_error *error) {
    struct rd_worker *w = &r->worker;
    const struct rd_finding *wanted = &schedule->finding;
    int status;
    memset(r, 0, sizeof *r);
    if (prepare(w, t, schedule, backend, error) != 0)
        return -1;
    w->execution_s_max = execution_s_max;
    w->spare_s = REPLAY_SPARE_S;
    if (wanted->kind == RD_HANG && wanted->status == RD_HANG_BY_TIME)
        w->hangs = schedule->step_count + 1;
    rd_target_tell(t, &w->channel->config);
    rd_worker_seal(w);
    w->channel->live.sequence = 1;
    r->is_open = true;
    if (rd_worker_run(w, t, &status, error) != 0 || take(r, t, schedule, status, error) != 0) {
        rd_replay_close(r);
        return -1;
    }
    if (rd_is_predicted(wanted->kind))
        look_for_predicted(&r->result, wanted);
    if (wanted->kind == RD_OUTPUT)
        compare_output(r, wanted);
    return 0;
}

void rd_replay_close(struct rd_replay *r) {
    if (r->is_open) {
        rd_worker_close(&r->worker);
        rd_run_result_free(&r->result);
    }
    r->is_open = false;
}

int rd_replay_prepare_debugged(struct rd_replay *r, const struct rd_target *t, const struct rd_schedule *schedule,
                               struct rd_error *error) {
    memset(r, 0, sizeof *r);
    if (prepare(&r->worker, t, schedule, RD_BACKEND_KERNEL, error) != 0)
        return -1;
    r->worker.channel->config.debugger = 1;
    r->worker.channel->config.detail = 0;
    rd_worker_seal(&r->worker);
    r->is_open = true;
    return 0;
}

const char *rd_replay_take_debugged(struct rd_replay *r) {
    RD_CHECK(r->is_open);
    bool attached = r->worker.channel->live.attached;
    if (rd_run_result_take(&r->result, &r->worker))
        return "the program has written into the memory that it shares with raddle";
    return attached ? NULL : "the program was not started under gdb";
}
