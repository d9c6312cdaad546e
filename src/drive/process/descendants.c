/*
 * descendants.c - see descendants.h. Only the children of this process are ever looked at: when one is killed, its
 * own children become ours, so after a few rounds there is nobody left. Who our children are is in /proc, which is
 * read by system calls alone, because a signal handler may do it in the middle of anything.
 *
 * A shell that becomes the driver (`exec raddle`) leaves it children of its own. They are noted first, and let be.
 */
#include "drive/process/descendants.h"

#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OTHERS_MAX = 256, OWN_MAX = 256, ENTRIES = 8192, NAME = 32, ROUNDS = 200, ROUND_MS = 2 };

struct entry { /* as getdents64 has it */
    uint64_t inode;
    int64_t offset;
    uint16_t size;
    uint8_t type;
    char name[];
};

static struct {
    pid_t others[OTHERS_MAX], own[OWN_MAX];
    uint32_t other_count, own_count;
    pid_t self; /* the process that adopts; 0: none */
} family;

static bool is_among(const pid_t *list, uint32_t count, pid_t pid) {
    for (uint32_t i = 0; i < count; i++)
        if (list[i] == pid)
            return true;
    return false;
}

static pid_t number(const char *digits) {
    long n = 0;
    for (; *digits >= '0' && *digits <= '9'; digits++)
        n = n * 10 + (*digits - '0');
    return (pid_t)n;
}

/* The parent of a process, by "PID (NAME) STATE PARENT …"; the name may be anything. 0: it is gone. */
static pid_t parent_of(int proc, const char *pid) {
    char path[NAME], text[512];
    strcpy(path, pid);
    strcat(path, "/stat");
    int fd = openat(proc, path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0)
        close(fd);
    text[n > 0 ? n : 0] = 0;
    const char *after = strrchr(text, ')');
    return after && strlen(after) > 4 ? number(after + 4) : 0;
}

/* Calls `each` for every child that this process has; how many there are. */
static uint32_t each_child(void (*each)(pid_t pid)) {
    char entries[ENTRIES] __attribute__((aligned(8)));
    uint32_t count = 0;
    long n;
    int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    while (proc >= 0 && (n = syscall(SYS_getdents64, proc, entries, sizeof entries)) > 0)
        for (long at = 0; at < n;) {
            const struct entry *e = (const void *)(entries + at);
            at += e->size;
            pid_t pid = strlen(e->name) < NAME - 8 ? number(e->name) : 0;
            if (pid <= 0 || parent_of(proc, e->name) != family.self ||
                is_among(family.others, family.other_count, pid))
                continue;
            each(pid);
            count++;
        }
    if (proc >= 0)
        close(proc);
    return count;
}

static void note_other(pid_t pid) {
    if (family.other_count < OTHERS_MAX)
        family.others[family.other_count++] = pid;
}

void rd_descendants_adopt(void) {
    if (family.self || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
        return;
    pid_t self = getpid();
    family.self = self;
    each_child(note_other);
}

void rd_descendants_own(pid_t pid) {
    if (family.own_count < OWN_MAX)
        family.own[family.own_count++] = pid;
}

void rd_descendants_gone(pid_t pid) {
    for (uint32_t i = 0; i < family.own_count; i++)
        if (family.own[i] == pid)
            family.own[i--] = family.own[--family.own_count];
}

/* One that somebody waits for is left to him; others that have ended come after it, the next time. */
void rd_descendants_reap(void) {
    siginfo_t info;
    for (uint32_t i = 0; i < ROUNDS && family.self == getpid() && family.own_count < OWN_MAX; i++) {
        info.si_pid = 0;
        if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0 ||
            is_among(family.own, family.own_count, info.si_pid) ||
            is_among(family.others, family.other_count, info.si_pid))
            return;
        waitpid(info.si_pid, NULL, WNOHANG);
    }
}

static void end(pid_t pid) {
    kill(pid, SIGKILL);
    waitpid(pid, NULL, WNOHANG);
}

void rd_descendants_end(void) {
    for (uint32_t i = 0; i < ROUNDS && family.self == getpid() && each_child(end) > 0; i++)
        poll(NULL, 0, ROUND_MS);
}
