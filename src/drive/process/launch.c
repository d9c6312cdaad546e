/*
 * launch.c - see launch.h. Address-space randomisation is off.
 *
 * The environment is the user's, in the user's order. Variables for the dynamic linker and libc are replaced where
 * they stand, and new variables are added at the end. The runtime puts back the user's values and removes the new
 * variables before the program sees them (rt/process/standard_streams.h).
 *
 * The main thread's stack begins below the strings of the arguments and the environment. Their size must not change
 * where objects on the stack are: an object that is aligned to more than 16 bytes would be at another distance from
 * the beginning of the stack, and its place (trace/place.h) would differ. So the variable RADDLE_PAD rounds the
 * size of arguments and environment up to a multiple of 32 KiB.
 */
#include "drive/process/launch.h"

#include "drive/process/installed_file.h"
#include "drive/process/rewind.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

extern char **environ;

enum { CHANNEL_FD = 1001, STACK_UNIT = 32 << 10, SET = 3 };
/* Variables beyond the user's: SET, the replaced value of each, the channel, and two for the padding. */
enum { ADDED_MAX = 2 * SET + 3 };

const char *rd_library_path(void) {
    static char path[PATH_MAX];
    if (path[0])
        return path;
    if (rd_installed_file("libraddle.so.0", RADDLE_LIBDIR "/raddle/libraddle.so.0", path))
        return path;
    path[0] = 0;
    return NULL;
}

/*
 * A copy of the library without debug information, and with other names for all functions that it does not export.
 * A breakpoint of the user's at a function must not find a function of the runtime with the same name, and single
 * steps must not go into the runtime; but the debugger must know where each of its functions begins and ends, so
 * that it can step out of them.
 */
static const char *library_for_debugger(void) {
    static char path[PATH_MAX];
    if (path[0] ||
        rd_installed_file("debugger/libraddle.so.0", RADDLE_LIBDIR "/raddle/debugger/libraddle.so.0", path))
        return path;
    path[0] = 0;
    return rd_library_path();
}

/* "NAME=value:more", or "NAME=value" if there is no more. */
static char *joined(const char *name, const char *value, const char *more) {
    char *s = NULL;
    bool both = more && *more;
    if (asprintf(&s, "%s=%s%s%s", name, value, both ? ":" : "", both ? more : "") < 0)
        abort();
    return s;
}

static bool same_name(const char *a, const char *b) {
    size_t n = strcspn(a, "=");
    return strncmp(a, b, n + 1) == 0;
}

/* Is the variable one of the runtime's? In the driver's environment it comes from an outer raddle: drop it. */
static bool is_ours(const char *variable) {
    return same_name(variable, "RADDLE_CHANNEL=") || same_name(variable, "RADDLE_OLD=") ||
           same_name(variable, "RADDLE_PAD=");
}

/* The bytes that the kernel puts at the beginning of the stack: the strings, and the pointers to them. */
static size_t size_on_stack(const struct rd_launch *l) {
    size_t size = strlen(l->path) + 1;
    for (char **s = l->args; *s; s++)
        size += strlen(*s) + 1 + sizeof *s;
    for (char **s = l->environment; *s; s++)
        size += strlen(*s) + 1 + sizeof *s;
    return size;
}

static size_t count_strings(char **strings) {
    size_t n = 0;
    while (strings[n])
        n++;
    return n;
}

/*
 * Adds the padding. pre: the other `used` variables are there. The kernel rounds the strings and then the pointers
 * to 16 bytes each, so the number of pointers must be even: otherwise the kernel would add 8 bytes that
 * size_on_stack does not count.
 */
static void pad(struct rd_launch *l, size_t used) {
    char **all = l->environment;
    RD_CHECK(used + 2 <= count_strings(environ) + ADDED_MAX);
    if ((count_strings(l->args) + used) % 2 == 0)
        all[used++] = joined("RADDLE_PAD", "", NULL);
    all[used] = joined("RADDLE_PAD", "", NULL);
    all[used + 1] = NULL;
    size_t size = size_on_stack(l), more = (STACK_UNIT - size % STACK_UNIT) % STACK_UNIT;
    char *text = calloc(1, strlen(all[used]) + more + 1);
    if (!text)
        abort();
    size_t n = strlen(all[used]);
    memcpy(text, all[used], n);
    memset(text + n, '.', more);
    free(all[used]);
    all[used] = text;
    RD_CHECK(size_on_stack(l) % STACK_UNIT == 0);
    RD_CHECK((count_strings(l->args) + count_strings(all)) % 2 == 0);
}

int rd_launch_make(struct rd_launch *l, const struct rd_worker *w, const struct rd_target *t,
                   struct rd_error *error) {
    const char *library = w->channel->config.debugger ? library_for_debugger() : rd_library_path();
    if (!library) {
        rd_error_set(error, "cannot find 'libraddle.so' beside the driver");
        return -1;
    }
    *l = (struct rd_launch){.path = t->path,
                            .args = t->args,
                            .input = w->input_fd,
                            .output = w->output_fd,
                            .error = w->error_fd,
                            .channel = w->channel_fd,
                            .prepared = -1};
    /*
     * LD_BIND_NOW: the linker binds all calls before the checkpoint. A call that is bound at its first use would
     * be bound again in every execution.
     */
    char *set[SET] = {joined("LD_PRELOAD", library, getenv("LD_PRELOAD")),
                      joined("GLIBC_TUNABLES", "glibc.pthread.rseq=0", getenv("GLIBC_TUNABLES")),
                      joined("LD_BIND_NOW", w->lazy ? "" : "1", NULL)};
    bool placed[SET] = {false};
    char **all = l->environment = calloc(count_strings(environ) + ADDED_MAX + 1, sizeof *all), *replaced[SET];
    if (!all)
        abort();
    size_t n = 0, replaced_count = 0;
    for (char **e = environ; *e; e++) {
        if (is_ours(*e))
            continue;
        char *put = *e;
        for (unsigned i = 0; i < SET; i++)
            if (same_name(set[i], *e)) {
                put = placed[i] ? NULL : set[i]; /* the first of two variables with one name counts */
                if (put)
                    replaced[replaced_count++] = *e;
                placed[i] = true;
            }
        if (put && !(all[n++] = strdup(put)))
            abort();
    }
    for (unsigned i = 0; i < SET; i++) {
        if (placed[i])
            free(set[i]);
        else
            all[n++] = set[i];
    }
    char channel[16];
    snprintf(channel, sizeof channel, "%d", CHANNEL_FD);
    all[n++] = joined("RADDLE_CHANNEL", channel, NULL);
    for (size_t i = 0; i < replaced_count; i++)
        all[n++] = joined("RADDLE_OLD", replaced[i], NULL);
    pad(l, n);
    return 0;
}

static void free_all(char **strings) {
    for (char **s = strings; s && *s; s++)
        free(*s);
    free(strings);
}

void rd_launch_free(struct rd_launch *l) {
    free_all(l->environment);
    if (!l->owned)
        return;
    free_all(l->args);
    free((char *)l->path);
}

/* The descriptors below that number that were open when Raddle started: bit fd modulo 64 of word fd / 64. */
enum { NOTED = 1024 };
static uint64_t inherited[NOTED / 64];

void rd_launch_note_descriptors(void) {
    for (unsigned fd = 0; fd < NOTED; fd++)
        if (fcntl((int)fd, F_GETFD) >= 0)
            inherited[fd / 64] |= (uint64_t)1 << fd % 64;
}

/* Raddle's own files are closed by exec anyway, but libraries open some without that flag (libdw). */
void rd_launch_drop_descriptors(void) {
    unsigned from = 3;
    for (unsigned fd = from; fd <= NOTED; fd++) {
        bool stays = fd < NOTED && inherited[fd / 64] >> fd % 64 & 1;
        if (!stays && fd < NOTED)
            continue;
        if (fd > from && close_range(from, fd - 1, CLOSE_RANGE_CLOEXEC) != 0) /* a kernel before 5.11 */
            for (unsigned k = from; k < fd; k++)
                fcntl((int)k, F_SETFD, FD_CLOEXEC);
        from = fd + 1;
    }
}

int rd_launch_rewind(const struct rd_launch *l) {
    if (ftruncate(l->output, 0) != 0 || ftruncate(l->error, 0) != 0)
        return -1;
    return l->prepared < 0 ? 0 : rd_rewind(l->prepared, l->channel);
}

void rd_launch_become(const struct rd_launch *l) {
    /* otherwise one dup2 below would close what the next one is to copy */
    RD_CHECK(l->input > 2 && l->output > 2 && l->error > 2 && l->channel > 2);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* the program ends when the driver or the debugger is killed */
    lseek(l->input, 0, SEEK_SET);
    lseek(l->output, 0, SEEK_SET); /* an earlier process may have moved the positions … */
    lseek(l->error, 0, SEEK_SET);
    fcntl(l->output, F_SETFL, 0); /* … or set O_NONBLOCK or O_APPEND */
    fcntl(l->error, F_SETFL, 0);
    personality((unsigned long)personality(0xffffffff) | ADDR_NO_RANDOMIZE);
    if (dup2(l->input, 0) == 0 && dup2(l->output, 1) == 1 && dup2(l->error, 2) == 2 &&
        dup2(l->channel, CHANNEL_FD) == CHANNEL_FD)
        execve(l->path, l->args, l->environment);
}

/* ---- the launch as a file: numbers and strings, each with a zero byte at its end ---- */

static void write_all(FILE *out, char **strings) {
    fprintf(out, "%zu%c", count_strings(strings), 0);
    for (char **s = strings; *s; s++)
        fwrite(*s, 1, strlen(*s) + 1, out);
}

int rd_launch_write(const struct rd_launch *l, int fd) {
    FILE *out = fdopen(dup(fd), "w");
    if (!out)
        return -1;
    const int fds[] = {l->input, l->output, l->error, l->channel, l->prepared};
    for (unsigned i = 0; i < RD_COUNT(fds); i++)
        fprintf(out, "/proc/%d/fd/%d%c", (int)getpid(), fds[i], 0);
    fwrite(l->path, 1, strlen(l->path) + 1, out);
    write_all(out, l->args);
    write_all(out, l->environment);
    return fclose(out) == 0 ? 0 : -1;
}

static char *read_string(FILE *in) {
    char *s = NULL;
    size_t room = 0;
    if (getdelim(&s, &room, 0, in) > 0)
        return s;
    free(s);
    return NULL;
}

static int open_next(FILE *in, int flags) {
    char *name = read_string(in);
    int fd = name ? open(name, flags | O_CLOEXEC) : -1;
    free(name);
    return fd;
}

static char **read_all(FILE *in) {
    char *number = read_string(in);
    size_t n = number ? strtoul(number, NULL, 10) : 0;
    free(number);
    char **strings = calloc(n + 1, sizeof *strings);
    if (!strings)
        abort();
    for (size_t i = 0; i < n; i++)
        strings[i] = read_string(in);
    return strings;
}

bool rd_launch_read(struct rd_launch *l, const char *file) {
    *l = (struct rd_launch){.owned = true};
    FILE *in = fopen(file, "re");
    if (!in)
        return false;
    l->input = open_next(in, O_RDONLY);
    l->output = open_next(in, O_RDWR | O_APPEND);
    l->error = open_next(in, O_RDWR | O_APPEND);
    struct stat out, error;
    if (fstat(l->output, &out) == 0 && fstat(l->error, &error) == 0 && out.st_ino == error.st_ino) {
        close(l->error);
        l->error = l->output; /* one open file, with one position, as when the driver starts it */
    }
    l->channel = open_next(in, O_RDWR);
    l->prepared = open_next(in, O_RDONLY);
    l->path = read_string(in);
    l->args = read_all(in);
    l->environment = read_all(in);
    fclose(in);
    return l->input >= 0 && l->output >= 0 && l->error >= 0 && l->channel >= 0 && l->prepared >= 0 && l->path &&
           l->args[0];
}
