/*
 * worker.c - starts tested processes and waits for their ends (worker.h).
 *
 * Every execution reads the driver's standard input from its beginning: a file is rewound, a pipe is read once into
 * a file in memory. The output of the program goes to another file in memory. launch.h says how a program is
 * started, process_group.h which group it is in, watchdog.h how it is watched.
 */
#include "drive/process/worker.h"

#include "drive/real_clock.h"
#include "drive/deadline.h"
#include "drive/process/descendants.h"
#include "drive/process/process_group.h"
#include "drive/process/launch.h"
#include "drive/sharing_table.h"
#include "drive/process/task_look.h"
#include "drive/process/watchdog.h"

#include "explore/budget.h"
#include "trace/extents.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TICK_MS = 20 };

/*
 * The standard input of the program: /dev/null for a terminal, the file itself, or a copy of all that a pipe has.
 */
static int read_input(void) {
    struct stat st;
    if (fstat(0, &st) != 0 || S_ISCHR(st.st_mode))
        return open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (S_ISREG(st.st_mode))
        return fcntl(0, F_DUPFD_CLOEXEC, 3);
    int fd = memfd_create("raddle-input", MFD_CLOEXEC);
    char buffer[65536];
    ssize_t n = 1;
    while (fd >= 0 && n > 0) {
        struct pollfd p = {.fd = 0, .events = POLLIN};
        n = poll(&p, 1, -1) < 0
                ? -1
                : read(0, buffer, sizeof buffer); /* a signal interrupts the poll, and then nothing is read */
        if (n > 0 && write(fd, buffer, (size_t)n) != n)
            n = -1;
    }
    if (n < 0) { /* a part of the input would be a wrong input */
        close(fd);
        fd = -1;
    }
    return fd;
}

/*
 * Reads the input at the first call only: a pipe can be read once, and all processes of the command share the
 * copy.
 */
static int take_input(void) {
    static int taken = -1;
    if (taken < 0)
        taken = read_input();
    return taken < 0 ? -1 : fcntl(taken, F_DUPFD_CLOEXEC, 3);
}

/*
 * The table of extents (trace/extents.h). All processes that the driver starts share it, and the driver itself: a
 * search may move from one tested process to another, or run in the driver. -1: it could not be made, and calls of
 * library functions depend on everything.
 */
static int extents_fd(void) {
    static int fd;
    if (fd)
        return fd;
    fd = memfd_create("raddle-extents", MFD_CLOEXEC);
    void *at = MAP_FAILED;
    if (fd >= 0 && ftruncate(fd, RD_EXTENTS_SIZE) == 0)
        at = mmap((void *)RD_EXTENTS_AT, RD_EXTENTS_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_FIXED_NOREPLACE,
                  fd, 0);
    if (at == MAP_FAILED)
        fd = -1;
    else
        rd_extents_open(at, RD_EXTENTS_SIZE);
    return fd;
}

/* A hash of the pages that no tested process may write. */
static uint64_t protected_sum(const struct rd_channel *c) {
    const uint64_t *at = (const uint64_t *)(const void *)c;
    uint64_t h = 0;
    for (size_t i = 0; i < RD_CHANNEL_PROTECTED / sizeof *at; i++)
        h = rd_hash2(h, at[i]);
    return h;
}

void rd_worker_seal(struct rd_worker *w) {
    w->config = w->channel->config;
    w->sum = protected_sum(w->channel);
}

bool rd_worker_is_whole(const struct rd_worker *w) {
    return rd_channel_has_canaries(w->channel) && protected_sum(w->channel) == w->sum;
}

int rd_worker_open(struct rd_worker *w, const struct rd_config *config, const struct rd_channel_size *size,
                   struct rd_error *error) {
    struct rd_channel layout;
    memset(&layout, 0, sizeof layout);
    uint64_t bytes = rd_channel_layout(&layout, size);
    *w = (struct rd_worker){0};
    w->channel_fd = memfd_create("raddle-channel", MFD_CLOEXEC);
    w->output_fd = memfd_create("raddle-output", MFD_CLOEXEC);
    w->error_fd = config->separate ? memfd_create("raddle-errors", MFD_CLOEXEC) : w->output_fd;
    w->extents_fd = extents_fd();
    w->input_fd = take_input();
    if (w->input_fd < 0) {
        rd_error_set(error, "cannot read the standard input: %s", strerror(errno));
        return -1;
    }
    if (w->channel_fd < 0 || w->output_fd < 0 || w->error_fd < 0 || ftruncate(w->channel_fd, (off_t)bytes) != 0) {
        rd_error_set(error, "cannot create the shared memory, of %llu MiB: %s%s", (unsigned long long)(bytes >> 20),
                     strerror(errno),
                     errno == EFBIG ? " (ulimit -f; with -j 1 or a lower --max-steps it is smaller)" : "");
        return -1;
    }
    fcntl(w->output_fd, F_SETFL, O_APPEND);
    fcntl(w->error_fd, F_SETFL, O_APPEND);
    w->channel = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, w->channel_fd, 0);
    if (w->channel == MAP_FAILED) {
        rd_error_set(error, "cannot map the shared memory: %s", strerror(errno));
        return -1;
    }
    memcpy(w->channel, &layout, offsetof(struct rd_channel, config));
    w->size = bytes;
    w->channel->config = *config;
    rd_channel_set_canaries(w->channel);
    rd_worker_seal(w);
    return 0;
}

void rd_worker_close(struct rd_worker *w) {
    munmap(w->channel, w->size);
    if (w->search_fd)
        close(w->search_fd);
    close(w->channel_fd);
    if (w->error_fd != w->output_fd)
        close(w->error_fd);
    close(w->output_fd);
    close(w->input_fd);
}

/* In the child: becomes the program, or writes the error to the pipe `report`. */
static _Noreturn void become(const struct rd_worker *w, const struct rd_launch *l, int report) {
    setpgid(0, rd_process_group());
    rd_launch_drop_descriptors();
    if ((!w->hub_fd || dup2(w->hub_fd, RD_HUB_FD) == RD_HUB_FD) &&
        (!w->search_fd || dup2(w->search_fd, RD_SEARCH_FD) == RD_SEARCH_FD) &&
        (w->extents_fd < 0 || dup2(w->extents_fd, RD_EXTENTS_FD) == RD_EXTENTS_FD) &&
        (w->channel->config.sharing != RD_SHARING_SEARCH ||
         dup2(rd_sharing_table_fd(), RD_SHARING_FD) == RD_SHARING_FD))
        rd_launch_become(l);
    int error = errno;
    (void)!write(report, &error, sizeof error);
    _exit(127);
}

int rd_worker_start(struct rd_worker *w, const struct rd_target *t, struct rd_error *error) {
    struct rd_launch l;
    RD_CHECK(w->pid == 0);
    if (rd_launch_make(&l, w, t, error) != 0)
        return -1;
    if (!rd_worker_is_whole(
            w)) { /* an earlier process of this worker has damaged it: no offset there may be used */
        rd_error_set(error, "the program has written into the memory that it shares with raddle");
        rd_launch_free(&l);
        return -1;
    }
    w->channel->live.attached = 0;
    w->late = false;
    w->started_s = rd_clock_s();
    int trouble[2];
    if (rd_process_group() < 0 || pipe2(trouble, O_CLOEXEC) != 0 || (w->pid = fork()) < 0) {
        rd_error_set(error, "cannot start a process: %s", strerror(errno));
        rd_launch_free(&l);
        w->pid = 0;
        return -1;
    }
    if (w->pid == 0)
        become(w, &l, trouble[1]);
    rd_descendants_own(w->pid);
    close(trouble[1]);
    int failed = 0;
    ssize_t n = read(trouble[0], &failed, sizeof failed);
    close(trouble[0]);
    rd_launch_free(&l);
    if (n == (ssize_t)sizeof failed) {
        waitpid(w->pid, NULL, 0);
        rd_descendants_gone(w->pid);
        w->pid = 0;
        rd_error_set(error, "cannot run '%s': %s", t->path, strerror(failed));
        return -1;
    }
    return 0;
}

uint64_t rd_worker_output(const struct rd_worker *w, char *to, uint64_t room) {
    struct stat st;
    ssize_t n = pread(w->output_fd, to, room, 0);
    return n > 0 && fstat(w->output_fd, &st) == 0 ? (uint64_t)st.st_size : 0;
}

/* A program may print without end: frees the middle of the output, which is not read. */
static void thin_out(int fd) {
    struct stat st;
    off_t first = RD_OUTPUT_MAX, last = RD_OUTPUT_END;
    if (fstat(fd, &st) == 0 && st.st_size > first + 2 * last)
        fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, first, st.st_size - last - first);
}

void rd_worker_signal(const struct rd_worker *w, pid_t pid, int sig) {
    if (rd_descendants_is_of(pid, w->pid))
        kill(pid, sig);
}

/*
 * Ends the process in the stages of deadline.h. An execution that is given up is not counted. The explorer ends its
 * execution when the signal tells it to; if it does not, its process is killed, and the result of the search is
 * what the channel holds by then.
 */
static void finish(struct rd_worker *w, enum rd_stage stage) {
    struct rd_channel *c = w->channel;
    uint32_t why = rd_deadline_signalled() ? RD_STOP_SIGNAL : RD_STOP_TIME;
    /* that the time is over the search notices itself, unless its last execution takes too long */
    if (!c->live.stop && (why == RD_STOP_SIGNAL || stage > RD_STAGE_END))
        __atomic_store_n(&c->live.stop, why, __ATOMIC_RELAXED);
    pid_t pid = __atomic_load_n(&c->live.execution_pid, __ATOMIC_ACQUIRE);
    bool apart = pid > 0 && pid != c->live.explorer_pid && pid != w->pid;
    if (stage >= RD_STAGE_GIVE_UP && pid > 0 && rd_worker_is_whole(w)) {
        if (!c->live.abandoned)
            rd_task_look(pid, c->live.running_task ? c->live.running_task : pid, &c->live.stuck);
        c->live.abandoned = 1;
        rd_worker_signal(w, pid, stage >= RD_STAGE_KILL && apart ? SIGKILL : RD_WATCHDOG_SIGNAL);
    }
    if (stage == RD_STAGE_LAST) {
        c->live.abandoned = w->late = true;
        kill(w->pid, SIGKILL);
    }
}

/*
 * The process may have been killed while it wrote. Each finding in the channel is complete. The claim is complete
 * unless the search was at work.
 */
void rd_worker_settle(const struct rd_worker *w) {
    struct rd_channel *c = w->channel;
    struct rd_summary *s = &c->result.summary;
    if (!rd_worker_is_whole(w) || c->live.phase == RD_PHASE_TOLD)
        return;
    s->elapsed_ns = rd_deadline_elapsed_ns();
    if (s->end == RD_END_NONE || s->end == RD_END_COMPLETE)
        s->end = rd_end_of_stop(c);
    if (c->live.phase == RD_PHASE_SEARCH)
        s->claim = rd_claim_none();
    c->live.phase = RD_PHASE_TOLD;
}

/* A search that has findings ends earlier: the rest of the time is for minimising and confirming them. */
double rd_worker_spare(const struct rd_worker *w) {
    const struct rd_channel *c = w->channel;
    bool searches = c->live.phase != RD_PHASE_TOLD && w->spare_s == 0 && c->config.deadline_ns;
    if (!searches || !c->result.summary.found_count || !rd_worker_is_whole(w))
        return w->spare_s;
    return -(double)(c->live.time_max_ns - rd_budget_search_ns(c)) * 1e-9;
}

bool rd_worker_ended(struct rd_worker *w, struct rd_watchdog_state *k, int *status) {
    RD_CHECK(w->pid > 0); /* waitpid(0) would take the end of another process */
    pid_t done = waitpid(w->pid, status, WNOHANG);
    rd_descendants_reap();
    if (done == w->pid || (done < 0 && errno != EINTR)) {
        rd_descendants_gone(w->pid);
        w->pid = 0;
        rd_watchdog_ended(w, k);
        if (w->late && w->channel->live.explorer_pid > 0)
            rd_worker_settle(w);
        return true;
    }
    thin_out(w->output_fd);
    if (w->error_fd != w->output_fd)
        thin_out(w->error_fd);
    enum rd_stage stage = rd_deadline_stage(rd_worker_spare(w));
    if (stage != RD_STAGE_BEFORE)
        finish(w, stage);
    else
        rd_watchdog(w, k);
    return false;
}

void rd_worker_tick(const struct rd_worker *w) {
    struct rd_progress p;
    if (!w->tick)
        return;
    rd_channel_progress(w->channel, &p);
    w->tick(&p);
}

int rd_worker_wait(struct rd_worker *w) {
    int pidfd = (int)syscall(SYS_pidfd_open, w->pid, 0);
    struct rd_watchdog_state k = {0};
    int status = 0;
    for (;;) {
        struct pollfd p = {.fd = pidfd, .events = POLLIN};
        if (pidfd >= 0)
            poll(&p, 1, TICK_MS);
        else
            usleep(1000);
        if (rd_worker_ended(w, &k, &status))
            break;
        rd_worker_tick(w);
    }
    if (pidfd >= 0)
        close(pidfd);
    return status;
}

void rd_worker_clear_output(const struct rd_worker *w) {
    (void)!ftruncate(w->output_fd, 0);
    (void)!ftruncate(w->error_fd, 0);
}

bool rd_worker_needs_lazy(const struct rd_worker *w, int status) {
    return rd_worker_is_whole(w) && !w->channel->live.attached && !w->lazy && WIFEXITED(status) &&
           WEXITSTATUS(status) == 127;
}

int rd_worker_run(struct rd_worker *w, const struct rd_target *t, int *status, struct rd_error *error) {
    for (;;) {
        if (rd_worker_start(w, t, error) != 0)
            return -1;
        *status = rd_worker_wait(w);
        if (!rd_worker_needs_lazy(w, *status))
            return 0;
        w->lazy = true;
        rd_worker_clear_output(w);
    }
}
