/*
 * gdb.c - starts gdb on the program. gdb reads the commands of share/raddle/gdb first, then the session
 * (debug_replay.c), runs the program to its finding, and then handles the user's arguments.
 */
#include "cli/debug/debug_replay.h"
#include "cli/options.h"
#include "drive/process/installed_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int rd_debug_gdb(const struct rd_debug *d, const struct rd_target *t, const struct rd_schedule *s) {
    struct rd_debug_replay r;
    char commands[PATH_MAX], session[RD_DEBUG_PATH], script[RD_DEBUG_PATH];
    if (!rd_installed_file("gdb/raddle.py", RADDLE_DATADIR "/raddle/gdb/raddle.py", commands))
        return rd_trouble("cannot find 'raddle.py', the commands for gdb, beside the driver");
    int status = rd_debug_open(&r, d, t, s);
    if (status)
        return status;
    int fd = memfd_create("raddle-script", MFD_CLOEXEC);
    if (fd < 0 || dprintf(fd, "source %s\nraddle-session %s\n%s", commands, rd_debug_path(r.session_fd, session),
                          d->no_run ? "" : "run\n") < 0)
        return rd_trouble("cannot write gdb's commands: %s", strerror(errno));
    char **args = calloc(d->arg_count + 16, sizeof *args);
    if (!args)
        abort();
    size_t n = 0;
    /* what gdb would print before its first command */
    const char *const first[] = {"gdb",  "-q",
                                 "-iex", "set print symbol-loading off",
                                 "-iex", "set breakpoint pending on",
                                 "-x",   rd_debug_path(fd, script)};
    for (size_t i = 0; i < RD_COUNT(first); i++)
        args[n++] = (char *)first[i];
    for (uint32_t i = 0; i < d->arg_count; i++)
        args[n++] = (char *)d->args[i];
    args[n++] = (char *)t->path;
    pid_t pid = rd_debug_start(args, r.input);
    if (pid < 0)
        return rd_trouble("cannot start gdb: %s", strerror(errno));
    status = rd_debug_close(&r, d, s, rd_debug_wait(pid, NULL, NULL));
    close(fd);
    free(args);
    return status;
}
