/* session.c - see session.h. */
#include "drive/session.h"

#include "base/text.h"
#include "detect/detect.h"
#include "drive/real_clock.h"
#include "drive/restart.h"
#include "drive/process/side_process.h"
#include "drive/deadline.h"
#include "drive/rules_used.h"
#include "drive/sharing_table.h"
#include "drive/worker_team.h"
#include "explore/loop.h"
#include "explore/outcomes.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

static const uint64_t arena_size = (uint64_t)64 << 30;
/* What the process of a search has beyond the end of its last execution. */
static const double SEARCH_SPARE_S = 0.1;
/* A search that was stopped at the end leaves this much for reports; 0.4 s later its last process is gone. */
static const double REPLAY_SPARE_S = 0.3;

const char *rd_isolation_name(enum rd_isolation i) {
    static const char *const names[] = {"auto", "snapshot", "fork", "exec"};
    return names[i];
}

/* The executable's path is known here, the dynamic linker does not tell it. */
static void name_program(struct rd_channel *c, const struct rd_target *t) {
    if (c->execution.module_count)
        rd_text_copy(c->execution.modules[0].path, sizeof c->execution.modules[0].path, t->path);
}

/* The library never said hello. If it could say why, that is in the output. */
static int not_attached(const struct rd_worker *w, const struct rd_target *t, struct rd_error *error) {
    static const char mark[] = "raddle: ";
    char said[256];
    ssize_t n = pread(w->output_fd, said, sizeof said - 1, 0);
    said[n > 0 ? n : 0] = 0;
    said[strcspn(said, "\n")] = 0;
    bool reason = strncmp(said, mark, sizeof mark - 1) == 0;
    rd_error_set(error, "cannot take over '%s': %s", t->path,
                 reason ? said + sizeof mark - 1 : "the runtime library was not loaded into it");
    return -1;
}

/*
 * Starts the program and waits for its end. One that cannot bind all of its calls at once, because of some that it
 * never makes, is started again without that.
 */
int rd_session_wait(struct rd_worker *w, const struct rd_target *t, int *status, struct rd_error *error) {
    for (;;) {
        if (rd_worker_start(w, t, error) != 0)
            return -1;
        *status = rd_worker_wait(w);
        if (w->channel->live.attached || w->lazy || !WIFEXITED(*status) || WEXITSTATUS(*status) != 127)
            return 0;
        w->lazy = true;
        (void)!ftruncate(w->output_fd, 0);
        (void)!ftruncate(w->error_fd, 0);
    }
}

static const char damaged[] = "the program has written into the memory that it shares with raddle";

/* ---- fork isolation: the search runs in the tested process ---- */

/* The process was over before its first thread: that was the one execution there is. */
static void only_one(const struct rd_worker *w, int status) {
    struct rd_channel *c = w->channel;
    struct rd_summary *s = &c->result.summary;
    if (c->execution.outcome.verdict == RD_RUNNING)
        rd_outcome_by_status(c, status);
    if (c->execution.outcome.verdict == RD_GIVEN_UP) {
        s->end = rd_end_of_stop(c);
        s->unseen_pc = c->execution.outcome.unseen_pc;
        return;
    }
    s->executions = 1;
    rd_coverage_state_digest(c);
    if (c->config.separate) {
        c->execution.output_size = rd_worker_output(w, rd_channel_output(c), RD_OUTPUT_MAX);
        rd_outcomes_expect(c);
        rd_outcomes_note(c);
    }
    s->orders = 1;
    s->threads_max = 1;
    s->children = c->execution.outcome.children;
    s->waited_outside = c->execution.outcome.waited_outside;
    s->unseen = c->execution.outcome.unseen;
    s->preemptions[0] = 1;
    s->classes_by[0] = 1;
    s->end = RD_END_COMPLETE;
    rd_loop_single(&s->claim);
    if (c->config.coverage) {
        s->coverage.states = s->coverage.states_by[0] = s->coverage.lazy = 1;
        rd_coverage_state_sample(c, true);
    }
    if (c->execution.outcome.verdict == RD_FOUND) {
        s->findings = 1;
        s->found_count = 1;
        c->result.found[0] =
            (struct rd_found){.finding = c->execution.outcome.finding, .execution = 1, .threads = 1, .count = 1};
        s->end = RD_END_FOUND;
    } else if (c->execution.outcome.verdict == RD_DROPPED) {
        s->dropped = 1;
    } else if (c->execution.outcome.verdict != RD_PASSED) {
        s->end = RD_END_TROUBLE;
        s->trouble = c->execution.outcome.verdict;
        rd_text_copy(s->message, sizeof s->message, c->execution.outcome.message);
        s->unseen_pc = c->execution.outcome.unseen_pc;
    }
}

static int explore_by_fork(struct rd_session *s, struct rd_error *error) {
    struct rd_worker *w = &s->worker;
    struct rd_channel *c = w->channel;
    c->config.mode = RD_MODE_EXPLORE;
    c->config.isolation = (uint8_t)s->isolation;
    int status;
    if (rd_restart_run(s, &status, error) != 0)
        return -1;
    c = w->channel;
    if (!c->live.attached)
        return not_attached(w, s->target, error);
    if (!c->live.explorer_pid && c->result.summary.end == RD_END_NONE)
        only_one(w, status);
    return 0;
}

/* ---- exec isolation: the search runs here, a process an execution ---- */

struct spawning {
    struct rd_session *session;
    const char *before; /* what says where things are in the channel, and how to search */
    struct rd_arena *arena;
    struct rd_error error;
};

/* The search is not in that process, but what it says is in its reach: nothing that was counted is of use. */
static void refuse_damaged(struct rd_channel *c, const char *before) {
    memcpy(c, before, offsetof(struct rd_channel, execution));
    memset(&c->execution.plan, 0, sizeof c->execution.plan);
    memset(&c->result.summary, 0, sizeof c->result.summary);
    memset(&c->execution.outcome, 0, sizeof c->execution.outcome);
    c->execution.module_count = c->execution.path_count = c->execution.annotation_count =
        c->execution.observed_count = 0;
    c->execution.outcome.verdict = RD_REFUSED;
    rd_text_copy(c->execution.outcome.message, sizeof c->execution.outcome.message, damaged);
}

static void run_process(void *ctx) {
    struct spawning *p = ctx;
    struct rd_worker *w = &p->session->worker;
    struct rd_channel *c = w->channel;
    rd_channel_reset(c);
    (void)!ftruncate(w->output_fd, 0);
    (void)!ftruncate(w->error_fd, 0);
    int status;
    if (rd_session_wait(w, p->session->target, &status, &p->error) != 0) {
        c->execution.outcome.verdict = RD_REFUSED;
        rd_text_copy(c->execution.outcome.message, sizeof c->execution.outcome.message, p->error.text);
        return;
    }
    if (!rd_worker_is_whole(w)) {
        refuse_damaged(c, p->before);
        return;
    }
    c->live.execution_pid = 0;
    if (w->tick)
        w->tick(c);
    if (!c->live.attached) {
        c->execution.outcome.verdict = RD_REFUSED;
        not_attached(w, p->session->target, &p->error);
        rd_text_copy(c->execution.outcome.message, sizeof c->execution.outcome.message, p->error.text);
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
    const struct spawning *p = ctx;
    return rd_worker_output(&p->session->worker, to, room);
}

static void search_here(void *ctx) {
    struct spawning *p = ctx;
    struct rd_loop_env env = {.ctx = p, .run = run_process, .now_ns = now_ns, .output = output_of};
    if (rd_deadline_begun())
        p->session->worker.tick = NULL; /* whoever waits for this process does that */
    env.sharing = p->session->worker.channel->config.sharing ? rd_drive_sharing() : NULL;
    rd_loop_run(p->session->worker.channel, p->arena, &env);
}

/* The process of the search ends its executions itself: it has a moment more than they. */
static enum rd_stage stage_of(void *ctx) {
    const struct spawning *p = ctx;
    const struct rd_worker *w = &p->session->worker;
    if (rd_deadline_over() && !w->channel->live.stop)
        w->channel->live.stop = rd_deadline_signalled() ? RD_STOP_SIGNAL : RD_STOP_TIME;
    return rd_deadline_stage(rd_worker_spare(w) + SEARCH_SPARE_S);
}

static void show(void *ctx) {
    const struct spawning *p = ctx;
    p->session->tick(p->session->worker.channel);
}

static int explore_by_exec(struct rd_session *s, struct rd_error *error) {
    void *memory =
        mmap(NULL, arena_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        rd_error_set(error, "cannot reserve memory for the search: %s", strerror(errno));
        return -1;
    }
    struct rd_arena arena;
    rd_arena_init(&arena, memory, arena_size);
    s->worker.channel->config.mode = RD_MODE_ONE;
    static char before[offsetof(struct rd_channel, execution)];
    memcpy(before, s->worker.channel, sizeof before);
    struct spawning p = {.session = s, .before = before};
    p.arena = &arena;
    int status = 0;
    struct rd_side_process apart = {.work = search_here,
                                    .stage = stage_of,
                                    .tick = s->tick ? show : NULL,
                                    .ctx = &p,
                                    .stop = &s->worker.channel->live.stop};
    enum rd_side_process_end end = rd_side_process(&apart, &status);
    if (end == RD_SIDE_PROCESS_LATE)
        rd_worker_settle(&s->worker);
    if (end == RD_SIDE_PROCESS_DIED)
        rd_error_set(error, "the search ended unexpectedly (signal %d)", WTERMSIG(status));
    munmap(memory, arena_size);
    return end == RD_SIDE_PROCESS_DIED ? -1 : 0;
}

/* What auto isolation came to. */
static void note_isolation(struct rd_session *s) {
    struct rd_summary *u = &s->worker.channel->result.summary;
    if (s->isolation == RD_ISOLATION_AUTO)
        s->isolation = u->no_snapshot[0] ? RD_ISOLATION_FORK : RD_ISOLATION_SNAPSHOT;
    if (!s->fell_back[0])
        rd_text_copy(s->fell_back, sizeof s->fell_back, u->no_snapshot);
}

/* Fork isolation cannot isolate this program: all over again, with new processes. */
static void go_to_exec(struct rd_session *s) {
    struct rd_channel *c = s->worker.channel;
    rd_text_copy(s->fell_back, sizeof s->fell_back, c->result.summary.message);
    memset(&c->result.summary, 0, sizeof c->result.summary);
    c->live.explorer_pid = 0;
    c->config.workers = s->jobs = 1;
    c->execution.annotation_kept = c->execution.observed_kept = 0;
    s->isolation = RD_ISOLATION_EXEC;
}

int rd_session_run(struct rd_session *s, struct rd_error *error) {
    struct rd_params params = {0};
    const struct rd_search *search = rd_search_parse(s->config.strategy, &params, error);
    if (!search)
        return -1;
    s->config.variables = search->profiles_memory;
    s->config.void_main = s->target->void_main;
    s->config.no_atomic = !rd_search_may_focus(search, &params);
    const char *alone = s->jobs > 1 ? rd_session_alone(s) : NULL;
    s->jobs = alone ? 1 : RD_MIN(RD_MAX(s->jobs, 1u), (uint32_t)RD_TEAM_MAX);
    s->config.workers = s->jobs;
    s->fell_back[0] = s->one_worker[0] = 0;
    s->revived = 0;
    bool shares =
        s->config.points == RD_POINTS_AUTO && !s->config.focus && !search->profiles_only && !s->target->unseen_code;
    s->config.sharing = shares && rd_drive_sharing_fd() >= 0 ? RD_SHARING_SEARCH : RD_SHARING_OFF;
    if (shares)
        rd_drive_sharing_reset();
    s->left_snapshot = s->killed = false;
    if (rd_session_open(s, &s->worker, error) != 0)
        return -1;
    int failed = s->isolation == RD_ISOLATION_EXEC ? 0 : explore_by_fork(s, error);
    if (!failed && s->isolation != RD_ISOLATION_EXEC) {
        if (s->worker.channel->result.summary.end == RD_END_NO_FORK)
            go_to_exec(s);
        else
            note_isolation(s);
    }
    if (!failed && s->isolation == RD_ISOLATION_EXEC)
        failed = explore_by_exec(s, error);
    name_program(s->worker.channel, s->target);
    if (!failed && alone && s->worker.channel->result.summary.elapsed_ns > RD_TEAM_LATER_NS)
        rd_text_copy(s->one_worker, sizeof s->one_worker, alone);
    if (failed)
        rd_worker_close(&s->worker);
    return failed;
}

void rd_session_close(struct rd_session *s) { rd_worker_close(&s->worker); }

/* ---- one recorded schedule ---- */

struct prediction {
    struct rd_channel *channel;
    const struct rd_finding *wanted;
};

/* A finding that was read in an execution is read in it again. Where it shows there may be the end, by another one.
 */
static void predict_again(void *ctx) {
    const struct prediction *p = ctx;
    struct rd_channel *c = p->channel;
    const struct rd_finding *wanted = p->wanted;
    struct rd_outcome *o = &c->execution.outcome;
    if (o->verdict != RD_PASSED && o->verdict != RD_CUT && o->verdict != RD_FOUND)
        return;
    void *memory =
        mmap(NULL, arena_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
        return;
    struct rd_arena arena;
    rd_arena_init(&arena, memory, arena_size);
    struct rd_record r = rd_channel_record(c);
    struct rd_finding f;
    bool found = rd_detect_again(&arena, &r, wanted, &f);
    munmap(memory, arena_size);
    if (!found)
        return;
    o->verdict = RD_FOUND;
    o->finding = f;
}

/* The same output again, whatever was expected. */
static void compare_output(const struct rd_worker *w, const struct rd_finding *wanted) {
    struct rd_outcome *o = &w->channel->execution.outcome;
    static char text[RD_OUTPUT_MAX];
    if (o->verdict != RD_PASSED || rd_output_key(text, rd_worker_output(w, text, sizeof text)) != wanted->key)
        return;
    o->verdict = RD_FOUND;
    o->finding = *wanted;
}

static enum rd_stage stage_of_replay(void *ctx) {
    (void)ctx;
    return rd_deadline_stage(REPLAY_SPARE_S);
}

bool rd_session_may_replay(void) { return stage_of_replay(NULL) == RD_STAGE_BEFORE; }

int rd_session_replay(struct rd_worker *w, const struct rd_target *t, const struct rd_schedule *schedule,
                      enum rd_backend backend, double execution_s_max, struct rd_error *error) {
    if (rd_session_prepare(w, t, schedule, backend, error) != 0)
        return -1;
    w->execution_s_max = execution_s_max;
    w->spare_s = REPLAY_SPARE_S;
    if (schedule->finding.kind == RD_HANG && schedule->finding.status == RD_HANG_BY_TIME)
        w->hangs = schedule->step_count + 1;
    struct rd_channel *c = w->channel;
    rd_target_tell(t, &c->config);
    c->live.sequence = 1;
    int status;
    if (rd_session_wait(w, t, &status, error) != 0) {
        rd_worker_close(w);
        return -1;
    }
    if (!rd_worker_is_whole(w)) {
        rd_error_set(error, "%s", damaged);
        rd_worker_close(w);
        return -1;
    }
    if (!c->live.attached) {
        not_attached(w, t, error);
        rd_worker_close(w);
        return -1;
    }
    if (c->execution.outcome.verdict == RD_RUNNING)
        rd_outcome_by_status(c, status);
    struct prediction p = {c, &schedule->finding};
    struct rd_side_process apart = {.work = predict_again, .stage = stage_of_replay, .ctx = &p};
    if (rd_is_predicted(schedule->finding.kind) && rd_side_process(&apart, &status) == RD_SIDE_PROCESS_LATE)
        c->execution.outcome.verdict = RD_GIVEN_UP;
    if (schedule->finding.kind == RD_OUTPUT)
        compare_output(w, &schedule->finding);
    name_program(c, t);
    return 0;
}
