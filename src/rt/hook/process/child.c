/*
 * child.c - processes that the program starts, and waiting for them. A child is not controlled: a copy of this
 * process leaves control at once, and from then on every hook in it calls libc. Starting a child and waiting for it
 * are operations. A thread that waits lets other threads run, and the hook calls the kernel when that can answer at
 * once.
 */
#include "rt/hook/process/child.h"
#include "rt/hook/hook.h"
#include "rt/raw.h"

#include <errno.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- copies ---- */

/* In a new copy of the process: it is not controlled from now on. */
static void leave_control(const struct rd_child *c, pid_t parent_real) {
    cpu_set_t unused;
    rd_affinity_lend(&unused);
    if (rd_rt.threaded)
        rd_hook_mask_lend(NULL);
    rd_rt.on = false;
    rd_self = NULL;
    rd_pid_copied(c->number, parent_real);
    rd_child_locks();
}

/* Prepares for a child process, and notes that the execution has one. */
static void expect_child(void) {
    rd_sigchld_hold();
    rd_io_shared();
    rd_rt.engine.rec.out->children = 1;
}

/*
 * A fork in a process that is not controlled. If that process is itself a copy, its child notes its parent's
 * number.
 */
static pid_t copy_outside(long (*call)(const long a[6]), const long a[6]) {
    pid_t parent = (pid_t)rd_raw(SYS_getpid);
    pid_t pid = (pid_t)call(a);
    if (pid == 0 && !rd_self)
        rd_pid_copied(0, parent);
    return pid;
}

pid_t rd_hook_copy(long (*call)(const long a[6]), const long a[6], bool with_handlers, uint64_t pc) {
    RD_CHECK(rd_rt_active());
    unsigned count = with_handlers ? rd_atfork_prepare() : 0;
    struct rd_child *c = rd_child_new();
    rd_child_touch(RD_OP_PROCESS_START, c, pc);
    rd_rt_enter();
    expect_child();
    pid_t parent = (pid_t)rd_raw(SYS_getpid);
    RD_CHECK(!rd_atfork_by_us); /* no other thread runs between here and the end of the call */
    rd_atfork_by_us = true;
    pid_t pid = (pid_t)call(a);
    rd_atfork_by_us = false;
    if (pid == 0) {
        leave_control(c, parent);
        rd_atfork_child(count);
        return 0;
    }
    if (pid > 0) {
        rd_child_began(c, pid);
        rd_sigchld_settle(c);
    }
    rd_rt_leave();
    int saved = errno;
    rd_atfork_parent(count);
    errno = saved;
    return pid > 0 ? c->number : pid;
}

static long by_fork(const long a[6]) {
    (void)a;
    return RD_REAL(fork)();
}

static long by_bare_fork(const long a[6]) {
    (void)a;
    return RD_REAL(_Fork)();
}

RD_EXPORT pid_t fork(void) {
    return rd_rt_active() ? rd_hook_copy(by_fork, NULL, true, RD_PC()) : copy_outside(by_fork, NULL);
}

/* Not a real vfork, whose child would run the hooks in the memory of this process. */
RD_EXPORT pid_t vfork(void) {
    return rd_rt_active() ? rd_hook_copy(by_bare_fork, NULL, false, RD_PC()) : copy_outside(by_bare_fork, NULL);
}

RD_EXPORT pid_t _Fork(void) {
    return rd_rt_active() ? rd_hook_copy(by_bare_fork, NULL, false, RD_PC()) : copy_outside(by_bare_fork, NULL);
}

/* ---- other programs ---- */

/* The attributes with the kernel's number of the process group, where they name one of Raddle's made-up numbers. */
static const posix_spawnattr_t *with_group(const posix_spawnattr_t *attr, posix_spawnattr_t *own) {
    pid_t group = 0;
    if (!attr || posix_spawnattr_getpgroup(attr, &group) != 0 || group < RD_PID_SESSION)
        return attr;
    *own = *attr;
    posix_spawnattr_setpgroup(own, rd_pid_real(group));
    return own;
}

int rd_hook_spawn(pid_t *pid, const struct rd_spawn *s, uint64_t pc) {
    RD_CHECK(rd_rt_active());
    struct rd_child *c = rd_child_new();
    rd_child_touch(RD_OP_PROCESS_START, c, pc);
    rd_rt_enter();
    expect_child();
    pid_t real = 0;
    cpu_set_t before;
    posix_spawnattr_t own;
    sigset_t mask;
    if (rd_rt.threaded)
        rd_hook_mask_lend(&mask);
    bool lent = rd_affinity_lend(&before);
    int error = (s->search ? RD_REAL(posix_spawnp) : RD_REAL(posix_spawn))(
        &real, s->file, s->actions, with_group(s->attr, &own), s->argv, s->envp);
    if (lent)
        rd_affinity_return(&before);
    if (rd_rt.threaded)
        RD_REAL(pthread_sigmask)(SIG_SETMASK, &mask, NULL);
    if (!error) {
        rd_child_began(c, real);
        rd_sigchld_settle(c);
        if (pid)
            *pid = c->number;
    }
    rd_rt_leave();
    return error;
}

RD_EXPORT int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                          const posix_spawnattr_t *attr, char *const argv[], char *const envp[]) {
    if (!rd_rt_active())
        return RD_REAL(posix_spawn)(pid, path, actions, attr, argv, envp);
    struct rd_spawn s = {path, actions, attr, argv, envp, false};
    return rd_hook_spawn(pid, &s, RD_PC());
}

RD_EXPORT int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                           const posix_spawnattr_t *attr, char *const argv[], char *const envp[]) {
    if (!rd_rt_active())
        return RD_REAL(posix_spawnp)(pid, file, actions, attr, argv, envp);
    struct rd_spawn s = {file, actions, attr, argv, envp, true};
    return rd_hook_spawn(pid, &s, RD_PC());
}

/* ---- waiting ---- */

static struct rd_io_children which(int type, uint32_t id, int options) {
    struct rd_io_children c = {.type = type, .options = options, .id = id};
    if (type == P_PID || type == P_PGID)
        c.id = (uint32_t)rd_pid_real((pid_t)id);
    return c;
}

/*
 * Calls waitid. Returns 0 or -errno; info->si_pid is 0 when no child has changed its state. pre: inside the runtime
 */
static long ask(const struct rd_io_children *c, siginfo_t *info, bool may_block) {
    RD_CHECK(rd_self->inside > 0);
    memset(info, 0, sizeof *info);
    long r = rd_raw(SYS_waitid, c->type, c->id, info, c->options | (may_block ? 0 : WNOHANG), NULL);
    if (r < 0 || info->si_pid == 0)
        return r;
    pid_t real = info->si_pid;
    bool over = info->si_code == CLD_EXITED || info->si_code == CLD_KILLED || info->si_code == CLD_DUMPED;
    info->si_pid = rd_pid_virtual(real);
    if (over && !(c->options & WNOWAIT))
        rd_child_reaped(real);
    return 0;
}

/* The operation before the call: enabled when waitid has a result (with WNOHANG: always). Returns 0 or EINTR. */
static int wait_turn(const struct rd_io_children *c, struct rd_child *child, uint64_t pc) {
    struct pollfd none[2] = {{.fd = -1}, {.fd = -1}};
    struct rd_io_file *files[2] = {rd_child_file(child), child ? rd_child_file(NULL) : NULL};
    struct rd_io_wait w = {.fds = none, .files = files, .count = RD_COUNT(none), .children = c};
    w.never = c->options & WNOHANG;
    return rd_io_op_many(RD_OP_PROCESS_WAIT, &w, 0, pc);
}

/* As waitid(). */
static int await(int type, uint32_t id, siginfo_t *info, int options, uint64_t pc) {
    struct rd_child *child = type == P_PID ? rd_child_find((pid_t)id) : NULL;
    struct rd_io_children c = which(type, id, options);
    bool threads = rd_rt.threaded, waits = !(options & WNOHANG);
    for (;;) {
        int error = threads ? wait_turn(&c, child, pc) : 0;
        if (error) {
            errno = error;
            return -1;
        }
        rd_rt_enter();
        if (threads && !waits) { /* a child that is about to end gets time to: so that executions differ less */
            rd_rt.engine.rec.out->waited_outside = 1;
            rd_io_child_settle(&c);
        }
        long r = ask(&c, info, !threads);
        rd_rt_leave();
        if (r < 0) {
            errno = (int)-r;
            return -1;
        }
        if (info->si_pid || !waits) {
            if (!info->si_pid && threads)
                rd_io_found_nothing(pc);
            return 0;
        }
        rd_io_not_yet(pc);
    }
}

/* The status word of wait() for a result of waitid(). */
static int status_of(const siginfo_t *info) {
    switch (info->si_code) {
    case CLD_EXITED:
        return (info->si_status & 0xff) << 8;
    case CLD_KILLED:
        return info->si_status;
    case CLD_DUMPED:
        return info->si_status | 0x80;
    case CLD_CONTINUED:
        return 0xffff;
    default: /* stopped, trapped */
        return info->si_status << 8 | 0x7f;
    }
}

pid_t rd_hook_waitpid(pid_t pid, int *status, int options, uint64_t pc) {
    siginfo_t info;
    int type = pid == -1 ? P_ALL : pid > 0 ? P_PID : P_PGID;
    uint32_t id = pid == -1 ? 0 : pid > 0 ? (uint32_t)pid : -(uint32_t)pid;
    if (options & ~(int)(WNOHANG | WUNTRACED | WCONTINUED | __WNOTHREAD | __WALL | __WCLONE)) {
        errno = EINVAL;
        return -1;
    }
    if (await(type, id, &info, options | WEXITED, pc) != 0)
        return -1;
    if (info.si_pid && status)
        *status = status_of(&info);
    return info.si_pid;
}

RD_EXPORT pid_t waitpid(pid_t pid, int *status, int options) {
    return rd_rt_active() ? rd_hook_waitpid(pid, status, options, RD_PC())
                          : RD_REAL(waitpid)(rd_pid_real(pid), status, options);
}

RD_EXPORT pid_t wait(int *status) {
    return rd_rt_active() ? rd_hook_waitpid(-1, status, 0, RD_PC()) : RD_REAL(wait)(status);
}

/* The resource usage of a child differs in every execution: the program sees zeros. */
static pid_t no_usage(pid_t pid, struct rusage *usage) {
    if (pid > 0 && usage)
        memset(usage, 0, sizeof *usage);
    return pid;
}

RD_EXPORT pid_t wait3(int *status, int options, struct rusage *usage) {
    if (!rd_rt_active())
        return RD_REAL(wait3)(status, options, usage);
    return no_usage(rd_hook_waitpid(-1, status, options, RD_PC()), usage);
}

RD_EXPORT pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage) {
    if (!rd_rt_active())
        return RD_REAL(wait4)(rd_pid_real(pid), status, options, usage);
    return no_usage(rd_hook_waitpid(pid, status, options, RD_PC()), usage);
}

RD_EXPORT int waitid(idtype_t type, id_t id, siginfo_t *info, int options) {
    siginfo_t own;
    if (rd_rt_active())
        return await((int)type, id, info ? info : &own, options, RD_PC());
    bool number = type == P_PID || type == P_PGID;
    return RD_REAL(waitid)(type, number ? (id_t)rd_pid_real((pid_t)id) : id, info, options);
}
