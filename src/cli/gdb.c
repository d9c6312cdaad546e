/*
 * gdb.c - starts gdb on the program, with the schedule in the channel and a breakpoint at the function of the
 * runtime that is called at the finding. A crash needs no breakpoint: gdb stops at the signal. The commands for gdb
 * are a script in memory, which gdb reads through /proc.
 *
 * gdb starts programs through a shell and adds variables to their environment. The program must run in the same
 * environment as without gdb, so gdb starts raddle in the place of the program (`raddle --launch`, the
 * exec-wrapper), and raddle becomes the program as the driver would have started it (drive/process/launch.h). The
 * program's output goes to the driver's file, as always; whenever the program stops, the script prints the part of
 * the file that is new, and the text that the program has not flushed from its stdout yet.
 */
#include "cli/gdb.h"

#include "cli/commands.h"
#include "cli/options.h"
#include "drive/process/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * A thread of the program that waits does so in functions of the runtime. Backtraces leave the runtime's frames out
 * (`bt -no-filters` shows them), and after a stop the program's innermost frame is selected.
 */
static const char frames_python[] =
    "python\n"
    "def raddle_is_own(frame):\n"
    "    library = gdb.solib_name(frame.pc()) or ''\n"
    "    return 'libraddle' in library\n"
    "\n"
    "class RaddleFilter:\n"
    "    def __init__(self):\n"
    "        self.name = 'raddle'\n"
    "        self.priority = 100\n"
    "        self.enabled = True\n"
    "        gdb.frame_filters[self.name] = self\n"
    "    def filter(self, frames):\n"
    "        frames = list(frames)\n"
    "        own = [i for i, f in enumerate(frames) if raddle_is_own(f.inferior_frame())]\n"
    "        waits = own and all('/libc.so' in (gdb.solib_name(f.inferior_frame().pc()) or '')\n"
    "                            for f in frames[:own[0]])\n"
    "        first = own[0] if waits else 0\n"
    "        kept = [f for i, f in enumerate(frames) if i >= first and i not in own]\n"
    "        return iter(kept or frames)\n"
    "\n"
    "RaddleFilter()\n"
    "\n"
    "def raddle_select_program_frame():\n"
    "    try:\n"
    "        frame = gdb.newest_frame()\n"
    "    except gdb.error:\n"
    "        return\n"
    "    while frame is not None:\n"
    "        library = gdb.solib_name(frame.pc()) or ''\n"
    "        if not raddle_is_own(frame) and '/libc.so' not in library:\n"
    "            frame.select()\n"
    "            gdb.execute('frame')\n"
    "            return\n"
    "        frame = frame.older()\n"
    "end\n";

/*
 * Prints the output of the program since it last stopped. The offsets 32 and 40 are those of _IO_write_base and
 * _IO_write_ptr in a FILE: they are part of libc's binary interface.
 */
static const char output_python[] =
    "python\n"
    "raddle_shown = {}\n"
    "\n"
    "def raddle_pending():\n"
    "    try:\n"
    "        stream = int(gdb.parse_and_eval('(unsigned long)&_IO_2_1_stdout_'))\n"
    "        memory = gdb.selected_inferior()\n"
    "        words = memory.read_memory(stream, 64).tobytes()\n"
    "        base, end = (int.from_bytes(words[i:i + 8], 'little') for i in (32, 40))\n"
    "        return memory.read_memory(base, end - base).tobytes() if 0 < end - base <= 1 << 20 else b''\n"
    "    except gdb.error:\n"
    "        return b''\n"
    "\n"
    "def raddle_show_output(event):\n"
    "    text = b''\n"
    "    for name in raddle_output:\n"
    "        with open(name, 'rb') as f:\n"
    "            f.seek(raddle_shown.get(name, 0))\n"
    "            text += f.read()\n"
    "            raddle_shown[name] = f.tell()\n"
    "    if isinstance(event, gdb.StopEvent):\n"
    "        text += raddle_pending()\n"
    "    if text:\n"
    "        gdb.write(text.decode(errors='replace') + ('' if text.endswith(b'\\n') else '\\n'))\n"
    "\n"
    "gdb.events.stop.connect(raddle_show_output)\n"
    "gdb.events.exited.connect(raddle_show_output)\n"
    "end\n";

static int write_script(FILE *out, const struct rd_worker *w, const struct rd_schedule *s, const char *launch) {
    fputs("set breakpoint pending on\nset confirm off\nset print thread-events off\n", out);
    fprintf(out, "set exec-wrapper /proc/%d/exe --launch %s\n", (int)getpid(), launch);
    fprintf(out, "\nhandle SIG%d nostop noprint pass\n", RD_WATCHDOG_SIGNAL);
    fputs("handle SIGSYS nostop noprint pass\n",
          out); /* system calls in inline assembly (rt/call/inline_syscalls.c) */
    fputs("break rd_finding_stop\ncommands\nsilent\nend\n", out);
    fputs(frames_python, out);
    const int pid = (int)getpid();
    fprintf(out, "python raddle_output = ['/proc/%d/fd/%d'", pid, w->output_fd);
    if (w->error_fd != w->output_fd)
        fprintf(out, ", '/proc/%d/fd/%d'", pid, w->error_fd);
    fputs("]\n", out);
    fputs(output_python, out);
    fputs("run\n", out);
    fprintf(out, "echo raddle: the schedule has been followed to its finding: %s ",
            rd_finding_name(s->finding.kind));
    for (const char *p = s->finding.message; *p; p++) /* for gdb's echo a backslash begins an escape sequence */
        if (*p != '\\' && (unsigned char)*p >= ' ')
            fputc(*p, out);
    fputs("\\n\n", out);
    fputs("python raddle_select_program_frame()\n", out);
    fputs("echo raddle: try 'info threads', 'bt', 'thread apply all bt'\\n\n", out);
    return fflush(out) == 0 ? 0 : rd_trouble("cannot write gdb's commands: %s", strerror(errno));
}

/* The exec-wrapper. gdb appends the program and its arguments to the command; the file has them, too, and counts.
 */
int rd_cmd_launch(char **args) {
    struct rd_launch l;
    if (!args[0] || !rd_launch_read(&l, args[0]))
        return rd_trouble("cannot read '%s': %s", args[0] ? args[0] : "", strerror(errno));
    rd_launch_become(&l);
    return rd_trouble("cannot run '%s': %s", l.path, strerror(errno));
}

/* Creates a file in memory, and writes a path to `path` by which gdb can open it. Returns its descriptor, or -1. */
static int memory_file(const char *name, char path[64]) {
    int fd = memfd_create(name, MFD_CLOEXEC);
    snprintf(path, 64, "/proc/%d/fd/%d", (int)getpid(), fd);
    return fd;
}

static _Noreturn void become_gdb(const struct rd_gdb *g, const struct rd_target *t, const char *script) {
    char **args = calloc(g->arg_count + 8, sizeof *args);
    if (!args)
        abort();
    size_t n = 0;
    args[n++] = (char *)"gdb";
    args[n++] = (char *)"-q";
    args[n++] = (char *)"-x";
    args[n++] = (char *)script;
    for (uint32_t i = 0; i < g->arg_count; i++)
        args[n++] = (char *)g->args[i];
    args[n++] = (char *)t->path;
    int terminal =
        isatty(0) ? -1 : open("/dev/tty", O_RDWR); /* a redirected input is for the program, not for gdb */
    if (terminal >= 0)
        dup2(terminal, 0);
    execvp("gdb", args);
    rd_trouble("cannot run gdb: %s", strerror(errno));
    _exit(RD_EXIT_TROUBLE);
}

int rd_gdb_replay(struct rd_gdb *g, const struct rd_target *t, const struct rd_schedule *s) {
    struct rd_replay replay;
    const struct rd_outcome *o = &replay.result.outcome;
    char script[64], launch[64];
    struct rd_error error;
    if (rd_replay_prepare_debugged(&replay, t, s, &error) != 0)
        return rd_trouble("%s", error.text);
    struct rd_launch l;
    if (rd_launch_make(&l, &replay.worker, t, &error) != 0)
        return rd_trouble("%s", error.text);
    int fd = memory_file("raddle-gdb", script), launch_fd = memory_file("raddle-launch", launch);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
    if (!out || launch_fd < 0 || rd_launch_write(&l, launch_fd) != 0)
        return rd_trouble("cannot write gdb's commands: %s", strerror(errno));
    rd_launch_free(&l);
    int status = write_script(out, &replay.worker, s, launch);
    if (status)
        return status;
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0)
        become_gdb(g, t, script);
    int wait_status = 0;
    while (pid > 0 && waitpid(pid, &wait_status, 0) < 0 && errno == EINTR) {
    }
    fclose(out);
    close(launch_fd);
    const char *wrong = pid < 0 ? "gdb was not started" : rd_replay_take_debugged(&replay);
    if (wrong || !WIFEXITED(wait_status) || WEXITSTATUS(wait_status) == RD_EXIT_TROUBLE) {
        rd_replay_close(&replay);
        return wrong ? rd_trouble("%s", wrong) : RD_EXIT_TROUBLE;
    }
    bool followed = o->prefix_used == replay.result.plan.prefix_count;
    bool diverged = o->verdict == RD_DIVERGED;
    /* a crash, an exit status and what a detector reads in the record show themselves only after the last step */
    unsigned kind = s->finding.kind;
    bool shows_later = kind == RD_CRASH || kind == RD_EXIT_STATUS || rd_is_predicted(kind);
    bool reproduced = o->verdict == RD_FOUND || (followed && shows_later);
    rd_replay_close(&replay);
    if (diverged)
        return rd_trouble(
            "the execution under gdb did not follow the schedule (see 'raddle replay' without --gdb)");
    return reproduced ? RD_EXIT_BUG : RD_EXIT_CLEAN;
}
