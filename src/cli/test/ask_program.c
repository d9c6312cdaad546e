/*
 * ask_program.c - see ask_program.h. The program gets a process group of its own, so that its child processes end
 * together with it. Raddle adopts a child that has left the group and kills it at the end of the command
 * (drive/process/descendants.h).
 */
#include "cli/test/ask_program.h"

#include "cli/interrupt.h"
#include "cli/test/framework.h"
#include "drive/process/descendants.h"
#include "drive/process/process_group.h"
#include "drive/real_clock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SIZE_MAX_BYTES = 16 << 20, TICK_MS = 10 };
static const double LIMIT_S = 10;

static _Noreturn void become(const struct rd_question *q, const int out[2], pid_t parent) {
    int none = open("/dev/null", O_RDONLY);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        _exit(127);
    dup2(none, 0);
    dup2(out[0], 1);
    dup2(out[1], 2);
    rd_frameworks_clean_environment(q->framework);
    execv(q->path, q->args);
    _exit(127);
}

/* Reads what is there. False: the other side is closed. */
static bool take(struct rd_answer *a, int i, int fd) {
    char part[65536];
    ssize_t n = read(fd, part, sizeof part);
    if (n < 0)
        return errno == EAGAIN || errno == EINTR;
    if (n == 0)
        return false;
    size_t room = SIZE_MAX_BYTES - a->size[i], more = RD_MIN((size_t)n, room);
    a->text[i] = realloc(a->text[i], a->size[i] + more + 1);
    if (!a->text[i])
        abort();
    memcpy(a->text[i] + a->size[i], part, more);
    a->size[i] += more;
    a->text[i][a->size[i]] = 0;
    return true;
}

/* Has the process ended? It stays a zombie, so that its number still names its group. */
static bool has_ended(pid_t pid) {
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 && info.si_pid == pid;
}

/* Reads until the program has ended. Returns NULL, or why it was not waited for. */
static const char *listen_to(struct rd_answer *a, pid_t pid, const int in[2], double end_s) {
    double limit = rd_clock_s() + LIMIT_S;
    struct pollfd p[2] = {{.fd = in[0], .events = POLLIN}, {.fd = in[1], .events = POLLIN}};
    for (bool ended = false;;) {
        ended = has_ended(pid); /* before the last look at the pipes */
        poll(p, 2, ended ? 0 : TICK_MS);
        bool more = false;
        for (int i = 0; i < 2; i++) {
            if (p[i].fd < 0 || !p[i].revents)
                continue;
            if (take(a, i, p[i].fd))
                more = true;
            else
                p[i].fd = -1;
        }
        while (ended && more) { /* what is still in the pipes, which other processes may keep open */
            more = false;
            poll(p, 2, 0);
            for (int i = 0; i < 2; i++)
                more |=
                    p[i].fd >= 0 && (p[i].revents & POLLIN) && a->size[i] < SIZE_MAX_BYTES && take(a, i, p[i].fd);
        }
        if (ended)
            return NULL;
        if (a->size[0] >= SIZE_MAX_BYTES || a->size[1] >= SIZE_MAX_BYTES)
            return "it printed more than 16 MiB";
        if (rd_clock_s() > limit)
            return "it did not end within 10 s";
        if (end_s > 0 && rd_clock_s() > end_s)
            return "the time of the command was over before it answered (--time)";
        if (*rd_interrupt_requested())
            return "stopped by a signal";
    }
}

/* Two pipes, whose ends for reading do not block. */
static bool open_pipes(int out[2], int err[2]) {
    if (pipe2(out, O_CLOEXEC | O_NONBLOCK) != 0)
        return false;
    if (pipe2(err, O_CLOEXEC | O_NONBLOCK) != 0) {
        int why = errno;
        close(out[0]);
        close(out[1]);
        errno = why;
        return false;
    }
    fcntl(out[1], F_SETFL, 0);
    fcntl(err[1], F_SETFL, 0);
    return true;
}

int rd_ask_program(struct rd_answer *a, const struct rd_question *q, struct rd_error *error) {
    int out[2], err[2];
    *a = (struct rd_answer){{calloc(1, 1), calloc(1, 1)}, {0, 0}, 0};
    if (!a->text[0] || !a->text[1])
        abort();
    rd_process_group(); /* this process adopts what the program leaves behind */
    if (!open_pipes(out, err)) {
        rd_error_set(error, "%s", strerror(errno));
        return -1;
    }
    pid_t self = getpid(), pid = fork();
    if (pid == 0)
        become(q, (int[]){out[1], err[1]}, self);
    close(out[1]);
    close(err[1]);
    const char *wrong = pid < 0 ? "no process can be started" : NULL;
    if (pid > 0) {
        setpgid(pid, pid);
        rd_descendants_own(pid);
        wrong = listen_to(a, pid, (int[]){out[0], err[0]}, q->end_s);
        kill(-pid, SIGKILL); /* also what it has started; the zombie keeps the number until the next line */
        waitpid(pid, &a->status, 0);
        rd_descendants_gone(pid);
    }
    close(out[0]);
    close(err[0]);
    if (!wrong)
        return 0;
    rd_error_set(error, "%s", wrong);
    return -1;
}

void rd_answer_free(struct rd_answer *a) {
    free(a->text[0]);
    free(a->text[1]);
    *a = (struct rd_answer){0};
}
