/*
 * gdb.c - starts gdb on the program with everything prepared: the schedule in the channel, the library preloaded
 * into the program alone (not into gdb or the shell between), a breakpoint where the runtime has reached the
 * finding. A crash needs none: gdb stops at the signal. The commands are a script in memory, read through /proc.
 */
#include "cli/gdb.h"

#include "cli/options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/*
 * The runtime's frames stand between the program's code and the place where a thread waits: backtraces leave them
 * out (`bt -no-filters` shows them), and the program's innermost frame is selected when it has stopped.
 */
static const char python[] =
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

static void quoted(FILE *out, const char *text) {
    fputc('\'', out);
    for (; *text; text++) {
        if (*text == '\'')
            fputs("'\\''", out);
        else
            fputc(*text, out);
    }
    fputc('\'', out);
}

static int write_script(FILE *out, const struct rd_worker *w, const struct rd_schedule *s) {
    char *set[RD_WORKER_ENV];
    char error[256];
    if (rd_worker_environment(w, set, true, error, sizeof error) != 0)
        return rd_trouble("%s", error);
    fputs("set breakpoint pending on\nset confirm off\nset print thread-events off\nset exec-wrapper env", out);
    for (unsigned i = 0; i < RD_WORKER_ENV; i++) {
        fputc(' ', out);
        quoted(out, set[i]);
        free(set[i]);
    }
    fprintf(out, "\nhandle SIG%d nostop noprint pass\n", RD_WATCHDOG_SIGNAL);
    fputs("break rd_finding_stop\ncommands\nsilent\nend\n", out);
    fputs(python, out);
    fputs("run < /dev/null\n", out);
    fprintf(out, "echo raddle: the schedule has been followed to its finding: %s ",
            rd_finding_name(s->finding.kind));
    for (const char *p = s->finding.message; *p; p++) /* a quote or a backslash would mean something to gdb */
        if (*p != '\\' && (unsigned char)*p >= ' ')
            fputc(*p, out);
    fputs("\\n\n", out);
    fputs("python raddle_select_program_frame()\n", out);
    fputs("echo raddle: try 'info threads', 'bt', 'thread apply all bt'\\n\n", out);
    return fflush(out) == 0 ? 0 : rd_trouble("cannot write gdb's commands: %s", strerror(errno));
}

static _Noreturn void become_gdb(const struct rd_gdb *g, const struct rd_target *t, const char *script) {
    char **args = calloc(g->arg_count + t->arg_count + 8, sizeof *args);
    if (!args)
        abort();
    size_t n = 0;
    args[n++] = (char *)"gdb";
    args[n++] = (char *)"-q";
    args[n++] = (char *)"-x";
    args[n++] = (char *)script;
    for (uint32_t i = 0; i < g->arg_count; i++)
        args[n++] = (char *)g->args[i];
    args[n++] = (char *)"--args";
    args[n++] = (char *)t->path;
    for (uint32_t i = 1; i < t->arg_count; i++)
        args[n++] = t->args[i];
    execvp("gdb", args);
    rd_trouble("cannot run gdb: %s", strerror(errno));
    _exit(RD_EXIT_TROUBLE);
}

int rd_gdb_replay(struct rd_gdb *g, const struct rd_target *t, const struct rd_schedule *s) {
    struct rd_worker w;
    char error[256], script[64];
    if (rd_session_prepare(&w, s, RD_BACKEND_KERNEL, error, sizeof error) != 0)
        return rd_trouble("%s", error);
    w.channel->config.debugger = 1;
    w.channel->config.capture = 0;
    w.channel->config.detail = 0;
    int fd = memfd_create("raddle-gdb", MFD_CLOEXEC);
    FILE *out = fd < 0 ? NULL : fdopen(fd, "w");
    if (!out)
        return rd_trouble("cannot write gdb's commands: %s", strerror(errno));
    int status = write_script(out, &w, s);
    if (status)
        return status;
    snprintf(script, sizeof script, "/proc/%d/fd/%d", (int)getpid(), fd);
    fflush(stdout);
    pid_t pid = fork();
    if (pid == 0)
        become_gdb(g, t, script);
    int wait_status = 0;
    while (pid > 0 && waitpid(pid, &wait_status, 0) < 0 && errno == EINTR) {
    }
    fclose(out);
    if (pid < 0 || !WIFEXITED(wait_status) || WEXITSTATUS(wait_status) == RD_EXIT_TROUBLE || !w.channel->attached)
        return pid < 0 || !w.channel->attached ? rd_trouble("the program was not started under gdb")
                                               : RD_EXIT_TROUBLE;
    bool followed = w.channel->outcome.prefix_used == w.channel->plan.prefix_count;
    bool diverged = w.channel->outcome.verdict == RD_DIVERGED;
    bool shown = w.channel->outcome.verdict == RD_FOUND || (followed && s->finding.kind == RD_CRASH);
    rd_worker_close(&w);
    if (diverged)
        return rd_trouble(
            "the execution under gdb did not follow the schedule (see 'raddle replay' without --gdb)");
    return shown ? RD_EXIT_BUG : RD_EXIT_CLEAN;
}
