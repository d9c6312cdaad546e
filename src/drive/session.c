/*
 * session.c - see session.h. A session is a state machine: each state is a function that does its part and returns
 * the next state, and only these functions decide about the next state. FAILED, which each of START, RUN and JUDGE
 * can lead to, ends the session with a message and without a result.
 *
 *       START ──► RUN ──► JUDGE ──────────────► FINISH ──► OVER
 *         ▲                 │  └──► GIVE_UP ──────▲
 *         └───── RETRY ◄────┘
 *
 * START opens the first worker. RUN starts its process and those of the other workers, and waits for their end; a
 * worker that is killed in an execution is replaced there, and the search goes on (replace_worker.h). JUDGE takes
 * the results and looks for a failure of the search. If the search has failed, JUDGE changes the settings for
 * another attempt, and RETRY keeps the findings of the failed one. GIVE_UP makes a result that says why the search
 * failed, if no other attempt is possible. FINISH adds the findings of earlier attempts to the result.
 *
 * An attempt is one pass from START to JUDGE.
 */
#include "drive/session.h"

#include "base/text.h"
#include "detect/detect.h"
#include "drive/deadline.h"
#include "drive/real_clock.h"
#include "drive/replace_worker.h"
#include "drive/retry.h"
#include "drive/sharing_table.h"
#include "drive/worker_team.h"
#include "explore/loop.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

enum state { START, RUN, JUDGE, RETRY, FINISH, GIVE_UP, OVER, FAILED };

/* A session while it runs. */
struct session_run {
    struct rd_session *session;
    struct rd_attempts attempts;
    struct rd_worker_team_results team; /* the results of the other workers */
    enum rd_failure failure;            /* of the attempt, as JUDGE found it */
    const char *damaged;                /* the damaged part of the first worker's result; NULL: it is sound */
    int status;                         /* wait status of the first worker */
    struct rd_error *error;
};

const char *rd_isolation_name(enum rd_isolation i) {
    static const char *const names[] = {"auto", "snapshot", "fork", "exec"};
    return names[i];
}

int rd_session_set_strategy(struct rd_session *s, const char *text, struct rd_error *error) {
    if (strlen(text) >= sizeof s->config.strategy) {
        rd_error_set(error, "a strategy of more than %zu characters is too long", sizeof s->config.strategy - 1);
        return -1;
    }
    const struct rd_search *search = rd_search_parse(text, &s->params, error);
    if (!search)
        return -1;
    s->search = search;
    strcpy(s->config.strategy, text);
    return 0;
}

/* Completes the settings that are the same for all attempts: they follow from the strategy and the program. */
static void complete_settings(struct rd_session *s) {
    s->config.variables = s->search->profiles_memory;
    s->config.void_main = s->target->void_main;
    s->config.code_unseen = s->target->unseen_code;
    s->config.no_atomic = !rd_search_may_focus(s->search, &s->params);
    bool checks = s->config.points == RD_POINTS_SYNC && rd_detector_is_on(s->config.detect, RD_DETECT_RACES);
    bool shares = (s->config.points == RD_POINTS_AUTO || checks) && !s->config.focus && !s->search->profiles_only &&
                  !s->target->unseen_code;
    s->config.sharing = shares && rd_sharing_table_fd() >= 0 ? RD_SHARING_SEARCH : RD_SHARING_OFF;
    if (shares)
        rd_sharing_table_reset();
    s->fell_back[0] = s->one_worker[0] = 0;
    s->replaced = 0;
    s->left_snapshot = s->killed = false;
}

static enum state start(struct session_run *x) {
    struct rd_session *s = x->session;
    uint64_t *limit = &s->config.time_max_ns, all = *limit, used = x->attempts.used_ns;
    bool lazy = s->worker.lazy;
    s->config.workers = s->jobs;
    s->config.mode = s->isolation == RD_ISOLATION_EXEC ? RD_MODE_ONE : RD_MODE_EXPLORE;
    s->config.isolation = (uint8_t)s->isolation;
    *limit = all ? RD_MAX(all, used + 1) - used : 0; /* the time that earlier attempts have left */
    int failed = rd_session_open(s, &s->worker, x->error);
    *limit = all;
    if (failed)
        return FAILED;
    s->worker.lazy = lazy;
    if (x->attempts.has_saved) { /* threads keep the numbers that they have in the schedules of kept findings */
        struct rd_execution *e = &s->worker.channel->execution;
        e->path_count = x->attempts.saved.path_count;
        memcpy(e->paths, x->attempts.saved.paths, e->path_count * sizeof *e->paths);
    }
    return RUN;
}

/* Runs the search of a single worker. Returns 0, or -1 with a message. */
static int run_alone(struct rd_session *s, int *status, struct rd_error *error) {
    if (rd_worker_run(&s->worker, s->target, status, error) != 0)
        return -1;
    while (rd_replace_worker(s, &s->worker, *status))
        *status = rd_worker_wait(&s->worker);
    return 0;
}

static enum state run(struct session_run *x) {
    struct rd_session *s = x->session;
    int failed;
    if (s->isolation == RD_ISOLATION_EXEC)
        failed = rd_session_run_exec(s, &x->status, x->error);
    else if (s->jobs > 1)
        failed = rd_worker_team_run(s, &x->attempts, &x->status, &x->team, x->error);
    else
        failed = run_alone(s, &x->status, x->error);
    return failed ? FAILED : JUDGE;
}

/* The program ended before it created a thread, so no search began: its only execution is counted as the search. */
static void count_only_execution(struct rd_worker *w, int status) {
    struct rd_channel *c = w->channel;
    if (c->execution.outcome.verdict == RD_RUNNING)
        rd_outcome_by_status(c, status);
    if (c->config.separate)
        c->execution.output_size = rd_worker_output(w, rd_channel_output(c), RD_OUTPUT_MAX);
    rd_only_execution_count(c);
}

/* Takes the result of the first worker and judges that worker. */
static void take_first_result(struct session_run *x) {
    struct rd_session *s = x->session;
    struct rd_worker *w = &s->worker;
    const struct rd_channel *c = w->channel;
    bool explores = s->isolation != RD_ISOLATION_EXEC;
    bool unexplored =
        explores && rd_worker_is_whole(w) && rd_channel_is_sound(c) && c->live.attached && !c->live.explorer_pid;
    uint32_t end = c->result.summary.end;
    /* without a search only the choice of an isolation can have ended one: the program has written the rest */
    bool forged = unexplored && end != RD_END_NONE && end != RD_END_TROUBLE && end != RD_END_NO_FORK;
    if (unexplored && end == RD_END_NONE)
        count_only_execution(w, x->status);
    const char *wrong = rd_run_result_take(&s->result, w);
    s->result.rules = s->rules;
    if (!wrong && forged)
        wrong = "the end of a search";
    x->damaged = wrong;
    if (explores)
        x->failure = rd_failure_of_worker(w, &s->result.summary, !wrong);
    else
        x->failure = wrong ? RD_FAILURE_DAMAGED : x->status ? RD_FAILURE_DIED : RD_FAILURE_NONE;
}

static enum state judge(struct session_run *x) {
    struct rd_session *s = x->session;
    take_first_result(x);
    if (s->jobs > 1)
        x->failure = rd_worker_team_add_results(&s->result, &x->team, x->failure);
    if (s->jobs > 1 && x->failure == RD_FAILURE_NONE)
        s->jobs = x->team.count + 1;
    if (x->failure == RD_FAILURE_NONE && !s->result.attached && s->isolation != RD_ISOLATION_EXEC) {
        rd_session_not_attached(&s->worker, s->target, x->error);
        return FAILED;
    }
    if (x->failure == RD_FAILURE_NONE)
        return FINISH;
    if (rd_retry_change(s, x->failure, &s->result, &x->attempts))
        return RETRY;
    if (x->failure != RD_FAILURE_DAMAGED && !x->damaged && rd_deadline_over()) {
        /* no time is left to repeat the search: the report has the findings of all workers, but no claim */
        for (uint32_t i = 0; i < x->team.count; i++)
            rd_retry_keep_findings(&x->attempts, s, &x->team.other[i].result);
        s->result.summary.end = RD_END_BUDGET;
        s->result.summary.claim = rd_claim_none();
        return FINISH;
    }
    return GIVE_UP;
}

/* Frees the results of a failed attempt, after their findings that show again were kept. */
static void end_attempt(struct session_run *x) {
    struct rd_session *s = x->session;
    RD_CHECK(x->failure != RD_FAILURE_NONE);
    if (x->failure != RD_FAILURE_NO_FORK)
        rd_retry_keep_findings(&x->attempts, s, &s->result);
    rd_run_result_free(&s->result);
    for (uint32_t i = 0; i < x->team.count; i++)
        if (x->failure != RD_FAILURE_NO_FORK)
            rd_retry_keep_findings(&x->attempts, s, &x->team.other[i].result);
    rd_worker_team_free_results(&x->team);
    x->attempts.used_ns = rd_clock_ns() - x->attempts.begun_ns;
}

static enum state retry(struct session_run *x) {
    end_attempt(x);
    rd_worker_close(&x->session->worker);
    return START;
}

/* Makes the result of a session whose attempts have all failed: a message, and the findings that were kept. */
static enum state give_up(struct session_run *x) {
    struct rd_session *s = x->session;
    bool by_signal = WIFSIGNALED(x->status);
    end_attempt(x);
    s->result = rd_run_result_empty(&s->config);
    s->result.rules = s->rules;
    struct rd_summary *u = &s->result.summary;
    s->result.attached = s->result.explored = true;
    u->end = RD_END_TROUBLE;
    u->trouble = RD_REFUSED;
    if (x->failure == RD_FAILURE_DAMAGED || x->damaged)
        snprintf(u->message, sizeof u->message, "the program has written into the memory of the search%s%s%s",
                 x->damaged ? " (" : "", x->damaged ? x->damaged : "", x->damaged ? ")" : "");
    else
        snprintf(u->message, sizeof u->message, "the explorer ended unexpectedly (%s %d)",
                 by_signal ? "signal" : "status", by_signal ? WTERMSIG(x->status) : WEXITSTATUS(x->status));
    x->failure = RD_FAILURE_NONE;
    return FINISH;
}

static enum state finish(struct session_run *x) {
    struct rd_session *s = x->session;
    struct rd_run_result *r = &s->result;
    rd_worker_team_free_results(&x->team);
    rd_retry_recall_findings(&x->attempts, r);
    r->summary.elapsed_ns += x->attempts.used_ns;
    rd_replace_worker_note(s);
    if (s->isolation == RD_ISOLATION_AUTO)
        s->isolation = r->summary.no_snapshot[0] ? RD_ISOLATION_FORK : RD_ISOLATION_SNAPSHOT;
    if (!s->fell_back[0])
        rd_text_copy(s->fell_back, sizeof s->fell_back, r->summary.no_snapshot);
    /* the dynamic linker does not give the path of the executable */
    rd_text_copy(r->modules[0].path, sizeof r->modules[0].path, r->module_count ? s->target->path : "");
    return OVER;
}

int rd_session_run(struct rd_session *s, struct rd_error *error) {
    static enum state (*const steps[])(struct session_run *) = {
        [START] = start, [RUN] = run, [JUDGE] = judge, [RETRY] = retry, [FINISH] = finish, [GIVE_UP] = give_up};
    static struct session_run x;
    x = (struct session_run){.session = s, .error = error, .attempts.begun_ns = rd_clock_ns()};
    RD_CHECK(s->search && s->target);
    const char *alone = s->jobs > 1 ? rd_session_alone(s) : NULL;
    s->jobs = alone ? 1 : RD_MIN(RD_MAX(s->jobs, 1u), (uint32_t)RD_TEAM_MAX);
    s->worker = (struct rd_worker){0};
    complete_settings(s);
    enum state at = START;
    while (at != OVER && at != FAILED)
        at = steps[at](&x);
    if (at == FAILED) {
        rd_worker_team_free_results(&x.team);
        rd_run_result_free(&x.attempts.saved);
    }
    if (at == FAILED && s->worker.channel)
        rd_session_close(s);
    else if (at == OVER && alone && s->result.summary.elapsed_ns > RD_TEAM_LATER_NS)
        rd_text_copy(s->one_worker, sizeof s->one_worker, alone);
    return at == FAILED ? -1 : 0;
}

void rd_session_close(struct rd_session *s) {
    rd_worker_close(&s->worker);
    rd_run_result_free(&s->result);
}
