/*
 * watchdog.c - see watchdog.h. The watchdog reads the number of the running execution from the channel. If the
 * number has not changed for too long, the watchdog reads the state of the running thread from /proc and sends the
 * execution a signal, whose handler reports a hang with the stack. If the execution has not ended after a grace
 * period, the process is killed, and the hang is reported without a stack.
 *
 * The limit is that of --max-seconds. Without that option it is ten seconds, and less in three cases:
 * - the thread has computed for two seconds without any operation, and for fifty times as long as any execution
 * before it took as a whole. Only time on a processor counts, because other processes may have had the processor in
 * between. The first execution cannot be compared with an earlier one, so the rule does not apply to it;
 * - the thread is blocked, and so is every task that could wake it (blocked_for_good.h);
 * - a replay of the schedule of such a hang has reached the end of the schedule.
 *
 * If the program has overwritten the layout of the channel, the process is killed at once. If the program has
 * replaced itself by another program (exec), none of the three cases applies, and it is killed without a signal
 * before.
 *
 * A search that runs in the same process as its executions may be damaged by them. If it is between two executions
 * and shows no sign of life for six times the limit, it is killed; the driver begins it again in a process that the
 * executions cannot damage (retry.h).
 */
#include "drive/process/watchdog.h"

#include "drive/real_clock.h"
#include "drive/process/blocked_for_good.h"
#include "drive/process/task_look.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

enum {
    GRACE_S = 2,        /* from the signal to the SIGKILL */
    COMPUTES_S = 2,     /* without an operation, at least, and … */
    COMPUTE_TIMES = 50, /* … so many times as long as the longest execution */
    BLOCKED_S = 2,
    SEARCH_TIMES = 6, /* limits of an execution that a search may be silent */
};
/* Between two calls of rd_blocked_for_good; without a step at the end of the schedule of a known hang. */
static const double BLOCKED_CHECK_S = 0.2, SCHEDULE_END_S = 0.5;

/* The processor time of the process, in seconds; 0: the process is gone. */
static double cpu_seconds(pid_t pid) {
    clockid_t clock;
    struct timespec t;
    if (clock_getcpuclockid(pid, &clock) != 0 || clock_gettime(clock, &t) != 0)
        return 0;
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* The task that runs the execution. */
static pid_t task_of(const struct rd_channel *c, pid_t pid) {
    return c->live.running_task ? c->live.running_task : pid;
}

/* How long the task was ready to run without having a processor, in seconds; 0: not known. */
static double seconds_without_processor(pid_t pid, pid_t task) {
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

/* Notes, before the signal, the state of the thread, and whether it took a step in the second half of its time. */
static void note_task_state(struct rd_channel *c, const struct rd_watchdog_state *k, double now) {
    rd_task_look(k->pid, task_of(c, k->pid), &c->live.stuck);
    if (c->live.stuck.how == RD_TASK_RUNNING && now - k->stepped < (now - k->since) / 2)
        c->live.stuck.how = RD_TASK_BUSY;
}

/* Two checks in a row found all tasks blocked, and no processor time was used in between. */
static bool is_blocked(const struct rd_channel *c, struct rd_watchdog_state *k, double now, double used) {
    if (now - k->looked < BLOCKED_CHECK_S)
        return false;
    k->looked = now;
    bool blocked = rd_blocked_for_good(k->pid, task_of(c, k->pid)),
         twice = blocked && k->blocked && used == k->used;
    k->blocked = blocked;
    k->used = used;
    return twice;
}

/* Has another program taken the place of the tested one (exec)? It has no handler for the signal. */
static bool is_replaced(const struct rd_channel *c) { return c->execution.outcome.unseen & RD_UNSEEN_EXEC; }

/* Has the execution taken too long? */
static bool is_over(const struct rd_worker *w, struct rd_watchdog_state *k, double now) {
    double still = now - k->stepped;
    if (w->execution_s_max > 0)
        return now - k->since >= w->execution_s_max;
    if (now - k->since >= RD_EXECUTION_S_MAX &&
        now - k->since - (seconds_without_processor(k->pid, task_of(w->channel, k->pid)) - k->starved) >=
            RD_EXECUTION_S_MAX)
        return true;
    if (is_replaced(w->channel))
        return false;
    if (w->hangs && k->steps + 1 >= w->hangs && still >= SCHEDULE_END_S)
        return true;
    double used = cpu_seconds(k->pid) - k->began, most = RD_MAX(w->longest_s * COMPUTE_TIMES, (double)COMPUTES_S);
    if (w->longest_s > 0 && used >= most)
        return true;
    return still >= BLOCKED_S && is_blocked(w->channel, k, now, used);
}

/*
 * Notes an upper bound of how long the execution took that has ended: the time since the watchdog first saw it, or,
 * for an execution that began before the first look, the time since the process was started.
 */
static void note_length(struct rd_worker *w, const struct rd_watchdog_state *k, double now) {
    if (!k->warned)
        w->longest_s = RD_MAX(w->longest_s, now - (k->sequence ? k->since : w->started_s));
}

void rd_watchdog_ended(struct rd_worker *w, const struct rd_watchdog_state *k) { note_length(w, k, rd_clock_s()); }

/* Has an execution ended since the last look? `sequence` is the number of the one that runs now. */
static bool has_ended(const struct rd_watchdog_state *k, uint64_t sequence, pid_t pid) {
    if (sequence != k->sequence)
        return k->sequence > 0 || sequence > 1;
    return sequence > 0 && pid <= 0 && k->stepped > 0;
}

/* Does the search run in the process of its executions, which may have damaged it? */
static bool is_exposed(const struct rd_channel *c) {
    return c->live.explorer_pid && c->config.mode == RD_MODE_EXPLORE && c->config.isolation != RD_ISOLATION_FORK &&
           !c->result.summary.no_snapshot[0];
}

/* Kills the process if its search is between two executions and its counter of beats has not moved for too long. */
static void watch_search(struct rd_worker *w, struct rd_watchdog_state *k, bool in_execution, double now) {
    const struct rd_channel *c = w->channel;
    uint32_t beats = __atomic_load_n(&c->live.beats, __ATOMIC_RELAXED);
    double most = SEARCH_TIMES * (w->execution_s_max > 0 ? w->execution_s_max : (double)RD_EXECUTION_S_MAX);
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
    RD_CHECK(w->pid > 0);
    if (!rd_worker_is_whole(w)) { /* no word of the channel can be relied on, the numbers of processes included */
        w->shot = true;
        kill(w->pid, SIGKILL);
        return;
    }
    uint64_t sequence = __atomic_load_n(&c->live.sequence, __ATOMIC_RELAXED);
    pid_t pid = __atomic_load_n(&c->live.execution_pid, __ATOMIC_ACQUIRE);
    uint32_t steps = __atomic_load_n(&c->execution.outcome.steps, __ATOMIC_RELAXED);
    double now = rd_clock_s();
    RD_CHECK(now >= k->since && now >= k->stepped && now >= k->warned); /* the clock is monotonic */
    if (sequence != k->sequence || k->since == 0 || pid <= 0) {
        if (has_ended(k, sequence, pid))
            note_length(w, k, now);
        *k = (struct rd_watchdog_state){.sequence = sequence, .since = now, .search = k->search};
    }
    watch_search(w, k, pid > 0, now);
    if (pid <= 0)
        return;
    if (k->stepped == 0)
        k->starved = seconds_without_processor(pid, task_of(c, pid));
    if (k->stepped == 0 || steps != k->steps || pid != k->pid) {
        k->pid = pid;
        k->steps = steps;
        k->stepped = now;
        k->began = cpu_seconds(pid);
        k->blocked = false;
    }
    if (is_replaced(c)) {
        c->live.shot_by_watchdog = is_over(w, k, now);
        if (c->live.shot_by_watchdog)
            rd_worker_signal(w, pid, SIGKILL);
    } else if (!k->warned && is_over(w, k, now)) {
        k->warned = now;
        note_task_state(c, k, now);
        rd_worker_signal(w, pid, RD_WATCHDOG_SIGNAL);
    } else if (k->warned && now - k->warned > GRACE_S) {
        c->live.shot_by_watchdog = 1;
        rd_worker_signal(w, pid, SIGKILL);
    }
}
