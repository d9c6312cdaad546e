/* replace_worker.c - see replace_worker.h. */
#include "drive/replace_worker.h"

#include "base/text.h"
#include "drive/deadline.h"

#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { GONE_MS = 1000 };              /* the time that a killed process has to disappear */
enum { IDLE_REPLACEMENTS_MAX = 3 };   /* after so many deaths in one execution the worker is not replaced */
enum { SHARED_REPLACEMENTS_MAX = 3 }; /* after so many deaths executions no longer share a process */
const char rd_replace_worker_why[] = "the program damages the memory of the search, or its process was killed";

/* Did another process send the signal that ended this one? The kernel sends the signals in `faults` for an error.
 */
static bool is_signal_from_outside(int status) {
    static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS};
    if (!WIFSIGNALED(status))
        return false;
    for (unsigned i = 0; i < RD_COUNT(faults); i++)
        if (WTERMSIG(status) == faults[i])
            return false;
    return true;
}

/* Was the worker killed from outside while its search was in order and not finished? */
static bool was_killed_from_outside(const struct rd_worker *w, int status) {
    const struct rd_channel *c = w->channel;
    bool began = (c->live.attached && c->live.explorer_pid > 0) || w->replaced;
    return is_signal_from_outside(status) && !w->shot && rd_worker_is_whole(w) && began &&
           c->result.summary.end == RD_END_NONE && !c->result.summary.broken;
}

static uint64_t executions_of(const struct rd_worker *w) {
    return w->channel->result.summary.executions + w->channel->result.summary.cut;
}

/* Has an execution ended since the process of the worker was last replaced? */
static bool has_progressed(const struct rd_worker *w) { return !w->replaced || w->replaced_at != executions_of(w); }

/* Can another process go on with the search: is its memory consistent, and has the limit not been reached? */
static bool can_resume(const struct rd_worker *w) {
    const struct rd_channel *c = w->channel;
    bool marked = c->live.phase == RD_PHASE_RUN || c->live.phase == RD_PHASE_WAIT;
    return w->search_fd && marked && (has_progressed(w) || w->idle_replacements < IDLE_REPLACEMENTS_MAX);
}

/*
 * Waits until the process of the execution is gone: it dies with the explorer, but not at once, and until then it
 * may write into the channel. False: it still exists.
 */
static bool await_end_of_execution(const struct rd_channel *c) {
    pid_t pid = __atomic_load_n(&c->live.execution_pid, __ATOMIC_ACQUIRE);
    if (pid <= 0 || pid == c->live.explorer_pid)
        return true;
    struct pollfd p = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
    if (p.fd < 0)
        return true; /* it is gone */
    bool gone = poll(&p, 1, GONE_MS) == 1;
    close(p.fd);
    return gone;
}

/*
 * Prepares the channel for the new process. The state of the search stays; the record of the execution that was
 * interrupted gives the steps that the new process has to repeat (`redo`).
 */
static void reset_channel(struct rd_worker *w) {
    struct rd_channel *c = w->channel;
    uint32_t steps = RD_MIN(c->execution.outcome.steps, (uint32_t)RD_MIN(c->steps_max, (uint64_t)UINT32_MAX));
    if (has_progressed(w) || steps > c->live.redo_steps + 1) {
        c->live.redo_steps = steps ? steps - 1 : 0; /* the last step may be half written */
        c->live.redo = rd_channel_hash_steps(c, c->live.redo_steps);
    }
    c->config.resumes = 1;
    c->execution.annotation_kept = c->execution.observed_kept = 0;
    /* the program can write there */
    c->execution.outcome.threads = RD_MIN(c->execution.outcome.threads, (uint32_t)RD_TID_MAX);
    rd_channel_reset(c);
    c->live.explorer_pid = c->live.execution_pid = 0;
    (void)!ftruncate(w->output_fd, 0);
    (void)!ftruncate(w->error_fd, 0);
}

/*
 * The execution in which the old process died gets a process of its own. The executions after it share one again if
 * they did before, because that is much faster and most deaths do not come from the program. After
 * SHARED_REPLACEMENTS_MAX deaths each execution gets a process of its own.
 */
bool rd_replace_worker(struct rd_session *s, struct rd_worker *w, int status) {
    struct rd_channel *c = w->channel;
    struct rd_error error;
    RD_CHECK(w->pid == 0);
    if (rd_deadline_over() || !was_killed_from_outside(w, status))
        return false;
    s->killed = c->live.phase == RD_PHASE_SEARCH && c->live.execution_pid == 0;
    if (!can_resume(w) || !await_end_of_execution(c))
        return false;
    reset_channel(w);
    bool shares_process = c->config.isolation == RD_ISOLATION_AUTO && !c->result.summary.no_snapshot[0];
    if (shares_process && w->replaced >= SHARED_REPLACEMENTS_MAX) {
        c->config.isolation = RD_ISOLATION_FORK;
        rd_text_copy(c->result.summary.no_snapshot, sizeof c->result.summary.no_snapshot, rd_replace_worker_why);
        s->left_snapshot = true;
    }
    w->idle_replacements = has_progressed(w) ? 1 : w->idle_replacements + 1;
    w->replaced++;
    w->replaced_at = executions_of(w);
    s->replaced++;
    rd_worker_seal(w); /* reset_channel and the lines above have changed the configuration */
    bool started = rd_worker_start(w, s->target, &error) == 0;
    w->pid = started ? w->pid : 0;
    return started;
}

void rd_replace_worker_note(struct rd_session *s) {
    if (!s->replaced || s->one_worker[0])
        return;
    if (s->replaced == 1)
        rd_text_copy(s->one_worker, sizeof s->one_worker, "a worker died; only its last execution was run again");
    else
        snprintf(s->one_worker, sizeof s->one_worker,
                 "workers died %u times; only their last executions were run again", s->replaced);
}
