/*
 * child_table.c - see child_table.h: the table of child processes, and waiting for them. Raddle does not control
 * when a child ends. So that executions differ less, a call that asks for a child waits a short time before it
 * answers that the child has not ended: most children end soon, or soon come to a point at which they wait for this
 * program.
 */
#include "rt/process/child_table.h"

#include "base/text.h"
#include "rt/inside.h"
#include "rt/layout.h"
#include "rt/raw.h"
#include "rt/state.h"
#include "rt/thread/vthread.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

/*
 * Nanoseconds. A call first gives each child PATIENCE, which halves down to PATIENCE_MIN each time that the child
 * has not ended by then. Children that compute meanwhile get further slices, up to BUSY for each child in an
 * execution.
 */
enum { MS = 1000000, PATIENCE = 20 * MS, PATIENCE_MIN = MS, BUSY = 1000 * MS, SLICE = 10 * MS };
static_assert(PATIENCE < 1000 * MS && SLICE < 1000 * MS, "pause_for() has no seconds");
static_assert((uint64_t)RD_TID_MAX << 20 <= RD_FILES_SLOT,
              "addresses of children's files are in their kind's slot");
static_assert(RD_PID_CHILD + (int64_t)RD_TID_MAX * RD_PID_CHILDREN <= INT32_MAX, "numbers of children are a pid_t");

static struct rd_child *all; /* newest first; an entry stays until the end of the execution */
static struct rd_io_file any_child = {.kind = RD_IO_CHILDREN, .addr = RD_FILES_AT + RD_IO_CHILDREN * RD_FILES_SLOT};

/* In a copy of the program that has left control. */
static struct {
    pid_t number, real;               /* of this process: the program's number and the kernel's */
    pid_t parent_number, parent_real; /* of the process that made this copy */
    pid_t program_real;               /* the kernel's number of the process under control; 0: this is no copy */
} copy;

struct rd_child *rd_child_find(pid_t number) {
    for (struct rd_child *c = all; c; c = c->next)
        if (c->number == number && c->real)
            return c;
    return NULL;
}

struct rd_child *rd_child_new(void) {
    uint32_t index;
    rd_rt_enter();
    rd_tid tid = rd_self->tid;
    struct rd_child *c = rd_arena_zero(&rd_rt.arena, sizeof *c);
    do { /* ends while fewer than RD_PID_CHILDREN children of the thread are left */
        index = ++rd_self->processes;
        c->number = RD_PID_CHILD + (pid_t)tid * RD_PID_CHILDREN + (pid_t)(index % RD_PID_CHILDREN);
    } while (rd_child_find(c->number));
    c->patience_ns = PATIENCE;
    c->busy_ns = BUSY;
    c->file.kind = RD_IO_CHILD;
    c->file.addr = RD_FILES_AT + RD_IO_CHILD * RD_FILES_SLOT + ((uint64_t)tid << 20 | (index & 0xfffff));
    c->next = all;
    all = c;
    rd_rt_leave();
    return c;
}

void rd_child_reaped(pid_t real) {
    for (struct rd_child *c = all; c; c = c->next)
        if (c->real == real)
            c->real = 0;
}

bool rd_child_any(void) {
    for (const struct rd_child *c = all; c; c = c->next)
        if (c->real)
            return true;
    return false;
}

/* Called when an execution is ended early: the program will not wait for its children any more. */
void rd_child_kill_all(void) {
    for (const struct rd_child *c = all; c; c = c->next)
        if (c->real)
            rd_raw(SYS_kill, c->real, SIGKILL);
}

void rd_child_signal_group(int sig) {
    long group = rd_raw(SYS_getpgid, 0);
    for (const struct rd_child *c = all; c; c = c->next)
        if (c->real && rd_raw(SYS_getpgid, c->real) == group)
            rd_raw(SYS_kill, c->real, sig);
}

/* ---- numbers ---- */

/* The kernel's number of the process under control. */
static pid_t program_real(void) { return copy.program_real ? copy.program_real : (pid_t)rd_raw(SYS_getpid); }

pid_t rd_pid_real(pid_t number) {
    if (number < -1) /* a process group */
        return -rd_pid_real(-number);
    if (number < RD_PID_SESSION)
        return number;
    const struct rd_child *c = rd_child_find(number);
    if (c)
        return c->real;
    switch (number) {
    case RD_PID:
        return program_real();
    case RD_PID_PARENT:
        return (pid_t)rd_raw(SYS_getppid);
    case RD_PID_GROUP:
        return (pid_t)rd_raw(SYS_getpgid, 0);
    case RD_PID_SESSION:
        return (pid_t)rd_raw(SYS_getsid, 0);
    default:
        return copy.number && number == copy.number ? (pid_t)rd_raw(SYS_getpid) : number;
    }
}

pid_t rd_pid_virtual(pid_t real) {
    if (real <= 0 || (!rd_self && !copy.program_real))
        return real;
    for (const struct rd_child *c = all; c; c = c->next)
        if (c->real == real)
            return c->number;
    if (real == program_real())
        return RD_PID;
    if (copy.program_real)
        return real == rd_raw(SYS_getpid) ? rd_pid_of_copy() : real;
    if (real == rd_raw(SYS_getpgid, 0))
        return RD_PID_GROUP;
    if (real == rd_raw(SYS_getsid, 0))
        return RD_PID_SESSION;
    return real == rd_raw(SYS_getppid) ? RD_PID_PARENT : real;
}

pid_t rd_pid_remembered(pid_t real) {
    for (const struct rd_child *c = all; c; c = c->next)
        if (c->was == real)
            return c->number;
    return rd_pid_virtual(real);
}

void rd_pid_copied(pid_t number, pid_t parent_real) {
    if (number == 0 && !copy.program_real)
        return; /* a copy of a process that was never under control */
    copy.parent_number = copy.program_real ? rd_pid_of_copy() : RD_PID;
    if (!copy.program_real)
        copy.program_real = parent_real;
    copy.parent_real = parent_real;
    copy.number = number;
    copy.real = (pid_t)rd_raw(SYS_getpid);
}

/* A further copy that no hook has seen has only the kernel's number. */
pid_t rd_pid_of_copy(void) {
    pid_t real = (pid_t)rd_raw(SYS_getpid);
    return copy.number && real == copy.real ? copy.number : real;
}

pid_t rd_pid_of_parent(void) {
    pid_t real = (pid_t)rd_raw(SYS_getppid);
    return copy.parent_number && real == copy.parent_real ? copy.parent_number : real;
}

/* ---- waiting ---- */

struct rd_io_file *rd_child_file(struct rd_child *c) {
    return c ? &c->file : &any_child;
}

void rd_child_touch(unsigned kind, const struct rd_child *c, uint64_t pc) {
    rd_io_touch(kind, c ? &c->file : &any_child, c ? &any_child : NULL, pc);
}

bool rd_io_child_ready(const struct rd_io_children *c) {
    siginfo_t info;
    info.si_pid = 0;
    int options = c->options | WNOHANG | WNOWAIT;
    return rd_raw(SYS_waitid, c->type, c->id, &info, options, NULL) != 0 || info.si_pid != 0;
}

bool rd_child_runs(void) {
    for (const struct rd_child *c = all; c; c = c->next) {
        struct rd_io_children which = {.type = P_PID, .options = WEXITED, .id = (uint32_t)c->real};
        if (c->real && !rd_io_child_ready(&which))
            return true;
    }
    return false;
}

/* Returns whether the arguments of a waitid call name this child. */
static bool names(const struct rd_io_children *w, const struct rd_child *c) {
    if (!c->real)
        return false;
    if (w->type == P_PID)
        return w->id == (uint32_t)c->real;
    if (w->type == P_PGID)
        return rd_raw(SYS_getpgid, c->real) == (w->id ? (long)w->id : rd_raw(SYS_getpgid, 0));
    return w->type == P_ALL;
}

uint32_t rd_io_child_fds(const struct rd_io_children *w, struct pollfd *to, uint32_t room) {
    uint32_t n = 0;
    if (!(w->options & WEXITED)) /* a pidfd becomes readable only when the process ends */
        return 0;
    if (w->type == P_PIDFD && room > 0) {
        long fd = rd_raw(SYS_fcntl, w->id, F_DUPFD_CLOEXEC, 0);
        to[0] = (struct pollfd){.fd = (int)fd, .events = POLLIN};
        return fd >= 0;
    }
    for (const struct rd_child *c = all; c && n < room; c = c->next) {
        long fd = names(w, c) ? rd_raw(SYS_pidfd_open, c->real, 0) : -1;
        if (fd >= 0)
            to[n++] = (struct pollfd){.fd = (int)fd, .events = POLLIN};
    }
    return n;
}

/* Sleeps for `ns` nanoseconds, or until one of the children ends. */
static void pause_for(const struct rd_io_children *w, uint64_t ns) {
    struct pollfd fds[16];
    struct timespec t = {0, (long)ns};
    uint32_t n = rd_io_child_fds(w, fds, RD_COUNT(fds));
    RD_CHECK(n <= RD_COUNT(fds));
    rd_raw(SYS_ppoll, fds, n, &t, NULL, 8);
    while (n-- > 0)
        rd_raw(SYS_close, fds[n].fd);
}

/* Returns whether the process computes (or waits for a disk); else it waits for an event. */
static bool is_busy(pid_t real) {
    char path[32], stat[128];
    struct rd_text t;
    rd_text_init(&t, path, sizeof path);
    rd_text_str(&t, "/proc/");
    rd_text_dec(&t, real);
    rd_text_str(&t, "/stat");
    long fd = rd_raw(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
    long n = fd < 0 ? 0 : rd_raw(SYS_read, fd, stat, sizeof stat);
    if (fd >= 0)
        rd_raw(SYS_close, fd);
    /* "number (name) state": a name is short, and the last parenthesis in the text ends it */
    for (long i = n - 3; i > 0; i--)
        if (stat[i] == ')')
            return stat[i + 2] == 'R' || stat[i + 2] == 'D';
    return false;
}

/*
 * Returns how long a call is to wait for these children: the longest time that one of them still gets. `busy`: only
 * a child that computes gets time, and it is taken off the child's busy_ns.
 */
static uint64_t patience(const struct rd_io_children *w, bool busy) {
    uint64_t ns = w->type == P_PIDFD && !busy ? PATIENCE : 0;
    for (struct rd_child *c = all; c; c = c->next) {
        if (!names(w, c))
            continue;
        if (!busy)
            ns = RD_MAX(ns, c->patience_ns);
        else if (c->busy_ns && is_busy(c->real)) {
            uint64_t part = RD_MIN(c->busy_ns, (uint64_t)SLICE);
            ns = RD_MAX(ns, part);
            c->busy_ns -= part;
        }
    }
    return ns;
}

uint64_t rd_io_child_busy(void) {
    const struct rd_io_children any = {.type = P_ALL, .options = WEXITED};
    return all ? patience(&any, true) : 0;
}

void rd_io_child_settle(const struct rd_io_children *w) {
    uint64_t ns = patience(w, false);
    while (ns && !rd_io_child_ready(w)) {
        pause_for(w, ns);
        ns = patience(w, true);
    }
    if (rd_io_child_ready(w))
        return;
    for (struct rd_child *c = all; c; c = c->next)
        if (names(w, c))
            c->patience_ns = RD_MAX(c->patience_ns / 2, (uint64_t)PATIENCE_MIN);
}

/*
 * Threads that wait for the child already give it the same time as threads that begin to wait: otherwise it would
 * be chance whether they are enabled.
 */
void rd_child_began(struct rd_child *c, pid_t real) {
    RD_CHECK(real > 0 && !c->was); /* an entry is for one process */
    c->real = c->was = real;
    for (uint32_t i = 0; i < rd_rt.engine.world.count; i++) {
        const struct rd_io_children *w = rd_io_children_of((rd_tid)i);
        if (w && names(w, c))
            rd_io_child_settle(w);
    }
}
