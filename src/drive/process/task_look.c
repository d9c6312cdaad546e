/*
 * task_look.c - see task_look.h. /proc/PID/task/TID/syscall names the system call of a task that is blocked; of a
 * task that runs, or is ready to run, it says "running". The watchdog reads it before it sends its signal: the
 * signal ends the call, so its handler could not tell which call it was.
 */
#include "drive/process/task_look.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The system calls that can block, with their names. */
static const struct named_call {
    long number;
    bool descriptor; /* the first argument is a descriptor */
    const char *name;
} calls[] = {
#define DESCRIPTOR(name) \
    { SYS_##name, true, #name }
#define OTHER(name) \
    { SYS_##name, false, #name }
    DESCRIPTOR(read),
    DESCRIPTOR(write),
    DESCRIPTOR(readv),
    DESCRIPTOR(writev),
    DESCRIPTOR(pread64),
    DESCRIPTOR(pwrite64),
    DESCRIPTOR(recvfrom),
    DESCRIPTOR(recvmsg),
    DESCRIPTOR(recvmmsg),
    DESCRIPTOR(sendto),
    DESCRIPTOR(sendmsg),
    DESCRIPTOR(sendmmsg),
    DESCRIPTOR(accept),
    DESCRIPTOR(accept4),
    DESCRIPTOR(connect),
    DESCRIPTOR(epoll_pwait),
    DESCRIPTOR(flock),
    DESCRIPTOR(fcntl),
    DESCRIPTOR(ioctl),
    DESCRIPTOR(fsync),
    DESCRIPTOR(fdatasync),
    DESCRIPTOR(close),
    DESCRIPTOR(sendfile),
    DESCRIPTOR(splice),
    DESCRIPTOR(tee),
    DESCRIPTOR(copy_file_range),
    DESCRIPTOR(io_uring_enter),
    DESCRIPTOR(mq_timedreceive),
    DESCRIPTOR(mq_timedsend),
    OTHER(futex),
    OTHER(ppoll),
    OTHER(pselect6),
    OTHER(wait4),
    OTHER(waitid),
    OTHER(nanosleep),
    OTHER(clock_nanosleep),
    OTHER(openat),
    OTHER(msgrcv),
    OTHER(msgsnd),
    OTHER(semop),
    OTHER(semtimedop),
    OTHER(io_getevents),
    OTHER(rt_sigtimedwait),
    OTHER(rt_sigsuspend),
    OTHER(clone),
    OTHER(exit),
    OTHER(kill),
    OTHER(tkill),
    OTHER(tgkill),
    OTHER(mmap),
#ifdef SYS_poll
    DESCRIPTOR(epoll_wait),
    OTHER(poll),
    OTHER(select),
    OTHER(pause),
    OTHER(open),
    OTHER(vfork),
#endif
#ifdef SYS_futex_waitv
    OTHER(futex_waitv),
#endif
#ifdef SYS_futex_wait
    OTHER(futex_wait),
#endif
#undef DESCRIPTOR
#undef OTHER
};

/* The file, pipe or socket behind a descriptor. Inode numbers are left out: they differ from run to run. */
static void name_descriptor(pid_t pid, uint64_t fd, char *to, size_t room) {
    char link[64], target[128];
    snprintf(link, sizeof link, "/proc/%d/fd/%" PRIu64, (int)pid, fd);
    ssize_t n = readlink(link, target, sizeof target - 1);
    target[n > 0 ? n : 0] = 0;
    if (n <= 0)
        snprintf(to, room, "a descriptor that is not open");
    else if (strncmp(target, "pipe:", 5) == 0)
        snprintf(to, room, "a pipe");
    else if (strncmp(target, "socket:", 7) == 0)
        snprintf(to, room, "a socket");
    else if (strncmp(target, "anon_inode:", 11) == 0)
        snprintf(to, room, "%s", target + 11);
    else
        snprintf(to, room, "'%s'", target);
}

/* Writes the system call in words: "read(5), a pipe". */
static void describe(pid_t pid, struct rd_task_state *to) {
    const struct named_call *call = NULL;
    for (size_t i = 0; i < RD_COUNT(calls) && !call; i++)
        if (calls[i].number == to->number)
            call = &calls[i];
    char what[160];
    if (!call) {
        snprintf(to->text, sizeof to->text, "system call %" PRId64, to->number);
    } else if (call->descriptor) {
        name_descriptor(pid, to->first, what, sizeof what);
        snprintf(to->text, sizeof to->text, "%s(%" PRIu64 "), %s", call->name, to->first, what);
    } else {
        snprintf(to->text, sizeof to->text, "%s()", call->name);
    }
}

void rd_task_look(pid_t pid, pid_t task, struct rd_task_state *to) {
    char path[64], line[256];
    *to = (struct rd_task_state){.how = RD_TASK_UNKNOWN};
    snprintf(path, sizeof path, "/proc/%d/task/%d/syscall", (int)pid, (int)task);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, line, sizeof line - 1);
    if (fd >= 0)
        close(fd);
    if (n <= 0)
        return;
    line[n] = 0;
    if (strncmp(line, "running", 7) == 0) {
        to->how = RD_TASK_RUNNING;
    } else if (sscanf(line, "%" SCNd64 " %" SCNx64, &to->number, &to->first) == 2 && to->number >= 0) {
        to->how = RD_TASK_CALL;
        describe(pid, to);
    }
}
