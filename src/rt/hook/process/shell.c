/*
 * shell.c - system, popen and pclose, implemented over the other hooks, so that other threads run while one waits
 * for the shell or for its output. libc's own functions would block all threads.
 */
#include "rt/hook/process/child.h"
#include "rt/hook/hook.h"
#include "rt/raw.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { STREAMS_MAX = 64 };

static int run_shell(pid_t *pid, const char *command, const posix_spawn_file_actions_t *actions,
                     const posix_spawnattr_t *attr, uint64_t pc) {
    char *argv[] = {"sh", "-c", (char *)command, NULL};
    struct rd_spawn s = {"/bin/sh", actions, attr, argv, environ, false};
    return rd_hook_spawn(pid, &s, pc);
}

/* ---- system ---- */

static unsigned callers; /* threads in system(): as POSIX demands, SIGINT and SIGQUIT are ignored meanwhile */
static struct sigaction interrupt, quit; /* the actions of SIGINT and SIGQUIT before */

struct system_shell {
    pid_t pid;     /* 0: it has not started, or has ended */
    sigset_t mask; /* of the calling thread, before SIGCHLD was blocked */
};

static void begin(struct system_shell *s) {
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigset_t child;
    if (callers++ == 0) {
        RD_REAL(sigaction)(SIGINT, &ignore, &interrupt);
        RD_REAL(sigaction)(SIGQUIT, &ignore, &quit);
    }
    sigemptyset(&child);
    sigaddset(&child, SIGCHLD);
    pthread_sigmask(SIG_BLOCK, &child, &s->mask);
}

/* Undoes begin(). When the caller was cancelled while it waited, first kills the shell, as glibc does. */
static void end(struct system_shell *s) {
    pid_t real = s->pid ? rd_pid_real(s->pid) : 0;
    if (real) {
        rd_raw(SYS_kill, real, SIGKILL);
        rd_raw(SYS_wait4, real, NULL, 0, NULL);
        rd_child_reaped(real);
    }
    RD_CHECK(callers > 0); /* begin() has counted this thread */
    if (--callers == 0) {
        RD_REAL(sigaction)(SIGINT, &interrupt, NULL);
        RD_REAL(sigaction)(SIGQUIT, &quit, NULL);
    }
    pthread_sigmask(SIG_SETMASK, &s->mask, NULL);
}

static int shell_attributes(posix_spawnattr_t *attr, const struct system_shell *s) {
    sigset_t standard;
    sigemptyset(&standard);
    if (interrupt.sa_handler != SIG_IGN)
        sigaddset(&standard, SIGINT);
    if (quit.sa_handler != SIG_IGN)
        sigaddset(&standard, SIGQUIT);
    int error = posix_spawnattr_init(attr);
    posix_spawnattr_setsigmask(attr, &s->mask);
    posix_spawnattr_setsigdefault(attr, &standard);
    posix_spawnattr_setflags(attr, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    return error;
}

static int system_under_control(const char *command, uint64_t pc) {
    __attribute__((cleanup(end))) struct system_shell s = {.pid = 0};
    posix_spawnattr_t attr;
    pid_t pid = 0, ended;
    int status = -1;
    begin(&s);
    shell_attributes(&attr, &s);
    int error = run_shell(&pid, command, NULL, &attr, pc);
    posix_spawnattr_destroy(&attr);
    if (error)
        return W_EXITCODE(127, 0);
    s.pid = pid;
    do
        ended = rd_hook_waitpid(pid, &status, 0, pc);
    while (ended < 0 && errno == EINTR);
    s.pid = 0;
    return ended == pid ? status : -1;
}

RD_EXPORT int system(const char *command) {
    if (command && rd_hook_on())
        return system_under_control(command, RD_PC());
    if (command && rd_rt_active())
        rd_rt.engine.rec.out->children = 1;
    return RD_REAL(system)(command);
}

/* ---- streams to and from a shell ---- */

/* The streams of popen() that are open. */
static struct {
    FILE *stream; /* NULL: a free slot */
    pid_t pid;    /* of the shell */
} opened[STREAMS_MAX];

static int slot_of(const FILE *f) {
    for (int i = 0; i < STREAMS_MAX; i++)
        if (opened[i].stream == f)
            return i;
    return -1;
}

/* The mode of popen(): 'r' or 'w', and whether the stream is closed on exec ('e'); 0: the mode is not valid. */
static char direction(const char *mode, bool *private) {
    char way = 0;
    *private = false;
    for (; *mode; mode++) {
        if (*mode == 'e')
            *private = true;
        else if ((*mode == 'r' || *mode == 'w') && !way)
            way = *mode;
        else
            return 0;
    }
    return way;
}

/*
 * Starts the shell with one end of the pipe as descriptor `as`, and without the streams of earlier calls of
 * popen().
 */
static int start_shell(pid_t *pid, const char *command, int end, int as, uint64_t pc) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, end, as);
    for (int i = 0; i < STREAMS_MAX; i++)
        if (opened[i].stream && fileno(opened[i].stream) != as)
            posix_spawn_file_actions_addclose(&actions, fileno(opened[i].stream));
    int error = run_shell(pid, command, &actions, NULL, pc);
    posix_spawn_file_actions_destroy(&actions);
    return error;
}

/* Closes a descriptor without an operation. */
static void close_quietly(int fd) {
    rd_rt_enter();
    rd_io_forget(fd);
    RD_REAL(close)(fd);
    rd_rt_leave();
}

static FILE *popen_under_control(const char *command, char way, bool private, int slot, uint64_t pc) {
    int ends[2];
    bool reads = way == 'r';
    pid_t pid = 0;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return NULL;
    int mine = ends[reads ? 0 : 1], other = ends[reads ? 1 : 0];
    int error = start_shell(&pid, command, other, reads ? 1 : 0, pc);
    close_quietly(other);
    FILE *f = error ? NULL : fdopen(mine, reads ? "r" : "w");
    if (!f) {
        close_quietly(mine);
        errno = error ? error : ENOMEM;
        return NULL;
    }
    if (!private)
        fcntl(mine, F_SETFD, 0);
    opened[slot].stream = f;
    opened[slot].pid = pid;
    return f;
}

RD_EXPORT FILE *popen(const char *command, const char *mode) {
    bool private;
    char way = direction(mode, &private);
    int slot = slot_of(NULL);
    if (rd_rt_active() && way && slot >= 0)
        return popen_under_control(command, way, private, slot, RD_PC());
    if (rd_rt_active())
        rd_rt.engine.rec.out->children = 1;
    return RD_REAL(popen)(command, mode);
}

/* As in libc, pclose() is no cancellation point. */
RD_EXPORT int pclose(FILE *f) {
    int slot = f && rd_rt_active() ? slot_of(f) : -1, status = -1, state;
    if (slot < 0)
        return RD_REAL(pclose)(f);
    pid_t pid = opened[slot].pid, ended;
    opened[slot].stream = NULL;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    fclose(f);
    do
        ended = rd_hook_waitpid(pid, &status, 0, RD_PC());
    while (ended < 0 && errno == EINTR);
    pthread_setcancelstate(state, NULL);
    return ended == pid ? status : -1;
}
