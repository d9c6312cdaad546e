/*
 * run_tests.c - see run_tests.h. A test is a child process: `raddle run` of this same file, so that a test can
 * neither disturb another one nor this process. What the child prints and its JSON document go to files in memory.
 * The child is in the process group of the tested processes: signals of the terminal do not reach it, it is told to
 * end, and all that is left of it is killed with the group. When this process is killed, the kernel tells the
 * children to end.
 *
 * The time is shared in two rounds (time_shares.h). What one test leaves goes to all that follow.
 */
#include "cli/test/run_tests.h"

#include "cli/interrupt.h"
#include "cli/test/documents/test_pages.h"
#include "cli/test/framework.h"
#include "cli/test/test_progress.h"
#include "cli/test/time_shares.h"
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

enum { TICK_MS = 5, PATH_ROOM = 64 };
static const double LATE_S = 20; /* a child that is so much too late is killed */

/* A child. */
struct slot {
    struct rd_test *test; /* NULL: the slot is free */
    pid_t pid;
    int out, err, json, sarif; /* files in memory */
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
    rd_frameworks_clean_environment(s->test->program->framework);
    execv("/proc/self/exe", args);
    _exit(127);
}

/* Annotations are made from the same results. */
static bool wants_sarif(const struct rd_test_options *o) { return o->documents[RD_TEST_SARIF] || o->github; }

/* The words of the child's command line, in a list that the caller frees; `texts` must live as long. */
static char **command_line(const struct rd_test_runs *r, const struct slot *s, uint32_t workers,
                           char texts[4][PATH_ROOM]) {
    const struct rd_test_options *o = r->options;
    const struct rd_test *t = s->test;
    uint32_t n = 0;
    static char *const fixed[] = {"raddle", "run", "--show-output", "--color=never", "--progress=never", "--out"};
    enum { MORE = 13 }; /* single words below */
    size_t room = RD_COUNT(fixed) + MORE + o->pass_count + RD_TEST_PASSED_ON + RD_TEST_ARGS +
                  rd_test_count_words(t->program->args);
    char **args = calloc(room, sizeof *args);
    if (!args)
        abort();
    for (uint32_t i = 0; i < RD_COUNT(fixed); i++)
        args[n++] = fixed[i];
    args[n++] = t->dir;
    args[n++] = "--json";
    path_of(s->json, texts[0]);
    args[n++] = texts[0];
    if (wants_sarif(o)) {
        path_of(s->sarif, texts[3]);
        args[n++] = "--sarif";
        args[n++] = texts[3];
    }
    if (t->new_pages) {
        args[n++] = "--html";
        args[n++] = t->new_pages;
    }
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
    for (char **more = t->program->args; more && *more; more++)
        args[n++] = *more;
    RD_CHECK(n < room);
    return args;
}

static void free_slot(struct slot *s) {
    const int files[] = {s->out, s->err, s->json, s->sarif};
    for (unsigned i = 0; i < RD_COUNT(files); i++)
        if (files[i] >= 0)
            close(files[i]);
    s->test = NULL;
}

static void fail_to_start(struct rd_test *t, const char *why) {
    t->result.outcome = RD_TEST_TROUBLE;
    snprintf(t->result.words, sizeof t->result.words, "raddle cannot start a process: %s", why);
}

/* Starts the test in the slot. False: it could not be started, which is its result. */
static bool start(struct rd_test_runs *r, struct slot *s, struct rd_test *t, double slice_s, uint32_t workers) {
    char texts[4][PATH_ROOM];
    if (t->time_s > 0 && (slice_s <= 0 || t->time_s < slice_s))
        slice_s = t->time_s;
    *s = (struct slot){.test = t,
                       .out = memory_file("out"),
                       .err = memory_file("err"),
                       .json = memory_file("json"),
                       .sarif = memory_file("sarif"),
                       .began = rd_clock_s(),
                       .slice_s = slice_s};
    char **args = command_line(r, s, workers, texts);
    pid_t group = rd_process_group(), self = getpid();
    s->pid = s->out < 0 || s->err < 0 || s->json < 0 || s->sarif < 0 || group < 0 ? -1 : fork();
    if (s->pid == 0)
        become(args, s, self, group);
    free(args);
    if (s->pid > 0) {
        setpgid(s->pid, group);
        rd_descendants_own(s->pid);
        return true;
    }
    fail_to_start(t, strerror(errno));
    free_slot(s);
    return false;
}

static void count(struct rd_test_runs *r, const struct rd_test *t) {
    r->done++;
    r->bugs += t->result.outcome == RD_TEST_BUG;
    r->troubles += t->result.outcome == RD_TEST_TROUBLE;
}

/* Reads the result of a child that has ended and frees its slot. */
static void take_result(const struct rd_test_runs *r, struct slot *s, int status) {
    char out[PATH_ROOM], err[PATH_ROOM], json[PATH_ROOM], sarif[PATH_ROOM];
    path_of(s->out, out);
    path_of(s->err, err);
    path_of(s->json, json);
    path_of(s->sarif, sarif);
    struct rd_test_run run = {.status = status,
                              .json = json,
                              .sarif = wants_sarif(r->options) ? sarif : NULL,
                              .out = out,
                              .err = err,
                              .slice_s = s->slice_s,
                              .seconds = rd_clock_s() - s->began,
                              .stopped = s->told};
    rd_descendants_gone(s->pid);
    bool better = rd_test_result_read(&s->test->result, s->test->program->framework, &run);
    rd_test_pages_take(s->test, better);
    if (s->test->time_s > 0 && s->slice_s >= s->test->time_s)
        s->test->result.unfinished = false; /* it gets no more time */
    free_slot(s);
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

/* A round: the tests of the queue, from the one that starts next. */
struct round {
    struct rd_test **queue;
    uint32_t count, next, running;
    struct slot *slots;
    uint32_t at_once, workers; /* workers: of each test */
    double end, first_s;       /* end: 0 if there is no limit; first_s: see rd_time_shares_next */
    bool last;                 /* what is not finished then stays so */
};

/* Takes the result of the test in the slot if it has ended. */
static bool finish(struct rd_test_runs *r, struct round *x, struct slot *s) {
    struct rd_test *t = s->test;
    int status;
    if (waitpid(s->pid, &status, WNOHANG) != s->pid)
        return watch(r, s), false;
    take_result(r, s, status);
    x->running--;
    if (x->last || !goes_on(r, t)) {
        count(r, t);
        rd_test_progress_ended(r, t);
    }
    return true;
}

/* Starts the next test in a free slot. False: the time is over, and the rest is not run. */
static bool start_next(struct rd_test_runs *r, struct round *x, struct slot *s) {
    double slice = 0;
    if (x->end > 0) {
        slice = rd_time_shares_next(x->end - rd_clock_s(), x->count - x->next, x->at_once, x->first_s);
        if (slice < 0.001)
            return x->count = x->next, false;
    }
    x->running += start(r, s, x->queue[x->next++], slice, x->workers);
    return true;
}

static void show_running(const struct rd_test_runs *r, const struct round *x) {
    const struct rd_test *now[8];
    uint32_t shown = 0;
    for (uint32_t i = 0; i < x->at_once && shown < RD_COUNT(now); i++)
        if (x->slots[i].test)
            now[shown++] = x->slots[i].test;
    rd_test_progress(r, now, shown);
}

static void run_round(struct rd_test_runs *r, struct round *x) {
    x->at_once = RD_MAX(RD_MIN(r->options->at_once, x->count), 1u);
    if (x->at_once > 1 || r->options->at_once_given)
        x->workers = RD_MAX(core_count() / x->at_once, 1u);
    x->slots = calloc(x->at_once, sizeof *x->slots);
    if (!x->slots)
        abort();
    while (x->running || (x->next < x->count && !*rd_interrupt_requested())) {
        bool idle = true;
        for (uint32_t i = 0; i < x->at_once; i++) {
            struct slot *s = &x->slots[i];
            if (s->test && finish(r, x, s))
                idle = false;
            if (!s->test && x->next < x->count && !*rd_interrupt_requested() && start_next(r, x, s))
                idle = false;
        }
        rd_descendants_reap();
        show_running(r, x);
        if (idle)
            poll(NULL, 0, TICK_MS);
    }
    free(x->slots);
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
    double first = end > 0 && n ? rd_time_shares_first(end - rd_clock_s(), n, o->at_once) : 0;
    rd_test_progress_begin(r);
    if (first > 0) {
        run_round(r, &(struct round){.queue = queue, .count = n, .end = end, .first_s = first});
        uint32_t again = 0;
        for (uint32_t i = 0; i < n; i++)
            if (goes_on(r, queue[i]))
                queue[again++] = queue[i];
        n = again;
    }
    run_round(r, &(struct round){.queue = queue, .count = n, .end = end, .last = true});
    rd_test_progress_end();
    r->seconds = rd_clock_s() - r->began;
    free(queue);
}
