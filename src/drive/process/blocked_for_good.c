/*
 * blocked_for_good.c - see blocked_for_good.h. All facts come from /proc. One call reads the tasks one after the
 * other, so a task may have been about to run while another one was read. The watchdog therefore asks twice: if
 * both answers are true and the process has used no processor time in between, no task was on its way.
 *
 * /proc does not show an alarm (alarm, setitimer) that a process has set. A process that has a handler for the
 * signal of an alarm is not counted as blocked.
 */
#include "drive/process/blocked_for_good.h"

#include "base/base.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PROCESSES_MAX = 64, ARGUMENTS = 6, DESCRIPTORS = 64, NAME = 64 };

/* The set of processes that rd_blocked_for_good looks at; it grows while they are read. */
struct process_set {
    pid_t at[PROCESSES_MAX];
    uint32_t count;
    bool too_many;
};

/* The system call in which a task is blocked. */
struct blocking_call {
    int64_t number;
    uint64_t argument[ARGUMENTS];
};

static void add(struct process_set *c, pid_t pid) {
    for (uint32_t i = 0; i < c->count; i++)
        if (c->at[i] == pid)
            return;
    if (c->count == PROCESSES_MAX)
        c->too_many = true;
    else
        c->at[c->count++] = pid;
}

/* Calls `each` for every entry of the directory that is a number. False: there is no such directory. */
static bool each_number(const char *path, void (*each)(void *ctx, int number), void *ctx) {
    DIR *dir = opendir(path);
    if (!dir)
        return false;
    for (const struct dirent *e = readdir(dir); e; e = readdir(dir)) {
        char *end;
        long n = strtol(e->d_name, &end, 10);
        if (end != e->d_name && !*end)
            each(ctx, (int)n);
    }
    closedir(dir);
    return true;
}

static ssize_t read_file(const char *path, char *to, size_t room) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, to, room - 1);
    if (fd >= 0)
        close(fd);
    to[n > 0 ? n : 0] = 0;
    return n;
}

/* ---- which processes belong to the set ---- */

struct child_search {
    struct process_set *processes;
    pid_t parent;
};

static void add_child(void *ctx, int pid) {
    struct child_search *f = ctx;
    char path[NAME], text[512];
    int parent = -1;
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    if (read_file(path, text, sizeof text) <= 0)
        return;
    const char *after = strrchr(text, ')'); /* the name of the program stands before it and may contain a ')' */
    if (after && sscanf(after + 1, " %*c %d", &parent) == 1 && parent == (int)f->parent)
        add(f->processes, pid);
}

struct pipe_search {
    struct process_set *processes;
    pid_t pid;       /* the process whose descriptors are read now */
    char link[NAME]; /* the pipe as /proc names it: "pipe:[1234]" */
};

static void add_holder(void *ctx, int fd) {
    const struct pipe_search *p = ctx;
    char path[NAME], link[NAME];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)p->pid, fd);
    ssize_t n = readlink(path, link, sizeof link - 1);
    link[n > 0 ? n : 0] = 0;
    if (strcmp(link, p->link) == 0)
        add(p->processes, p->pid);
}

static void look_for_holder(void *ctx, int pid) {
    struct pipe_search *p = ctx;
    char path[NAME];
    p->pid = pid;
    snprintf(path, sizeof path, "/proc/%d/fd", pid);
    each_number(path, add_holder, p); /* fails for processes of other users, which cannot have the pipe */
}

/* Adds every process that has the pipe at descriptor `fd` open. False: the descriptor is no pipe. */
static bool add_pipe(struct process_set *c, pid_t pid, int fd) {
    struct pipe_search p = {.processes = c};
    char path[NAME];
    snprintf(path, sizeof path, "/proc/%d/fd/%d", (int)pid, fd);
    ssize_t n = readlink(path, p.link, sizeof p.link - 1);
    if (n <= 0 || strncmp(p.link, "pipe:", 5) != 0)
        return false;
    return each_number("/proc", look_for_holder, &p);
}

/* ---- the system calls in which tasks wait ---- */

/* The same for each descriptor of a poll(). The array is in the memory of that process. */
static bool add_polled_pipes(struct process_set *c, pid_t pid, const struct blocking_call *call) {
    struct pollfd fds[DESCRIPTORS];
    uint64_t count = call->argument[1], size = count * sizeof *fds;
    struct iovec here = {fds, size}, there = {(void *)call->argument[0], size};
    if (count == 0 || count > DESCRIPTORS || process_vm_readv(pid, &here, 1, &there, 1, 0) != (ssize_t)size)
        return false;
    for (uint64_t i = 0; i < count; i++)
        if (fds[i].fd >= 0 && !add_pipe(c, pid, fds[i].fd))
            return false;
    return true;
}

/*
 * Does the call wait at a futex without a time limit? The task that runs the execution must wait at a private one:
 * a shared one could be woken by a process outside the set. The other tasks of the tested process are parked
 * carriers.
 */
static bool at_futex(const struct blocking_call *call, bool running) {
    uint64_t how = call->argument[1], kind = how & (uint64_t)FUTEX_CMD_MASK;
    bool waits = (kind == FUTEX_WAIT || kind == FUTEX_WAIT_BITSET) && call->argument[3] == 0;
    return waits && (!running || how & FUTEX_PRIVATE_FLAG);
}

/* Can only a task of the set end this call? Adds the processes that could, if the call waits at pipes. */
static bool only_set_can_end(struct process_set *c, pid_t pid, const struct blocking_call *call, bool running) {
    const uint64_t *a = call->argument;
    switch (call->number) {
    case SYS_futex:
        return at_futex(call, running);
    case SYS_rt_sigsuspend:
        return true;
    case SYS_rt_sigtimedwait:
        return a[2] == 0;
    case SYS_wait4:
        return !(a[2] & WNOHANG);
    case SYS_waitid:
        return !(a[3] & WNOHANG);
    case SYS_read:
    case SYS_readv:
    case SYS_write:
    case SYS_writev:
        return add_pipe(c, pid, (int)a[0]);
    case SYS_ppoll:
        return a[2] == 0 && add_polled_pipes(c, pid, call);
#ifdef SYS_poll
    case SYS_poll:
        return (int)a[2] < 0 && add_polled_pipes(c, pid, call);
    case SYS_pause:
        return true;
#endif
    default:
        return false;
    }
}

/* The state of all tasks of one process. */
struct task_scan {
    struct process_set *processes;
    pid_t pid, running;
    uint32_t count;
    bool any_free; /* a task runs, or is in a call that may end by itself */
};

static void look_at_task(void *ctx, int task) {
    struct task_scan *t = ctx;
    char path[NAME], line[256];
    struct blocking_call call = {.number = -1};
    uint64_t *a = call.argument;
    snprintf(path, sizeof path, "/proc/%d/task/%d/syscall", (int)t->pid, task);
    t->count++;
    t->any_free |= read_file(path, line, sizeof line) <= 0 ||
                   sscanf(line, "%" SCNd64 " %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNx64, &call.number, &a[0],
                          &a[1], &a[2], &a[3]) != 5 ||
                   !only_set_can_end(t->processes, t->pid, &call, task == (int)t->running);
}

/* Does the process have a timer, or a handler for the signal of an alarm? */
static bool has_alarm(pid_t pid) {
    char path[NAME], text[4096];
    uint64_t caught = 0, alarms = 1u << (SIGALRM - 1) | 1u << (SIGVTALRM - 1) | 1u << (SIGPROF - 1);
    snprintf(path, sizeof path, "/proc/%d/timers", (int)pid);
    if (read_file(path, text, sizeof text) > 0)
        return true;
    snprintf(path, sizeof path, "/proc/%d/status", (int)pid);
    const char *line = read_file(path, text, sizeof text) > 0 ? strstr(text, "SigCgt:") : NULL;
    return !line || sscanf(line, "SigCgt: %" SCNx64, &caught) != 1 || (caught & alarms);
}

bool rd_blocked_for_good(pid_t pid, pid_t running) {
    struct process_set processes = {.at = {pid}, .count = 1};
    for (uint32_t i = 0; i < processes.count && !processes.too_many; i++) {
        struct task_scan t = {.processes = &processes, .pid = processes.at[i], .running = running};
        struct child_search f = {&processes, t.pid};
        char path[NAME];
        snprintf(path, sizeof path, "/proc/%d/task", (int)t.pid);
        if (!each_number(path, look_at_task, &t) || t.any_free || t.count == 0 || has_alarm(t.pid) ||
            !each_number("/proc", add_child, &f))
            return false;
    }
    return !processes.too_many;
}
