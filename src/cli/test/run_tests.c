/*
 * run_tests.c - see run_tests.h. A test is a child process: `raddle run` of this same file, so that a test can
 * neither disturb another one nor this process. What the child prints and its JSON document go to files in memory.
 * The child is in the process group of the tested processes: signals of the terminal do not reach it, it is told to
 * end, and all that is left of it is killed with the group. When this process is killed, the kernel tells the
 * children to end.
 *
 * The time is shared in two rounds, because a search cannot be resumed and nobody knows before which tests are
 * long. In the first round each test gets a small part of its equal share; most tests of a real suite end there.
 * What they leave is then divided equally among the tests that were not finished, which begin again: at most that
 * small part is lost. In each round a test that starts gets its equal share of the time that is left, so what one
 * test leaves goes to all that follow.
 */
#include "cli/test/run_tests.h"

#include "cli/interrupt.h"
#include "cli/test/framework.h"
#include "cli/test/test_progress.h"
#include "drive/process/descendants.h"
#include "drive/process/process_group.h"
#include "drive/real_clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TICK_MS = 5, ARGS_MAX = 2 * RD_TEST_PASSED_ON + RD_TEST_ARGS + 64, PATH_ROOM = 64 };
static const double FIRST_PART = 0.1;                 /* of the equal share */
static const double FIRST_LEAST_S = 0.5, LATE_S = 20; /* a child that is so much too late is killed */

/* A child. */
struct slot {
    struct rd_test *test; /* NULL: the slot is free */
    pid_t pid;
    int out, err, json; /* files in memory */
    double began, slice_s;
    bool told; /* to end */
};

static uint32_t core_count(void) {
    cpu_set_t cores;
    return sched_getaffinity(0, sizeof cores, &cores) == 0 ? (uint32_t)CPU_COUNT(&cores) : 1;
}

static int memory_file(const char *name) { return memfd_create(name, MFD_CLOEXEC); }

static void path_of(int fd, char to[PATH_ROOM]) { snprintf(to, PATH_ROOM, "/proc/%d/fd/%d", (int)getpid(), fd); }

static _Noreturn void become(char **args, const struct slot *s, pid_t parent, pid_t group) {
    int none = open("/dev/null", O_RDONLY);
    setpgid(0, group);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent)
        _exit(127);
    dup2(none, 0);
    dup2(s->out, 1);
    dup2(s->err, 2);
    execv("/proc/self/exe", args);
    _exit(127);
}

/* The words of the child's command line. What is made here lives until the child was started. */
static void command_line(char **args, const struct rd_test_runs *r, const struct slot *s, uint32_t workers,
                         char texts[3][PATH_ROOM]) {
    const struct rd_test_options *o = r->options;
    const struct rd_test *t = s->test;
    uint32_t n = 0;
    static char *const fixed[] = {"raddle", "run", "--show-output", "--color=never", "--progress=never", "--out"};
    for (uint32_t i = 0; i < RD_COUNT(fixed); i++)
        args[n++] = fixed[i];
    args[n++] = t->dir;
    args[n++] = "--json";
    path_of(s->json, texts[0]);
    args[n++] = texts[0];
    if (workers) {
        snprintf(texts[1], PATH_ROOM, "--jobs=%u", workers);
        args[n++] = texts[1];
    }
    if (s->slice_s > 0) {
        snprintf(texts[2], PATH_ROOM, "--time=%.3f", s->slice_s);
        args[n++] = texts[2];
    }
    args[n++] = "--no-config"; /* its options are here already */
    for (uint32_t i = 0; i < o->pass_before_sections; i++)
        args[n++] = o->pass[i];
    for (uint32_t i = 0; t->own && t->own[i]; i++)
        if (strcmp(t->own[i]->option.name, "time") != 0) /* it is in slice_s */
            args[n++] = t->own[i]->word;
    for (uint32_t i = o->pass_before_sections; i < o->pass_count; i++)
        args[n++] = o->pass[i];
    args[n++] = "--";
    args[n++] = (char *)t->program->word;
    for (uint32_t i = 0; t->args[i]; i++)
        args[n++] = t->args[i];
    for (char **more = t->program->args; more && *more && n < ARGS_MAX - 1; more++)
        args[n++] = *more;
    args[n] = NULL;
}

static void fail_to_start(struct rd_test *t, const char *why) {
    t->result.outcome = RD_TEST_TROUBLE;
    snprintf(t->result.words, sizeof t->result.words, "raddle cannot start a process: %s", why);
}

/* Starts the test in the slot. False: it could not be started, which is its result. */
static bool start(struct rd_test_runs *r, struct slot *s, struct rd_test *t, double slice_s, uint32_t workers) {
    char *args[ARGS_MAX], texts[3][PATH_ROOM];
    if (t->time_s > 0 && (slice_s <= 0 || t->time_s < slice_s))
        slice_s = t->time_s;
    *s = (struct slot){.test = t,
                       .out = memory_file("out"),
                       .err = memory_file("err"),
                       .json = memory_file("json"),
                       .began = rd_clock_s(),
                       .slice_s = slice_s};
    command_line(args, r, s, workers, texts);
    pid_t group = rd_process_group(), self = getpid();
    s->pid = s->out < 0 || s->err < 0 || s->json < 0 || group < 0 ? -1 : fork();
    if (s->pid == 0)
        become(args, s, self, group);
    if (s->pid > 0) {
        setpgid(s->pid, group);
        rd_descendants_own(s->pid);
        return true;
    }
    fail_to_start(t, strerror(errno));
    close(s->out);
    close(s->err);
    close(s->json);
    s->test = NULL;
    return false;
}

static void count(struct rd_test_runs *r, const struct rd_test *t) {
    r->done++;
    r->bugs += t->result.outcome == RD_TEST_BUG;
    r->troubles += t->result.outcome == RD_TEST_TROUBLE;
}

/* Reads the result of a child that has ended and frees its slot. */
static void take_result(struct slot *s, int status) {
    char out[PATH_ROOM], err[PATH_ROOM], json[PATH_ROOM];
    path_of(s->out, out);
    path_of(s->err, err);
    path_of(s->json, json);
    struct rd_test_run run = {.status = status,
                              .json = json,
                              .out = out,
                              .err = err,
                              .slice_s = s->slice_s,
                              .seconds = rd_clock_s() - s->began,
                              .stopped = s->told};
    rd_descendants_gone(s->pid);
    rd_test_result_read(&s->test->result, s->test->program->framework, &run);
    if (s->test->time_s > 0 && s->slice_s >= s->test->time_s)
        s->test->result.unfinished = false; /* it gets no more time */
    close(s->out);
    close(s->err);
    close(s->json);
    s->test = NULL;
}

/* A bug is a result, unless the user wants all of them. */
static bool goes_on(const struct rd_test_runs *r, const struct rd_test *t) {
    return t->result.unfinished && (t->result.outcome != RD_TEST_BUG || r->options->keep_going || t->keep_going);
}

/* Tells the children to end if the user has said so, and ends one that does not. */
static void watch(struct rd_test_runs *r, struct slot *s) {
    if (*rd_interrupt_requested() && !s->told) {
        r->stopped = s->told = true;
        kill(s->pid, SIGINT);
    }
    if (s->slice_s > 0 && rd_clock_s() - s->began > s->slice_s + LATE_S)
        kill(s->pid, SIGKILL);
}

/*
 * Runs the tests in the queue. `part`: of its equal share of the time until `end` that a test gets, and at least
 * `least`; end 0: there is no limit. `last`: what is not finished then stays so.
 */
static void run_round(struct rd_test_runs *r, struct rd_test **queue, uint32_t n, double part, double end,
                      bool last) {
    uint32_t at_once = RD_MIN(r->options->at_once, n), next = 0, running = 0;
    uint32_t workers =
        at_once > 1 || r->options->at_once_given ? RD_MAX(core_count() / RD_MAX(at_once, 1u), 1u) : 0;
    struct slot *slots = calloc(RD_MAX(at_once, 1u), sizeof *slots);
    if (!slots)
        abort();
    while (running || (next < n && !*rd_interrupt_requested())) {
        bool idle = true;
        for (uint32_t i = 0; i < at_once; i++) {
            struct slot *s = &slots[i];
            int status;
            if (s->test && waitpid(s->pid, &status, WNOHANG) == s->pid) {
                struct rd_test *t = s->test;
                take_result(s, status);
                running--;
                if (last || !goes_on(r, t)) {
                    count(r, t);
                    rd_test_progress_ended(r, t);
                }
                idle = false;
            } else if (s->test) {
                watch(r, s);
            }
            if (!s->test && next < n && !*rd_interrupt_requested()) {
                double left = end - rd_clock_s(), share = left * at_once / (n - next);
                double slice = part < 1 ? RD_MIN(RD_MAX(share * part, FIRST_LEAST_S), share) : RD_MIN(share, left);
                if (end > 0 && slice < 0.001) {
                    n = next; /* the time is over: the rest is not run */
                    continue;
                }
                running += start(r, s, queue[next++], end > 0 ? slice : 0, workers);
                idle = false;
            }
        }
        rd_descendants_reap();
        const struct rd_test *now[8];
        uint32_t shown = 0;
        for (uint32_t i = 0; i < at_once && shown < RD_COUNT(now); i++)
            if (slots[i].test)
                now[shown++] = slots[i].test;
        rd_test_progress(r, now, shown);
        if (idle)
            poll(NULL, 0, TICK_MS);
    }
    free(slots);
}

void rd_run_tests(struct rd_test_runs *r) {
    const struct rd_test_options *o = r->options;
    struct rd_test **queue = calloc(r->list->count + 1, sizeof(struct rd_test *));
    uint32_t n = 0;
    if (!queue)
        abort();
    for (uint32_t i = 0; i < r->list->count; i++) {
        struct rd_test *t = &r->list->at[i];
        if (t->disabled)
            t->result.outcome = RD_TEST_DISABLED;
        else if (t->unfit) {
            t->result.outcome = RD_TEST_TROUBLE;
            snprintf(t->result.words, sizeof t->result.words, "%s", t->unfit);
            r->troubles++;
        } else
            queue[n++] = t;
    }
    r->to_run = n;
    double end = o->time_s > 0 ? r->began + o->time_s : 0;
    double share = end > 0 && n ? (end - rd_clock_s()) * RD_MIN(o->at_once, n) / n : 0;
    bool two_rounds = n > o->at_once && share > 2 * FIRST_LEAST_S;
    rd_test_progress_begin(r);
    if (two_rounds) {
        run_round(r, queue, n, FIRST_PART, end, false);
        uint32_t again = 0;
        for (uint32_t i = 0; i < n; i++)
            if (goes_on(r, queue[i]))
                queue[again++] = queue[i];
        n = again;
    }
    r->second_round = two_rounds;
    run_round(r, queue, n, 1, end, true);
    rd_test_progress_end();
    r->seconds = rd_clock_s() - r->began;
    free(queue);
}
