/*
 * run_exec.c - exec isolation: each execution is a new process of the program. The loop of the search runs in a
 * side process of the driver, so that the driver is free to keep the deadline of the command.
 */
#include "drive/session.h"

#include "base/text.h"
#include "drive/deadline.h"
#include "drive/process/side_process.h"
#include "drive/real_clock.h"
#include "drive/sharing_table.h"
#include "explore/loop.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static const uint64_t ARENA_SIZE = (uint64_t)64 << 30;
/* The side process ends the execution at its deadline, so its own deadline is that much later. */
static const double SEARCH_SPARE_S = 0.1;

struct exec_search {
    struct rd_session *session;
    struct rd_arena *arena;
    struct rd_channel head; /* a copy of head and configuration, made before the first execution */
};

/*
 * The program has damaged the channel. It cannot reach the memory of the search, but the counts of the search are
 * in the channel, and do not count any more: the execution ends the search with trouble. The findings so far stay,
 * with the tables of modules and threads that their schedules need: rd_run_result_take checks each, and the report
 * replays it.
 */
static void refuse_damaged(struct rd_channel *c, const struct exec_search *x) {
    const struct rd_summary before = c->result.summary;
    struct rd_execution *e = &c->execution;
    memcpy(c, &x->head, RD_CHANNEL_PROTECTED);
    rd_channel_set_canaries(c);
    e->plan = (struct rd_plan){0};
    memset(&e->outcome, 0, sizeof e->outcome);
    e->module_count = e->module_count <= RD_MODULES_MAX ? e->module_count : 0;
    e->path_count = e->path_count <= RD_TID_MAX ? e->path_count : 0;
    e->annotation_count = e->annotation_kept = e->observed_count = e->observed_kept = 0;
    memset(&c->result.summary, 0, sizeof c->result.summary);
    memset(&c->result.early_failure, 0, sizeof c->result.early_failure);
    if (before.found_count <= RD_FOUND_MAX && before.store_used <= c->store_max &&
        before.tracks_used <= RD_TRACKS_STORED) {
        c->result.summary.found_count = before.found_count;
        c->result.summary.store_used = before.store_used;
        c->result.summary.tracks_used = before.tracks_used;
    }
    e->outcome.verdict = RD_REFUSED;
    rd_text_copy(e->outcome.message, sizeof e->outcome.message,
                 "the program has written into the memory that it shares with raddle");
}

/* The execution ends the search with trouble. */
static void refuse(struct rd_channel *c, const struct rd_error *error) {
    c->execution.outcome.verdict = RD_REFUSED;
    rd_text_copy(c->execution.outcome.message, sizeof c->execution.outcome.message, error->text);
}

/* The slot `run` of the loop: runs one execution, and leaves its record and its outcome in the channel. */
static void run_process(void *ctx) {
    struct exec_search *x = ctx;
    struct rd_worker *w = &x->session->worker;
    struct rd_channel *c = w->channel;
    struct rd_error error;
    int status;
    rd_channel_reset(c);
    rd_worker_clear_output(w);
    if (rd_worker_run(w, x->session->target, &status, &error) != 0) {
        refuse(c, &error);
        return;
    }
    if (!rd_worker_is_whole(w) || !rd_channel_is_sound(c)) {
        refuse_damaged(c, x);
        return;
    }
    c->live.execution_pid = 0;
    rd_worker_tick(w);
    if (!c->live.attached) {
        rd_session_not_attached(w, x->session->target, &error);
        refuse(c, &error);
    } else if (c->execution.outcome.verdict == RD_RUNNING)
        rd_outcome_by_status(c, status);
    if (rd_deadline_over())
        c->live.stop = rd_deadline_signalled() ? RD_STOP_SIGNAL : RD_STOP_TIME;
}

static uint64_t now_ns(void *ctx) {
    (void)ctx;
    return rd_clock_ns();
}

static uint64_t output_of(void *ctx, char *to, uint64_t room) {
    const struct exec_search *x = ctx;
    return rd_worker_output(&x->session->worker, to, room);
}

/* The work of the side process: the whole search. */
static void run_search(void *ctx) {
    struct exec_search *x = ctx;
    struct rd_worker *w = &x->session->worker;
    struct rd_loop_env env = {.ctx = x, .run = run_process, .now_ns = now_ns, .output = output_of};
    if (rd_deadline_begun())
        w->tick = NULL; /* the driver calls it while it waits for this process */
    env.sharing = w->channel->config.sharing ? rd_sharing_table() : NULL;
    rd_loop_run(w->channel, x->arena, &env);
}

/* The driver asks for the stage of the side process, and tells the search when its time is over. */
static enum rd_stage stage_of(void *ctx) {
    const struct exec_search *x = ctx;
    const struct rd_worker *w = &x->session->worker;
    if (rd_deadline_over() && !w->channel->live.stop)
        w->channel->live.stop = rd_deadline_signalled() ? RD_STOP_SIGNAL : RD_STOP_TIME;
    return rd_deadline_stage(rd_worker_spare(w) + SEARCH_SPARE_S);
}

static void show_progress(void *ctx) {
    const struct exec_search *x = ctx;
    rd_worker_tick(&x->session->worker);
}

int rd_session_run_exec(struct rd_session *s, int *status, struct rd_error *error) {
    static struct exec_search x;
    struct rd_channel *c = s->worker.channel;
    void *memory =
        mmap(NULL, ARENA_SIZE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        rd_error_set(error, "cannot reserve memory for the search: %s", strerror(errno));
        return -1;
    }
    struct rd_arena arena;
    rd_arena_init(&arena, memory, ARENA_SIZE);
    x = (struct exec_search){.session = s, .arena = &arena};
    memcpy(&x.head, c, RD_CHANNEL_PROTECTED);
    *status = 0;
    struct rd_side_process side = {.work = run_search,
                                   .stage = stage_of,
                                   .tick = s->tick ? show_progress : NULL,
                                   .ctx = &x,
                                   .stop = &c->live.stop};
    enum rd_side_process_end end = rd_side_process(&side, status);
    if (end == RD_SIDE_PROCESS_LATE)
        rd_worker_settle(&s->worker);
    if (end != RD_SIDE_PROCESS_DIED)
        *status = 0;
    munmap(memory, ARENA_SIZE);
    return 0;
}
