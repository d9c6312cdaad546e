/*
 * open_file_names.c - the table of the program's open files (open_file.h).
 *
 * Pipes, sockets and message queues are found by their inode, so that a duplicate of a descriptor that no hook has
 * seen is the same file. All eventfds, epolls and timerfds share one inode; they are found by their descriptor
 * number, and the hooks of close() and dup() keep that table right. The descriptors 0 to 2 with which the program
 * starts are not looked at: they are different files when the program is searched, replayed and debugged.
 */
#include "rt/io/open_file.h"

#include "rt/io/fd_path.h"
#include "rt/io/fds.h"
#include "rt/layout.h"
#include "rt/isolate/syscall_trap.h"
#include "rt/isolate/syscall_trap_fds.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

enum { FDS_MAX = 4096 };
enum { MADE_BITS = 20 }; /* of a name: how many files of its kind the thread had opened before */
static_assert(RD_TID_MAX <= RD_FILES_SLOT >> MADE_BITS, "a name has room for the thread");

static struct rd_io_file *by_fd[FDS_MAX];      /* NULL: the number is not open, or was not looked up yet */
static struct rd_io_file *all;                 /* newest first */
static struct rd_map by_inode;                 /* -> struct rd_io_file * */
static uint32_t made[RD_TID_MAX][RD_IO_KINDS]; /* how many files of a kind a thread has opened */

uint32_t rd_io_timers;

static void set_fd(int fd, struct rd_io_file *f) {
    if (fd >= 0 && fd < FDS_MAX)
        by_fd[fd] = f;
}

static bool datagrams(int fd) {
    int type = 0;
    socklen_t size = sizeof type;
    return rd_kernel(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 && type == SOCK_DGRAM;
}

/* The inode, hashed with the device; of a file that was made anew for this execution, the one of the checkpoint. */
static uint64_t inode_of(const struct stat *st) { return rd_fds_inode(rd_hash2(st->st_dev, st->st_ino)); }

/* No other file that the program has opened has the name, and the list is in order of creation. */
static bool is_new_name(uint64_t addr) {
    for (const struct rd_io_file *f = all; f; f = f->next)
        if (f->addr == addr)
            return false;
    return true;
}

static struct rd_io_file *new_file(int fd, unsigned kind, bool closed) {
    RD_CHECK(kind > RD_IO_NONE && kind < RD_IO_KINDS && kind != RD_IO_SEVERAL && kind != RD_IO_CHILD &&
             kind != RD_IO_CHILDREN);
    struct rd_io_file *f = rd_arena_zero(&rd_rt.arena, sizeof *f);
    struct stat st;
    rd_tid tid = rd_self->tid;
    *f = (struct rd_io_file){.kind = (uint8_t)kind, .closed = closed, .next = all};
    f->datagrams = kind == RD_IO_SOCKET && !closed && datagrams(fd);
    f->addr = RD_FILES_AT + kind * RD_FILES_SLOT + ((uint64_t)tid << MADE_BITS | ++made[tid][kind]);
    RD_ASSERT(is_new_name(f->addr));
    all = f;
    if ((kind == RD_IO_PIPE || kind == RD_IO_SOCKET || kind == RD_IO_QUEUE) && rd_kernel(SYS_fstat, fd, &st) == 0) {
        f->inode = inode_of(&st);
        *rd_map_put(&by_inode, &rd_rt.arena, f->inode) = (uintptr_t)f;
    }
    set_fd(fd, f);
    return f;
}

/* The kind of an anonymous file that no hook has seen being opened. */
static unsigned anonymous_kind(int fd) {
    char text[64];
    ssize_t n = readlink(rd_fd_path("/proc/self/fd/", fd).at, text, sizeof text - 1);
    text[n > 0 ? n : 0] = 0;
    return strstr(text, "[eventfd]") ? RD_IO_EVENT : strstr(text, "[eventpoll]") ? RD_IO_EPOLL : RD_IO_OTHER;
}

/* The file of a descriptor, which is named now if it is new; NULL: a thread cannot wait for it. */
static struct rd_io_file *find(int fd) {
    struct stat st;
    struct rd_io_file *known = fd < FDS_MAX ? by_fd[fd] : NULL;
    if ((fd <= 2 && !known) || rd_kernel(SYS_fstat, fd, &st) != 0)
        return NULL;
    if (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode)) {
        uint64_t inode = inode_of(&st);
        if (known && known->inode == inode)
            return known;
        uint64_t *slot = rd_map_get(&by_inode, inode);
        if (slot && *slot)
            return (struct rd_io_file *)(uintptr_t)*slot;
        return new_file(fd, S_ISFIFO(st.st_mode) ? RD_IO_PIPE : RD_IO_SOCKET, false);
    }
    bool anonymous = (st.st_mode & S_IFMT) == 0;
    if (known && known->kind == RD_IO_QUEUE && known->inode == inode_of(&st))
        return known;
    if (known && anonymous && !known->inode)
        return known;
    if (anonymous)
        return new_file(fd, anonymous_kind(fd), false);
    struct termios unused;
    if (!S_ISCHR(st.st_mode) || ioctl(fd, TCGETS, &unused) != 0)
        return NULL;
    return known && known->kind == RD_IO_TERMINAL ? known : new_file(fd, RD_IO_TERMINAL, false);
}

struct rd_io_file *rd_io_known(int fd, const struct stat *st) {
    struct rd_io_file *known = fd >= 0 && fd < FDS_MAX ? by_fd[fd] : NULL;
    if (!S_ISFIFO(st->st_mode) && !S_ISSOCK(st->st_mode))
        return known && !known->inode ? known : NULL;
    if (known && known->inode == inode_of(st))
        return known;
    const uint64_t *slot = rd_map_get(&by_inode, inode_of(st));
    return slot ? (struct rd_io_file *)(uintptr_t)*slot : NULL;
}

struct rd_io_file *rd_io_files(void) {
    return all;
}

void rd_io_unordered(void) {
    if (rd_rt.threaded && rd_rt.engine.world.unjoined)
        rd_rt.engine.rec.out->files = 1;
}

struct rd_io_look rd_io_look(int fd) {
    struct rd_io_look at = {.file = NULL};
    int saved = errno;
    rd_rt_enter();
    bool here = fd >= 0 && fd < FDS_MAX && by_fd[fd] && rd_trap_fds_here(fd, &at.flags);
    if (here)
        at.file = by_fd[fd];
    else if (fd >= 0)
        at.file = find(fd);
    if (at.file && !here)
        at.flags = (int)rd_kernel(SYS_fcntl, fd, F_GETFL);
    rd_rt_leave();
    RD_ASSERT(!at.file || at.file->kind > RD_IO_NONE);
    errno = saved;
    return at;
}

struct rd_io_file *rd_io_made(int fd, enum rd_io_kind kind, bool closed) {
    rd_io_unordered();
    int saved = errno;
    RD_CHECK(fd >= 0);
    rd_rt_enter();
    struct rd_io_file *f = new_file(fd, kind, closed);
    rd_rt_leave();
    errno = saved;
    return f;
}

void rd_io_duplicated(int from, int to) {
    rd_io_unordered();
    if (from < FDS_MAX && from >= 0)
        set_fd(to, by_fd[from]);
}

/* A timerfd or signalfd is written to by its number: takes another of its numbers, or none if this was the last,
 * because another file may get the number soon. */
void rd_io_forget(int fd) {
    struct rd_io_file *f = fd >= 0 && fd < FDS_MAX ? by_fd[fd] : NULL;
    set_fd(fd, NULL);
    if (!f || (!f->timer && !f->signals))
        return;
    int other = 0;
    while (other < FDS_MAX && by_fd[other] != f)
        other++;

    if (f->timer) {
        f->timer->fd = other;
        f->timer->expires = other == FDS_MAX ? 0 : f->timer->expires;
    }
    if (f->signals)
        f->signals->fd = other == FDS_MAX ? -1 : other;
}

struct rd_io_file *rd_io_fifo(const struct stat *st) {
    rd_rt_enter();
    uint64_t *slot = rd_map_put(&by_inode, &rd_rt.arena, inode_of(st));
    struct rd_io_file *f = (struct rd_io_file *)(uintptr_t)*slot;
    RD_CHECK(S_ISFIFO(st->st_mode) && (!f || f->inode == inode_of(st)));
    if (!f) {
        f = new_file(-1, RD_IO_PIPE, false);
        f->inode = inode_of(st);
        *rd_map_put(&by_inode, &rd_rt.arena, f->inode) = (uintptr_t)f;
    }
    f->named = true;
    rd_rt_leave();
    return f;
}

void rd_io_fifo_made(const struct stat *st, bool closed) {
    RD_CHECK(S_ISFIFO(st->st_mode));
    rd_rt_enter();
    struct rd_io_file *f = new_file(-1, RD_IO_PIPE, closed);
    f->named = true;
    f->inode = inode_of(st);
    *rd_map_put(&by_inode, &rd_rt.arena, f->inode) = (uintptr_t)f;
    rd_rt_leave();
}

void rd_io_queue(int fd, bool closed) {
    struct stat st;
    int saved = errno;
    rd_io_unordered();
    rd_rt_enter();
    const uint64_t *slot = rd_kernel(SYS_fstat, fd, &st) == 0 ? rd_map_get(&by_inode, inode_of(&st)) : NULL;
    struct rd_io_file *f = slot && *slot && !closed ? (struct rd_io_file *)(uintptr_t)*slot : NULL;
    if (f && f->kind == RD_IO_QUEUE)
        set_fd(fd, f);
    else
        new_file(fd, RD_IO_QUEUE, closed)->named = true;
    rd_rt_leave();
    errno = saved;
}

void rd_io_fifo_opened(struct rd_io_file *f, int fd, bool writes) {
    RD_CHECK(f->kind == RD_IO_PIPE && f->named);
    rd_io_unordered();
    set_fd(fd, f);
    f->opened[writes]++;
}

bool rd_io_has_end(const struct rd_io_file *f, bool writes) {
    RD_CHECK(f->named);
    for (int fd = 0; fd < FDS_MAX; fd++) {
        struct stat st;
        if (by_fd[fd] != f || rd_kernel(SYS_fstat, fd, &st) != 0 || inode_of(&st) != f->inode)
            continue;
        int mode = (int)rd_kernel(SYS_fcntl, fd, F_GETFL) & O_ACCMODE;
        if (mode != (writes ? O_RDONLY : O_WRONLY))
            return true;
    }
    return false;
}

void rd_io_shared(void) {
    for (struct rd_io_file *f = all; f; f = f->next)
        f->shared = true;
}

bool rd_io_is_closed(const struct rd_io_file *f) {
    if (f->signals)
        return rd_io_signals_closed(f->signals) && !f->shared;
    bool closed = (f->closed || (f->local && (f->listening || f->datagrams))) && !f->shared;
    for (const struct rd_io_member *m = f->members; closed && m; m = m->next)
        closed = m->file && rd_io_is_closed(m->file);
    return closed;
}
