/*
 * descendants.c - see descendants.h. rd_descendants_end looks only at the children of this process: when a child is
 * killed, the kernel makes its children ours, so after a few rounds no descendant is left. The children are found
 * in /proc, which is read by system calls alone: a signal handler may call rd_descendants_end at any moment, also
 * while libc holds a lock.
 *
 * A shell that becomes the driver (`exec raddle`) leaves its own children to it. rd_descendants_adopt notes them,
 * and they are never killed.
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

enum { EARLIER_MAX = 256, OWN_MAX = 256, ENTRIES = 8192, NAME = 32, ROUNDS = 200, ROUND_MS = 2 };

/* An entry of a directory, as getdents64 writes it. */
struct entry {
    uint64_t inode;
    int64_t offset;
    uint16_t size;
    uint8_t type;
    char name[];
};

static struct {
    pid_t earlier[EARLIER_MAX]; /* children that this process had before it adopted */
    pid_t own[OWN_MAX];         /* processes that their starter waits for */
    uint32_t earlier_count, own_count;
    pid_t self; /* the subreaper; 0: rd_descendants_adopt was not called */
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

/* The parent of a process, from "PID (NAME) STATE PARENT …"; NAME may contain a ')'. 0: the process is gone. */
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

/* Calls `each` for every child of this process that it did not have before it adopted. Returns their number. */
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
                is_among(family.earlier, family.earlier_count, pid))
                continue;
            each(pid);
            count++;
        }
    if (proc >= 0)
        close(proc);
    return count;
}

static void note_earlier(pid_t pid) {
    if (family.earlier_count < EARLIER_MAX)
        family.earlier[family.earlier_count++] = pid;
}

void rd_descendants_adopt(void) {
    if (family.self || prctl(PR_SET_CHILD_SUBREAPER, 1) != 0)
        return;
    pid_t self = getpid();
    family.self = self;
    each_child(note_earlier);
}

void rd_descendants_own(pid_t pid) {
    RD_CHECK(pid > 0);
    if (family.own_count < OWN_MAX)
        family.own[family.own_count++] = pid;
}

void rd_descendants_gone(pid_t pid) {
    for (uint32_t i = 0; i < family.own_count; i++)
        if (family.own[i] == pid)
            family.own[i--] = family.own[--family.own_count];
}

bool rd_descendants_is_of(pid_t pid, pid_t worker) {
    char name[NAME];
    int proc = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    snprintf(name, sizeof name - 8, "%d", (int)pid);
    pid_t parent = proc >= 0 && pid > 1 ? parent_of(proc, name) : 0;
    if (proc >= 0)
        close(proc);
    bool adopted = parent == getpid() && !is_among(family.own, family.own_count, pid) &&
                   !is_among(family.earlier, family.earlier_count, pid);
    return pid > 1 && (pid == worker || parent == worker || adopted);
}

/*
 * waitid shows one ended child at a time. If its starter waits for it, the function returns: the ended children
 * behind it are shown after the starter has waited. If `own` is full, a child may be missing in it, and none is
 * reaped.
 */
void rd_descendants_reap(void) {
    siginfo_t info;
    for (uint32_t i = 0; i < ROUNDS && family.self == getpid() && family.own_count < OWN_MAX; i++) {
        info.si_pid = 0;
        if (waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0 ||
            is_among(family.own, family.own_count, info.si_pid) ||
            is_among(family.earlier, family.earlier_count, info.si_pid))
            return;
        waitpid(info.si_pid, NULL, WNOHANG);
    }
}

static void end(pid_t pid) {
    RD_CHECK(pid > 1 && pid != family.self);
    kill(pid, SIGKILL);
    waitpid(pid, NULL, WNOHANG);
}

void rd_descendants_end(void) {
    for (uint32_t i = 0; i < ROUNDS && family.self == getpid() && each_child(end) > 0; i++)
        poll(NULL, 0, ROUND_MS);
}
