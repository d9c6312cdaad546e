/*
 * watch.c - see watchdog.h. The watchdog looks at the number of the running execution. When that has not changed
 * for too long it sends the execution a signal, whose handler reports a hang with the stack; if even that has no
 * effect the process is killed, and the hang is reported without a stack. What the kernel knows of the thread is
 * looked up before.
 *
 * How long is too long? What was asked for; else ten seconds, but less where there is a reason not to wait that
 * long:
 * - the thread has computed for two seconds without any operation, and that is fifty times what any execution
 *   before it took as a whole. It is its time on a processor that counts: others may have had that in between. The
 *   first execution has nothing to be compared with;
 * - it is blocked, and so is everybody who could change that (blocked_for_good.h);
 * - the schedule of such a hang is run again, and has come to its end.
 *
 * What the program has written over is not waited for. One that has replaced itself by another program has all of
 * its time, and no signal of ours: then it is killed.
 *
 * A search in the same process as its executions, which is in none and shows no sign of life for several times as
 * long, is killed: it is begun again where they cannot reach it (restart.h).
 */
#include "drive/process/watchdog.h"

#include "drive/real_clock.h"
#include "drive/process/blocked_for_good.h"
#include "drive/process/task_state.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

enum { GRACE_S = 2, COMPUTES_S = 2, TIMES = 50, BLOCKED_S = 2, STUCK_TIMES = 6 };
static const double BETWEEN_S = 0.2, AGAIN_S = 0.5; /* two looks at who is blocked; at the end of the schedule */

/* The time that the process has had on a processor; 0: it is gone. */
static double computed(pid_t pid) {
    clockid_t clock;
    struct timespec t;
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &t) != 0)
        return 0;
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static pid_t task_of(const struct rd_channel *c, pid_t pid) {
    return c->live.running_task ? c->live.running_task : pid;
}

/* How long the thread could have run, but others did; 0: not known. */
static double starved(pid_t pid, pid_t task) {
    char path[64];
    uint64_t ran, waited = 0;
    snprintf(path, sizeof path, "/proc/%d/task/%d/schedstat", (int)pid, (int)task);
    FILE *f = fopen(path, "re");
    if (f && fscanf(f, "%" SCNu64 " %" SCNu64, &ran, &waited) != 2)
        waited = 0;
    if (f)
        fclose(f);
    return (double)waited * 1e-9;
}

/* Before it is told: what it does now, and whether it did anything visible in the second half of its time. */
static void look(struct rd_channel *c, const struct rd_watchdog_state *k, double now) {
    rd_task_look(k->pid, task_of(c, k->pid), &c->live.stuck);
    if (c->live.stuck.how == RD_TASK_RUNNING && now - k->stepped < (now - k->since) / 2)
        c->live.stuck.how = RD_TASK_BUSY;
}

/* Blocked, with everybody: seen twice, and nothing was computed in between. */
static bool is_blocked(const struct rd_channel *c, struct rd_watchdog_state *k, double now, double used) {
    if (now - k->looked < BETWEEN_S)
        return false;
    k->looked = now;
    bool quiet = rd_blocked_for_good(k->pid, task_of(c, k->pid)), same = quiet && k->quiet && used == k->used;
    k->quiet = quiet;
    k->used = used;
    return same;
}

/* Another program has taken its place: nothing is known of what that does, nor what it would do about a signal. */
static bool is_replaced(const struct rd_channel *c) { return c->execution.outcome.unseen & RD_UNSEEN_EXEC; }

static bool is_over(const struct rd_worker *w, struct rd_watchdog_state *k, double now) {
    double still = now - k->stepped;
    if (w->execution_s_max > 0)
        return now - k->since >= w->execution_s_max;
    if (now - k->since >= RD_EXECUTION_S_MAX &&
        now - k->since - (starved(k->pid, task_of(w->channel, k->pid)) - k->starved) >= RD_EXECUTION_S_MAX)
        return true;
    if (is_replaced(w->channel))
        return false;
    if (w->hangs && k->steps + 1 >= w->hangs && still >= AGAIN_S)
        return true;
    double used = computed(k->pid) - k->began, most = RD_MAX(w->longest_s * TIMES, (double)COMPUTES_S);
    if (w->longest_s > 0 && used >= most)
        return true;
    return still >= BLOCKED_S && is_blocked(w->channel, k, now, used);
}

/*
 * How long an execution takes that has ended: no longer than it was watched for; and those that had ended before
 * anybody looked, no longer than the process has run.
 */
static void note_length(struct rd_worker *w, const struct rd_watchdog_state *k, double now) {
    if (!k->warned)
        w->longest_s = RD_MAX(w->longest_s, now - (k->sequence ? k->since : w->started_s));
}

void rd_watchdog_ended(struct rd_worker *w, const struct rd_watchdog_state *k) { note_length(w, k, rd_clock_s()); }

/* Has one ended, by the number of the one that runs now? */
static bool has_ended(const struct rd_watchdog_state *k, uint64_t sequence, pid_t pid) {
    if (sequence != k->sequence)
        return k->sequence > 0 || sequence > 1;
    return sequence > 0 && pid <= 0 && k->stepped > 0;
}

/* Is the search in the process of the executions, which may have damaged it so that it goes round for ever? */
static bool is_exposed(const struct rd_channel *c) {
    return c->live.explorer_pid && c->config.mode == RD_MODE_EXPLORE && c->config.isolation != RD_ISOLATION_FORK &&
           !c->result.summary.no_snapshot[0];
}

static void watch_search(struct rd_worker *w, struct rd_watchdog_state *k, bool in_execution, double now) {
    const struct rd_channel *c = w->channel;
    uint32_t beats = __atomic_load_n(&c->live.beats, __ATOMIC_RELAXED);
    double most = STUCK_TIMES * (w->execution_s_max > 0 ? w->execution_s_max : (double)RD_EXECUTION_S_MAX);
    if (in_execution || k->search.since == 0 || k->search.sequence != k->sequence || k->search.beats != beats) {
        k->search.sequence = k->sequence;
        k->search.beats = beats;
        k->search.since = now;
    } else if (is_exposed(c) && now - k->search.since > most) {
        w->shot = true;
        kill(w->pid, SIGKILL);
    }
}

void rd_watchdog(struct rd_worker *w, struct rd_watchdog_state *k) {
    struct rd_channel *c = w->channel;
    if (!rd_worker_is_whole(w)) { /* nothing that it says can be relied on, not even which process is which */
        w->shot = true;
        kill(w->pid, SIGKILL);
        return;
    }
    uint64_t sequence = __atomic_load_n(&c->live.sequence, __ATOMIC_RELAXED);
    pid_t pid = __atomic_load_n(&c->live.execution_pid, __ATOMIC_ACQUIRE);
    uint32_t steps = __atomic_load_n(&c->execution.outcome.steps, __ATOMIC_RELAXED);
    double now = rd_clock_s();
    if (sequence != k->sequence || k->since == 0 || pid <= 0) {
        if (has_ended(k, sequence, pid))
            note_length(w, k, now);
        *k = (struct rd_watchdog_state){.sequence = sequence, .since = now, .search = k->search};
    }
    watch_search(w, k, pid > 0, now);
    if (pid <= 0)
        return;
    if (k->stepped == 0)
        k->starved = starved(pid, task_of(c, pid));
    if (k->stepped == 0 || steps != k->steps || pid != k->pid) {
        k->pid = pid;
        k->steps = steps;
        k->stepped = now;
        k->began = computed(pid);
        k->quiet = false;
    }
    if (is_replaced(c)) {
        c->live.shot_by_watchdog = is_over(w, k, now);
        if (c->live.shot_by_watchdog)
            kill(pid, SIGKILL);
    } else if (!k->warned && is_over(w, k, now)) {
        k->warned = now;
        look(c, k, now);
        kill(pid, RD_WATCHDOG_SIGNAL);
    } else if (k->warned && now - k->warned > GRACE_S) {
        c->live.shot_by_watchdog = 1;
        kill(pid, SIGKILL);
    }
}
