/*
 * debug_replay.c - see debug_replay.h.
 *
 * Debuggers start programs through a shell and change their environment. The program must run in the same
 * environment as without a debugger, so the debugger starts raddle in the place of the program (`raddle --launch`,
 * the exec-wrapper). Raddle puts the channel back to how it was prepared, so that the program can be run any number
 * of times, and becomes the program as the driver would have started it (drive/process/launch.h). The program's
 * output goes to the driver's file, as always.
 *
 * The commands in gdb are in share/raddle/gdb. They read what they need from a file in memory, the session.
 */
#include "cli/debug/debug_replay.h"

#include "cli/commands.h"
#include "cli/open_schedule.h"
#include "cli/options.h"
#include "drive/process/launch.h"
#include "drive/process/rewind.h"
#include "report/json/json_steps.h"
#include "report/json/json_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/* Writes the steps of a recorded execution for the commands in gdb. Returns 0, or the exit status after a message.
 */
static int write_steps(FILE *out, const struct rd_schedule *s, const char *file) {
    struct rd_report report = {.schedule = s, .schedule_path = file};
    report.symbols = rd_symbols_open(s->modules, s->module_count);
    rd_json_steps(out, &report);
    rd_symbols_close(report.symbols);
    return fflush(out) == 0 && !ferror(out) ? 0 : rd_trouble("cannot write the steps: %s", strerror(errno));
}

int rd_cmd_steps(char **args) {
    struct rd_schedule schedule;
    static struct rd_target target;
    if (!args[0] || (args[1] && args[2]))
        return rd_trouble("--steps takes one schedule file and one program");
    int status = args[1] ? rd_open_schedule_to_run(&schedule, &target, args[0], args[1], "raddle --steps")
                         : rd_open_schedule(&schedule, &target, args[0]);
    if (status)
        return status;
    status = write_steps(stdout, &schedule, args[0]);
    rd_schedule_free(&schedule);
    return status;
}

int rd_cmd_launch(char **args) {
    struct rd_launch l;
    if (!args[0] || !rd_launch_read(&l, args[0]))
        return rd_trouble("cannot read '%s': %s", args[0] ? args[0] : "", strerror(errno));
    if (rd_launch_rewind(&l) != 0)
        return rd_trouble("cannot prepare the memory that the program shares with raddle: %s", strerror(errno));
    rd_launch_become(&l);
    return rd_trouble("cannot run '%s': %s", l.path, strerror(errno));
}

const char *rd_debug_path(int fd, char to[RD_DEBUG_PATH]) {
    snprintf(to, RD_DEBUG_PATH, "/proc/%d/fd/%d", (int)getpid(), fd);
    return to;
}

/* A stream to a file in memory; the descriptor stays open when the stream is closed. NULL: errno says why. */
static FILE *memory_stream(const char *name, int *fd) {
    *fd = memfd_create(name, MFD_CLOEXEC);
    return *fd < 0 ? NULL : fdopen(dup(*fd), "w");
}

/*
 * Makes the standard input the program's if it is a file, and keeps it for gdb otherwise: a terminal, or a pipe
 * through which another program talks to gdb.
 */
static void divide_input(struct rd_debug_replay *r) {
    struct stat st;
    bool is_file = fstat(0, &st) == 0 && S_ISREG(st.st_mode);
    if (is_file) {
        r->input = open("/dev/tty", O_RDWR | O_CLOEXEC);
        return;
    }
    r->input = fcntl(0, F_DUPFD_CLOEXEC, 3);
    int empty = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (empty > 0 && !isatty(0))
        dup2(empty, 0);
    if (empty > 0)
        close(empty);
}

static void write_session(FILE *out, const struct rd_debug_replay *r, const struct rd_debug *d,
                          const struct rd_target *t) {
    const struct rd_worker *w = &r->replay.worker;
    struct rd_json j = {.out = out};
    char path[RD_DEBUG_PATH], launch[2 * RD_DEBUG_PATH];
    snprintf(launch, sizeof launch, "/proc/%d/exe --launch %s", (int)getpid(), rd_debug_path(r->launch_fd, path));
    rd_json_open(&j, NULL, '{');
    rd_json_string(&j, "launch", launch);
    rd_json_string(&j, "program", t->path);
    rd_json_string(&j, "file", d->file);
    rd_json_string(&j, "steps", rd_debug_path(r->steps_fd, path));
    rd_json_number(&j, "at_step", d->at_step);
    rd_json_number(&j, "watchdog_signal", (uint64_t)RD_WATCHDOG_SIGNAL);
    rd_json_open(&j, "outputs", '[');
    rd_json_string(&j, NULL, rd_debug_path(w->output_fd, path));
    if (w->error_fd != w->output_fd)
        rd_json_string(&j, NULL, rd_debug_path(w->error_fd, path));
    rd_json_close(&j, ']');
    rd_json_close(&j, '}');
}

int rd_debug_open(struct rd_debug_replay *r, const struct rd_debug *d, const struct rd_target *t,
                  const struct rd_schedule *s) {
    struct rd_launch l;
    struct rd_error error;
    *r = (struct rd_debug_replay){.input = -1};
    divide_input(r);
    if (rd_replay_prepare_debugged(&r->replay, t, s, &error) != 0 ||
        rd_launch_make(&l, &r->replay.worker, t, &error) != 0)
        return rd_trouble("%s", error.text);
    l.prepared = r->prepared_fd = rd_rewind_copy(r->replay.worker.channel_fd);
    r->launch_fd = memfd_create("raddle-launch", MFD_CLOEXEC);
    FILE *steps = memory_stream("raddle-steps", &r->steps_fd),
         *session = memory_stream("raddle-gdb", &r->session_fd);
    if (l.prepared < 0 || r->launch_fd < 0 || !steps || !session || rd_launch_write(&l, r->launch_fd) != 0)
        return rd_trouble("cannot write gdb's commands: %s", strerror(errno));
    rd_launch_free(&l);
    int status = write_steps(steps, s, d->file);
    write_session(session, r, d, t);
    fclose(steps);
    return fclose(session) == 0 || status ? status : rd_trouble("cannot write gdb's commands: %s", strerror(errno));
}

int rd_debug_close(struct rd_debug_replay *r, const struct rd_debug *d, const struct rd_schedule *s,
                   int wait_status) {
    const struct rd_outcome *o = &r->replay.result.outcome;
    bool debugger_failed = !WIFEXITED(wait_status) || WEXITSTATUS(wait_status) == RD_EXIT_TROUBLE;
    bool started = r->replay.worker.channel->live.attached;
    const char *wrong = debugger_failed || (!started && d->no_run) ? NULL : rd_replay_take_debugged(&r->replay);
    close(r->launch_fd);
    close(r->session_fd);
    close(r->steps_fd);
    close(r->prepared_fd);
    if (wrong || debugger_failed || !started) {
        rd_replay_close(&r->replay);
        return wrong ? rd_trouble("%s", wrong) : debugger_failed ? RD_EXIT_TROUBLE : RD_EXIT_CLEAN;
    }
    uint32_t steps = r->replay.result.plan.prefix_count;
    /* the debugger stops at a fault before the operation by which the thread fails */
    bool fails_last = s->finding.kind == RD_CRASH && s->step_count && s->steps[s->step_count - 1].op == RD_OP_FAIL;
    bool followed = o->prefix_used == steps || (fails_last && o->prefix_used + 1 == steps);
    bool diverged = o->verdict == RD_DIVERGED;
    /* a crash, an exit status and what a detector reads in the record show themselves only after the last step */
    unsigned kind = s->finding.kind;
    bool shows_later = kind == RD_CRASH || kind == RD_EXIT_STATUS || rd_is_predicted(kind);
    bool reproduced = o->verdict == RD_FOUND || (followed && shows_later);
    rd_replay_close(&r->replay);
    if (diverged)
        return rd_trouble(
            "the execution under gdb did not follow the schedule (see 'raddle replay' without --gdb)");
    return reproduced ? RD_EXIT_BUG : RD_EXIT_CLEAN;
}

pid_t rd_debug_start(char **args, int input) {
    fflush(stdout);
    pid_t pid = fork();
    if (pid)
        return pid;
    if (input >= 0)
        dup2(input, 0);
    execvp(args[0], args);
    rd_trouble("cannot run %s: %s", args[0], strerror(errno));
    _exit(RD_EXIT_TROUBLE);
}

int rd_debug_wait(pid_t pid, void (*tick)(void *ctx), void *ctx) {
    int status = 0;
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGINT, &ignore, NULL);
    sigaction(SIGQUIT, &ignore, NULL);
    for (;;) {
        pid_t ended = waitpid(pid, &status, tick ? WNOHANG : 0);
        if (tick)
            tick(ctx);
        if (ended == pid || (ended < 0 && errno != EINTR))
            return status;
        if (tick)
            usleep(50000);
    }
}
