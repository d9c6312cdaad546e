/*
 * gdbserver.c - starts gdbserver on the program, for debuggers that connect to it: gdb in another terminal, and
 * those of editors. The output of the program appears here.
 */
#include "cli/debug/debug_replay.h"
#include "cli/options.h"
#include "drive/process/installed_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Writes where gdbserver is to listen: on this machine only, unless the user names a host. False after a message.
 */
static bool address(const char *server, char to[256]) {
    const char *colon = strrchr(server, ':'), *port = colon ? colon + 1 : server;
    char *end;
    unsigned long number = strtoul(port, &end, 10);
    if (*port < '0' || *port > '9' || *end || number > 65535 || strlen(server) > 200)
        return rd_trouble("'%s': --gdbserver takes a port, or HOST:PORT", server), false;
    snprintf(to, 256, "%s%s", colon ? "" : "localhost:", server);
    return true;
}

/* Prints a word of a shell command. */
static void print_word(const char *word) {
    char quoted[4 * PATH_MAX];
    fputs(rd_shell_word(word, quoted, sizeof quoted), stdout);
}

static void print_hint(const char *commands, const char *where, const struct rd_debug *d,
                       const struct rd_target *t) {
    bool here = strncmp(where, "localhost:", 10) == 0 || strncmp(where, "127.", 4) == 0;
    char text[PATH_MAX + 64];
    printf("raddle: gdbserver holds the program at its start. In another terminal, type:\n\n  gdb -q");
    if (here)
        fputs(" -iex 'set sysroot /'", stdout);
    fputs(" -x ", stdout);
    print_word(commands);
    snprintf(text, sizeof text, "raddle-schedule %s", d->file);
    fputs(" -ex ", stdout);
    print_word(text);
    snprintf(text, sizeof text, "target extended-remote %s%s", *where == ':' ? "localhost" : "", where);
    fputs(" -ex ", stdout);
    print_word(text);
    putchar(' ');
    print_word(t->path);
    puts("\n\nthen 'continue'. 'run' replays from the start again.");
}

/* Prints the part of the program's output that is new. */
struct echo {
    int fd;
    off_t shown;
};

static void show_output(void *ctx) {
    struct echo *e = ctx;
    char bytes[4096];
    if (lseek(e->fd, 0, SEEK_END) < e->shown) /* the program was started again */
        e->shown = 0;
    for (ssize_t n; (n = pread(e->fd, bytes, sizeof bytes, e->shown)) > 0; e->shown += n)
        fwrite(bytes, 1, (size_t)n, stdout);
    fflush(stdout);
}

int rd_debug_gdbserver(const struct rd_debug *d, const struct rd_target *t, const struct rd_schedule *s) {
    struct rd_debug_replay r;
    char commands[PATH_MAX], where[256], wrapper[2 * RD_DEBUG_PATH], path[RD_DEBUG_PATH];
    if (!address(d->server, where))
        return RD_EXIT_TROUBLE;
    if (!rd_installed_file("gdb/raddle.py", RADDLE_DATADIR "/raddle/gdb/raddle.py", commands))
        return rd_trouble("cannot find 'raddle.py', the commands for gdb, beside the driver");
    int status = rd_debug_open(&r, d, t, s);
    if (status)
        return status;
    int pid_self = (int)getpid();
    snprintf(wrapper, sizeof wrapper, "/proc/%d/exe", pid_self);
    const char *const args[] = {"gdbserver", "--wrapper", wrapper, "--launch", rd_debug_path(r.launch_fd, path),
                                "--",        where,       t->path, NULL};
    print_hint(commands, where, d, t);
    pid_t pid = rd_debug_start((char **)args, -1);
    if (pid < 0)
        return rd_trouble("cannot start gdbserver: %s", strerror(errno));
    struct echo echo = {.fd = r.replay.worker.output_fd};
    return rd_debug_close(&r, d, s, rd_debug_wait(pid, show_output, &echo));
}
