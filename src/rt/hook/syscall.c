/*
 * syscall.c - libc's syscall(). A system call by number of a thread under control gets the answer of the hook of
 * libc's function of that name; calls without such a hook go to the kernel unchanged. syscall() may run before the
 * library is relocated, so it tests `rd_rt.on` first (hook.h), and the call to the kernel uses only errno of
 * libc.
 *
 * All functions here return the kernel's results (-errno for an error), which syscall() translates at the end.
 */
#include "rt/hook/process/child.h"
#include "base/text.h"
#include "rt/hook/sync/futex.h"
#include "rt/hook/syscall.h"
#include "rt/hook/io/syscall_io.h"
#include "rt/raw.h"
#include "rt/isolate/syscall_trap.h"
#include "trace/place.h"

#include <errno.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <stdarg.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* rd_hook_copy's `call`: makes the system call a[0] with the arguments a[1] … a[5]. */
static long by_clone(const long a[6]) {
    const long given[6] = {a[1], a[2], a[3], a[4], a[5], 0};
    long r = rd_trap_call(a[0], given);
    errno = r < 0 ? (int)-r : errno;
    return r < 0 ? -1 : r;
}

/*
 * The flags for a clone call of the program. A copy of the process (without CLONE_VM) runs as it would without
 * Raddle; a process that borrows the memory until it has ended (CLONE_VFORK) gets a copy instead; a new thread is
 * refused.
 */
static uint64_t process_flags(uint64_t flags, const char *call) {
    char what[192];
    struct rd_text t;
    if (!(flags & CLONE_VM) || (flags & CLONE_VFORK))
        return flags & ~(uint64_t)CLONE_VM;
    rd_text_init(&t, what, sizeof what);
    rd_text_str(&t, "the program calls ");
    rd_text_str(&t, call);
    rd_text_str(&t, " to start a thread, which raddle cannot control; make it with pthread_create()");
    rd_rt_refuse(what);
}

/* From libc's convention to the kernel's. */
static long kernel_result(long r) { return r == -1 ? -errno : r; }

static long clone_process(long number, const long a[6], uint64_t pc) {
    long call[6] = {number, a[0], a[1], a[2], a[3], a[4]};
    struct clone_args args;
    rd_rt_enter();
    if (number == SYS_clone3) {
        memset(&args, 0, sizeof args);
        memcpy(&args, (const void *)a[0], RD_MIN((size_t)a[1], sizeof args));
        args.flags = process_flags(args.flags, "syscall(SYS_clone3)");
        call[1] = (long)&args;
    } else {
        call[1] = (long)process_flags((uint64_t)a[0], "syscall(SYS_clone)");
    }
    rd_rt_leave();
    return kernel_result(rd_hook_copy(by_clone, call, false, pc));
}

/* The copy of the process has a copy of the calling thread's stack, and does not use `stack`. */
RD_EXPORT int clone(int (*fn)(void *), void *stack, int flags, void *arg, ...) {
    va_list list;
    va_start(list, arg);
    pid_t *parent = va_arg(list, pid_t *);
    void *tls = va_arg(list, void *);
    pid_t *child = va_arg(list, pid_t *);
    va_end(list);
    if (!rd_rt_active())
        return RD_REAL(clone)(fn, stack, flags, arg, parent, tls, child);
    rd_rt_enter();
    long kept = (long)process_flags((unsigned)flags, "clone()");
    rd_rt_leave();
#ifdef __aarch64__
    const long call[6] = {SYS_clone, kept, 0, (long)parent, (long)tls, (long)child};
#else
    const long call[6] = {SYS_clone, kept, 0, (long)parent, (long)child, (long)tls};
#endif
    pid_t pid = rd_hook_copy(by_clone, call, false, RD_PC());
    if (pid == 0)
        _exit(fn(arg));
    return pid;
}

static long send_signal(long number, const long a[6], uint64_t pc) {
    if (number == SYS_kill && a[0] == getpid() && rd_rt.threaded)
        return kernel_result(rd_hook_kill_self((int)a[1], pc));
    if (number == SYS_kill)
        return kernel_result(kill((pid_t)a[0], (int)a[1]));
    long tid = (number == SYS_tkill ? a[0] : a[1]) - getpid();
    int sig = (int)(number == SYS_tkill ? a[1] : a[2]);
    if (tid < 0 || tid >= RD_TID_MAX || !rd_rt.threads[tid] || (number == SYS_tgkill && a[0] != getpid()))
        return rd_trap_call(number, (const long[6]){rd_pid_real((pid_t)a[0]),
                                                    number == SYS_tkill ? a[1] : rd_pid_real((pid_t)a[1]), a[2]});
    if (tid == rd_self->tid)
        return kernel_result(raise(sig)); /* the handler has to run before the call returns */
    return -rd_hook_kill_thread(rd_rt.threads[tid], sig, pc);
}

static long leave(long number, const long a[6], uint64_t pc) {
    if (number == SYS_exit && rd_self->tid != 0)
        pthread_exit(NULL);
    rd_hook_exit((int)a[0], pc);
}

static long yield(uint64_t pc) {
    rd_rt_op((struct rd_op){.kind = RD_OP_YIELD, .pc = pc});
    return 0;
}

#ifdef SYS_fork
static const long fork_like[6] = {SIGCHLD};
#endif

bool rd_hook_syscall_has(long number) {
    switch (number) {
    case SYS_futex:
#ifdef SYS_futex_waitv
    case SYS_futex_waitv:
#endif
    case SYS_gettid:
    case SYS_getpid:
    case SYS_getppid:
    case SYS_kill:
    case SYS_tkill:
    case SYS_tgkill:
    case SYS_sched_yield:
    case SYS_nanosleep:
    case SYS_clock_nanosleep:
    case SYS_clock_gettime:
    case SYS_gettimeofday:
#ifdef SYS_time
    case SYS_time:
#endif
    case SYS_getrandom:
    case SYS_wait4:
    case SYS_waitid:
        return true;
    default:
        return rd_hook_syscall_io_has(number);
    }
}

/*
 * Returns whether the kernel answers EFAULT to this call: the hook, like libc's function, would crash at the bad
 * pointer. (The hook of futex answers EFAULT itself.)
 */
static bool faults(long number, const long a[6]) {
    uint64_t value;
    long at = 0;
    if (number == SYS_nanosleep)
        at = a[0];
    else if (number == SYS_clock_nanosleep)
        at = a[2];
    else if (number == SYS_clock_gettime)
        at = a[1];
    else if (number == SYS_gettimeofday && a[0])
        at = a[0];
#ifdef SYS_poll
    else if (number == SYS_poll && a[1] > 0)
        at = a[0];
#endif
    else
        return false;
    unsigned region = rd_place_region(rd_place_of((uint64_t)at));
    bool known = region >= RD_PLACE_MODULE && region < RD_PLACE_IO;
    return !known && !rd_rt_peek((uint64_t)at, 8, &value);
}

/* Announces the memory in which the kernel stores results, where no operation of the call's hook announces it. */
static void announce_results(long number, const long a[6], uint64_t pc) {
    long at = number == SYS_clock_gettime || number == SYS_wait4 ? a[1] : number == SYS_waitid ? a[2] : a[0];
    switch (number) {
    case SYS_getrandom:
        rd_hook_result((void *)at, (uint32_t)RD_MIN((unsigned long)a[1], (unsigned long)UINT32_MAX), pc);
        break;
    case SYS_clock_gettime:
    case SYS_gettimeofday:
        rd_hook_result((void *)at, sizeof(struct timespec), pc);
        break;
#ifdef SYS_time
    case SYS_time:
        rd_hook_result((void *)at, sizeof(time_t), pc);
        break;
#endif
    case SYS_wait4:
        rd_hook_result((void *)at, sizeof(int), pc);
        break;
    case SYS_waitid:
        rd_hook_result((void *)at, sizeof(siginfo_t), pc);
        break;
    default:
        break;
    }
}

long rd_hook_syscall(long number, const long a[6], uint64_t pc) {
    long result;
    if (RD_UNLIKELY(faults(number, a)))
        return -EFAULT;
    announce_results(number, a, pc);
    switch (number) {
    case SYS_futex:
        return rd_hook_futex(a, pc);
#ifdef SYS_futex_waitv
    case SYS_futex_waitv:
        rd_rt_enter();
        rd_rt_refuse(
            "the program calls syscall(SYS_futex_waitv), which raddle cannot control; test it with one futex "
            "or a condition variable in its place");
#endif
    case SYS_gettid:
        return gettid();
    case SYS_getpid:
        return getpid();
    case SYS_getppid:
        return getppid();
    case SYS_kill:
    case SYS_tkill:
    case SYS_tgkill:
        return send_signal(number, a, pc);
    case SYS_sched_yield:
        return yield(pc);
    case SYS_nanosleep:
        return -rd_hook_sleep((const struct timespec *)a[0], pc);
    case SYS_clock_nanosleep:
        return -rd_hook_clock_sleep((clockid_t)a[0], (int)a[1], (const struct timespec *)a[2], pc);
    case SYS_clock_gettime:
        return kernel_result(clock_gettime((clockid_t)a[0], (struct timespec *)a[1]));
    case SYS_gettimeofday:
        return a[0] ? kernel_result(gettimeofday((struct timeval *)a[0], NULL)) : 0;
#ifdef SYS_time
    case SYS_time:
        return kernel_result(time((time_t *)a[0]));
#endif
    case SYS_getrandom:
        return kernel_result(getrandom((void *)a[0], (size_t)a[1], (unsigned)a[2]));
    case SYS_exit:
    case SYS_exit_group:
        return leave(number, a, pc);
#ifdef SYS_fork
    case SYS_fork:
    case SYS_vfork:
        return clone_process(SYS_clone, fork_like, pc);
#endif
    case SYS_clone:
    case SYS_clone3:
        return clone_process(number, a, pc);
    case SYS_execve:
        return kernel_result(execve((const char *)a[0], (char *const *)a[1], (char *const *)a[2]));
    case SYS_seccomp:
        rd_hook_no_seccomp(a[0] == SECCOMP_SET_MODE_STRICT || a[0] == SECCOMP_SET_MODE_FILTER);
        return rd_trap_call(number, a);
    case SYS_prctl:
        rd_hook_no_seccomp(a[0] == PR_SET_SECCOMP);
        if (rd_hook_prctl(a[0], a[1]))
            return 0;
        return rd_trap_call(number, a);
    case SYS_wait4:
        return kernel_result(wait4((pid_t)a[0], (int *)a[1], (int)a[2], (struct rusage *)a[3]));
    case SYS_waitid:
        return kernel_result(waitid((idtype_t)a[0], (id_t)a[1], (siginfo_t *)a[2], (int)a[3]));
    case SYS_pidfd_open:
        return rd_trap_call(number, (const long[6]){rd_pid_real((pid_t)a[0]), a[1]});
    default:
        return rd_hook_syscall_io(number, a, pc, &result) ? result : rd_trap_call(number, a);
    }
}

RD_EXPORT long syscall(long number, ...) {
    long a[6];
    va_list list;
    va_start(list, number);
    for (unsigned i = 0; i < RD_COUNT(a); i++)
        a[i] = va_arg(list, long); /* arguments that were not passed have any value, which is not used */
    va_end(list);
    long r;
    if (rd_rt.on && rd_rt_active())
        r = rd_hook_syscall(number, a, RD_PC());
    else if (rd_rt.on)
        r = rd_trap_call(number, a);
    else
        r = rd_raw(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (r < 0 && r > -4096) {
        errno = (int)-r;
        return -1;
    }
    return r;
}
