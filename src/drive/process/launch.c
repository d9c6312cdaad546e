/*
 * launch.c - how a tested program is started: see launch.h. Address-space randomisation is off.
 *
 * The environment is the user's, in the user's order. Variables for the dynamic linker and libc are replaced where
 * they stand, the others come last, and the runtime takes them away before the program sees them
 * (rt/process/standard_streams.h).
 *
 * The main thread's stack begins below the strings of the arguments and the environment. What a user exports must
 * not move what is on the stack: an object that is aligned to more than 16 bytes would be at another distance from
 * the stack's beginning. So a variable is added that makes arguments and environment together a multiple of 32
 * KiB.
 */
#include "drive/process/launch.h"

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

enum { CHANNEL_FD = 1001, STACK_UNIT = 32 << 10, SET = 3, ADDED_MAX = 2 * SET + 3 };

const char *rd_library_path(void) {
    static char path[PATH_MAX];
    if (path[0])
        return path;
    char self[PATH_MAX];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self - 1);
    if (n < 0)
        return NULL;
    self[n] = 0;
    *strrchr(self, '/') = 0;
    const char *const places[] = {"%s/libraddle.so.0", "%s/../" RADDLE_LIBDIR "/raddle/libraddle.so.0"};
    for (unsigned i = 0; i < RD_COUNT(places); i++) {
        char candidate[PATH_MAX * 2];
        snprintf(candidate, sizeof candidate, i ? places[1] : places[0], self);
        if (access(candidate, R_OK) == 0 && realpath(candidate, path))
            return path;
    }
    return NULL;
}

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

/* Variables of the runtime's in the driver's own environment are not the user's. */
static bool is_ours(const char *variable) {
    return same_name(variable, "RADDLE_CHANNEL=") || same_name(variable, "RADDLE_OLD=") ||
           same_name(variable, "RADDLE_PAD=");
}

/* What the kernel puts above the pointers to arguments and environment, and those. */
static size_t size_on_stack(const struct rd_launch *l) {
    size_t size = strlen(l->path) + 1;
    for (char **s = l->args; *s; s++)
        size += strlen(*s) + 1 + sizeof *s;
    for (char **s = l->environment; *s; s++)
        size += strlen(*s) + 1 + sizeof *s;
    return size;
}

static size_t count(char **strings) {
    size_t n = 0;
    while (strings[n])
        n++;
    return n;
}

/* Everything but the padding is there. The kernel rounds strings and pointers to 16 bytes, one after the other. */
static void pad(struct rd_launch *l, size_t used) {
    char **all = l->environment;
    if ((count(l->args) + used) % 2 == 0)
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
}

int rd_launch_make(struct rd_launch *l, const struct rd_worker *w, const struct rd_target *t,
                   struct rd_error *error) {
    const char *library = rd_library_path();
    if (!library) {
        rd_error_set(error, "cannot find 'libraddle.so' beside the driver");
        return -1;
    }
    *l = (struct rd_launch){.path = t->path,
                            .args = t->args,
                            .input = w->input_fd,
                            .output = w->output_fd,
                            .error = w->error_fd,
                            .channel = w->channel_fd};
    /* calls that are bound when they are first made would be bound in every execution anew */
    char *set[SET] = {joined("LD_PRELOAD", library, getenv("LD_PRELOAD")),
                      joined("GLIBC_TUNABLES", "glibc.pthread.rseq=0", getenv("GLIBC_TUNABLES")),
                      joined("LD_BIND_NOW", w->lazy ? "" : "1", NULL)};
    bool placed[SET] = {false};
    char **all = l->environment = calloc(count(environ) + ADDED_MAX + 1, sizeof *all), *old[SET];
    if (!all)
        abort();
    size_t n = 0, olds = 0;
    for (char **e = environ; *e; e++) {
        if (is_ours(*e))
            continue;
        char *put = *e;
        for (unsigned i = 0; i < SET; i++)
            if (same_name(set[i], *e)) {
                put = placed[i] ? NULL : set[i]; /* of a name that stands there twice the first one counts */
                if (put)
                    old[olds++] = *e;
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
    for (size_t i = 0; i < olds; i++)
        all[n++] = joined("RADDLE_OLD", old[i], NULL);
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

void rd_launch_become(const struct rd_launch *l) {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* no orphans when the driver, or the debugger, is killed */
    lseek(l->input, 0, SEEK_SET);
    lseek(l->output, 0, SEEK_SET); /* an execution before may have moved them */
    lseek(l->error, 0, SEEK_SET);
    fcntl(l->output, F_SETFL, 0); /* … or made them such that they do not block, or append */
    fcntl(l->error, F_SETFL, 0);
    personality((unsigned long)personality(0xffffffff) | ADDR_NO_RANDOMIZE);
    if (dup2(l->input, 0) == 0 && dup2(l->output, 1) == 1 && dup2(l->error, 2) == 2 &&
        dup2(l->channel, CHANNEL_FD) == CHANNEL_FD)
        execve(l->path, l->args, l->environment);
}

/* ---- a file with it: numbers and strings, each with a 0 at its end ---- */

static void write_all(FILE *out, char **strings) {
    fprintf(out, "%zu%c", count(strings), 0);
    for (char **s = strings; *s; s++)
        fwrite(*s, 1, strlen(*s) + 1, out);
}

int rd_launch_write(const struct rd_launch *l, int fd) {
    FILE *out = fdopen(dup(fd), "w");
    if (!out)
        return -1;
    const int fds[] = {l->input, l->output, l->error, l->channel};
    for (unsigned i = 0; i < RD_COUNT(fds); i++)
        fprintf(out, "/proc/%d/fd/%d%c", (int)getpid(), fds[i], 0);
    fwrite(l->path, 1, strlen(l->path) + 1, out);
    write_all(out, l->args);
    write_all(out, l->environment);
    return fclose(out) == 0 ? 0 : -1;
}

static char *next(FILE *in) {
    char *s = NULL;
    size_t room = 0;
    if (getdelim(&s, &room, 0, in) > 0)
        return s;
    free(s);
    return NULL;
}

static int open_next(FILE *in, int flags) {
    char *name = next(in);
    int fd = name ? open(name, flags | O_CLOEXEC) : -1;
    free(name);
    return fd;
}

static char **read_all(FILE *in) {
    char *number = next(in);
    size_t n = number ? strtoul(number, NULL, 10) : 0;
    free(number);
    char **strings = calloc(n + 1, sizeof *strings);
    if (!strings)
        abort();
    for (size_t i = 0; i < n; i++)
        strings[i] = next(in);
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
    l->path = next(in);
    l->args = read_all(in);
    l->environment = read_all(in);
    fclose(in);
    return l->input >= 0 && l->output >= 0 && l->error >= 0 && l->channel >= 0 && l->path && l->args[0];
}
