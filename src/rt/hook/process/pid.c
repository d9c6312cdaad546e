/*
 * pid.c - functions that take or return numbers of processes: the program sees made-up numbers
 * (rt/process/child_table.h). In a copy of the program that has left control, numbers from before the copy keep
 * their meaning.
 */
#include "rt/process/child_table.h"
#include "rt/hook/hook.h"

#include <errno.h>
#include <signal.h>
#include <sys/pidfd.h>
#include <sys/syscall.h>
#include <unistd.h>

RD_EXPORT pid_t getpid(void) { return rd_rt_active() ? RD_PID : rd_self ? RD_REAL(getpid)() : rd_pid_of_copy(); }
RD_EXPORT pid_t getppid(void) {
    return rd_rt_active() ? RD_PID_PARENT : rd_self ? RD_REAL(getppid)() : rd_pid_of_parent();
}
RD_EXPORT pid_t gettid(void) { return rd_rt_active() ? RD_PID + rd_self->tid : RD_REAL(gettid)(); }

/* Performs the operation of a signal to a child; none for other processes. */
static void signals(pid_t pid, uint64_t pc) {
    if (pid > 0 && rd_rt_active() && rd_child_find(pid))
        rd_child_touch(RD_OP_PROCESS_SIGNAL, rd_child_find(pid), pc);
}

/*
 * Returns whether the signal is for the program's group, or for all processes. The kernel must not send such a
 * signal: processes of Raddle are in the group.
 */
static bool is_group(pid_t pid) { return pid == 0 || pid == -1 || pid == -RD_PID_GROUP; }

RD_EXPORT int kill(pid_t pid, int sig) {
    if (rd_rt_active() && pid == RD_PID_PARENT && sig) {
        rd_rt_enter();
        rd_rt_refuse("the program sends a signal to its parent, which is raddle; test it without");
    }
    if (rd_rt_active() && is_group(pid)) {
        rd_child_signal_group(sig);
        pid = RD_PID;
    }
    if (pid == RD_PID && rd_hook_on())
        return rd_hook_kill_self(sig, RD_PC());
    signals(pid, RD_PC());
    return RD_REAL(kill)(rd_pid_real(pid), sig);
}

RD_EXPORT int killpg(pid_t group, int sig) {
    if (group < 0) {
        errno = EINVAL;
        return -1;
    }
    return kill(-group, sig);
}

RD_EXPORT int sigqueue(pid_t pid, int sig, const union sigval value) {
    if (pid == RD_PID && rd_hook_on())
        return rd_hook_queue_self(sig, value, RD_PC());
    signals(pid, RD_PC());
    return RD_REAL(sigqueue)(rd_pid_real(pid), sig, value);
}

RD_EXPORT int tgkill(pid_t process, pid_t thread, int sig) {
    return (int)syscall(SYS_tgkill, process, thread, sig);
}

/*
 * The program has called setpgid() for itself. Until then it is not the leader of its group, except under a
 * debugger, which makes it the leader; the program is not to see that difference.
 */
static bool chose_group;

static pid_t group_virtual(pid_t real) {
    if (rd_rt_active() && rd_rt.channel->config.debugger && !chose_group && real == rd_pid_real(RD_PID))
        return RD_PID_GROUP;
    return rd_pid_virtual(real);
}

RD_EXPORT pid_t getpgid(pid_t pid) { return group_virtual(RD_REAL(getpgid)(rd_pid_real(pid))); }
RD_EXPORT int setpgid(pid_t pid, pid_t group) {
    int r = RD_REAL(setpgid)(rd_pid_real(pid), rd_pid_real(group));
    chose_group |= r == 0 && (pid == 0 || pid == RD_PID);
    return r;
}
RD_EXPORT pid_t getpgrp(void) { return group_virtual(RD_REAL(getpgrp)()); }
RD_EXPORT pid_t getsid(pid_t pid) { return rd_pid_virtual(RD_REAL(getsid)(rd_pid_real(pid))); }
RD_EXPORT pid_t setsid(void) { return rd_pid_virtual(RD_REAL(setsid)()); }

RD_EXPORT int pidfd_open(pid_t pid, unsigned flags) {
    return (int)syscall(SYS_pidfd_open, rd_pid_real(pid), flags);
}
