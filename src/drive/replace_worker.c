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

enum { GONE_MS = 1000 }; /* that a process which was killed has to be gone */
enum { STANDS = 3 };     /* deaths in the same execution after which another one would be of no use */
enum { OFTEN = 3 };      /* deaths of a worker that are nothing to do with what its process is used for */
const char rd_replace_worker_why[] = "the program damages the memory of the search, or its process was killed";

/* Was it somebody's wish, and no fault in what it did? */
static bool was_sent(int status) {
    static const int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS};
    if (!WIFSIGNALED(status))
        return false;
    for (unsigned i = 0; i < RD_COUNT(faults); i++)
        if (WTERMSIG(status) == faults[i])
            return false;
    return true;
}

/* Has it died with nothing wrong? */
static bool was_killed(const struct rd_worker *w, int status) {
    const struct rd_channel *c = w->channel;
    bool began = (c->live.attached && c->live.explorer_pid > 0) || w->replaced;
    return was_sent(status) && !w->shot && rd_worker_is_whole(w) && began && c->result.summary.end == RD_END_NONE &&
           !c->result.summary.broken;
}

static uint64_t done_by(const struct rd_worker *w) {
    return w->channel->result.summary.executions + w->channel->result.summary.cut;
}

/* Has it done anything since it was started again? */
static bool has_moved(const struct rd_worker *w) { return !w->replaced || w->replaced_at != done_by(w); }

/* Is what it has left behind whole? */
static bool can_go_on(const struct rd_worker *w) {
    const struct rd_channel *c = w->channel;
    bool marked = c->live.phase == RD_PHASE_RUN || c->live.phase == RD_PHASE_WAIT;
    return w->search_fd && marked && (has_moved(w) || w->stands < STANDS);
}

/* The process of an execution dies with the explorer, but it may take its time, and writes into the channel. */
static bool end_execution(const struct rd_channel *c) {
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

/* As it is before a process is started, but for what the search knows. */
static void clear(struct rd_worker *w) {
    struct rd_channel *c = w->channel;
    uint32_t steps = RD_MIN(c->execution.outcome.steps, (uint32_t)RD_MIN(c->steps_max, (uint64_t)UINT32_MAX));
    if (has_moved(w) || steps > c->live.redo_steps + 1) {
        c->live.redo_steps = steps ? steps - 1 : 0; /* the last one may be half written */
        c->live.redo = rd_channel_hash_steps(c, c->live.redo_steps);
    }
    c->config.resumes = 1;
    c->execution.annotation_kept = c->execution.observed_kept = 0;
    c->execution.outcome.threads =
        RD_MIN(c->execution.outcome.threads, (uint32_t)RD_TID_MAX); /* whatever the program did to it */
    rd_channel_reset(c);
    c->live.explorer_pid = c->live.execution_pid = 0;
    (void)!ftruncate(w->output_fd, 0);
    (void)!ftruncate(w->error_fd, 0);
}

/*
 * The execution that a process died in has one of its own now. The others share one as before: it is much faster,
 * and most deaths are somebody else's wish; where there are many they no longer do.
 */
bool rd_replace_worker(struct rd_session *s, struct rd_worker *w, int status) {
    struct rd_channel *c = w->channel;
    struct rd_error error;
    if (rd_deadline_over() || !was_killed(w, status))
        return false;
    s->killed = c->live.phase == RD_PHASE_SEARCH && c->live.execution_pid == 0;
    if (!can_go_on(w) || !end_execution(c))
        return false;
    clear(w);
    bool shared = c->config.isolation == RD_ISOLATION_AUTO && !c->result.summary.no_snapshot[0];
    if (shared && w->replaced >= OFTEN) {
        c->config.isolation = RD_ISOLATION_FORK;
        rd_text_copy(c->result.summary.no_snapshot, sizeof c->result.summary.no_snapshot, rd_replace_worker_why);
        s->left_snapshot = true;
    }
    w->stands = has_moved(w) ? 1 : w->stands + 1;
    w->replaced++;
    w->replaced_at = done_by(w);
    s->replaced++;
    bool started = rd_worker_start(w, s->target, &error) == 0;
    w->pid = started ? w->pid : 0;
    return started;
}

void rd_replace_worker_note(struct rd_session *s) {
    if (!s->replaced || s->one_worker[0])
        return;
    if (s->replaced == 1)
        rd_text_copy(s->one_worker, sizeof s->one_worker,
                     "a worker died; nothing but the execution that it was in was run again");
    else
        snprintf(s->one_worker, sizeof s->one_worker,
                 "workers died %u times; nothing but the executions that they were in was run again", s->replaced);
}
