/*
 * identity.c - users and groups of the process. In the kernel each thread has its own, so libc signals all threads
 * of the process to change theirs, and waits until they have. The carriers, which only lend their stacks here
 * (virtual_backend.c) and do not exist after a fork, would never do so. Here the hook changes them only in the one
 * kernel thread that runs the program.
 */
#include "rt/hook/hook.h"
#include "rt/isolate/syscall_trap.h"

#include <errno.h>
#include <grp.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Returns whether one kernel thread runs all threads of the program. */
static bool alone(void) { return rd_hook_on() && rd_rt.backend == &rd_backend_virtual; }

static int change(long number, long a, long b, long c) {
    long r = rd_trap_call(number, (const long[6]){a, b, c});
    if (r < 0)
        errno = (int)-r;
    return r < 0 ? -1 : 0;
}

RD_EXPORT int setuid(uid_t user) { return alone() ? change(SYS_setuid, user, 0, 0) : RD_REAL(setuid)(user); }
RD_EXPORT int setgid(gid_t group) { return alone() ? change(SYS_setgid, group, 0, 0) : RD_REAL(setgid)(group); }

RD_EXPORT int seteuid(uid_t user) { return alone() ? change(SYS_setresuid, -1, user, -1) : RD_REAL(seteuid)(user); }
RD_EXPORT int setegid(gid_t group) {
    return alone() ? change(SYS_setresgid, -1, group, -1) : RD_REAL(setegid)(group);
}

RD_EXPORT int setreuid(uid_t real, uid_t now) {
    return alone() ? change(SYS_setreuid, real, now, 0) : RD_REAL(setreuid)(real, now);
}
RD_EXPORT int setregid(gid_t real, gid_t now) {
    return alone() ? change(SYS_setregid, real, now, 0) : RD_REAL(setregid)(real, now);
}

RD_EXPORT int setresuid(uid_t real, uid_t now, uid_t saved) {
    return alone() ? change(SYS_setresuid, real, now, saved) : RD_REAL(setresuid)(real, now, saved);
}
RD_EXPORT int setresgid(gid_t real, gid_t now, gid_t saved) {
    return alone() ? change(SYS_setresgid, real, now, saved) : RD_REAL(setresgid)(real, now, saved);
}

RD_EXPORT int setgroups(size_t count, const gid_t *groups) {
    return alone() ? change(SYS_setgroups, (long)count, (long)(uintptr_t)groups, 0)
                   : RD_REAL(setgroups)(count, groups);
}
