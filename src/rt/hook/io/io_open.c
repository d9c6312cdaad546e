/*
 * io_open.c - hooks that make and close descriptors. Both ends of a pipe are one file of the model, and so are
 * copies of a descriptor. Closing is an operation, because a reader may wait for the writing end of its pipe to be
 * closed.
 */
#include "rt/call/call.h"
#include "rt/hook/hook.h"
#include "rt/hook/io/io.h"
#include "rt/isolate/syscall_trap.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

/* Notes the result of a pipe() call. */
static int note_pipe(int r, int fds[2]) {
    if (r == 0 && rd_rt_active()) {
        rd_io_made(fds[0], RD_IO_PIPE, true);
        rd_io_duplicated(fds[0], fds[1]);
    }
    return r;
}

RD_EXPORT int pipe(int fds[2]) { return note_pipe(RD_REAL(pipe)(fds), fds); }
RD_EXPORT int pipe2(int fds[2], int flags) { return note_pipe(RD_REAL(pipe2)(fds, flags), fds); }

RD_EXPORT int socketpair(int domain, int type, int protocol, int fds[2]) {
    int r = RD_REAL(socketpair)(domain, type, protocol, fds);
    if (r == 0 && rd_rt_active()) {
        struct rd_io_file *first = rd_io_made(fds[0], RD_IO_SOCKET, true);
        rd_io_made(fds[1], RD_IO_SOCKET, true)->addr = first->addr;
    }
    return r;
}

/* Notes the result of a call that makes one descriptor. */
static int note_one(int fd, enum rd_io_kind kind, bool closed) {
    if (fd >= 0 && rd_rt_active())
        rd_io_made(fd, kind, closed);
    return fd;
}

RD_EXPORT int socket(int domain, int type, int protocol) {
    return note_one(RD_REAL(socket)(domain, type, protocol), RD_IO_SOCKET, false);
}

RD_EXPORT int eventfd(unsigned value, int flags) {
    return note_one(RD_REAL(eventfd)(value, flags), RD_IO_EVENT, true);
}
RD_EXPORT int epoll_create(int size) { return note_one(RD_REAL(epoll_create)(size), RD_IO_EPOLL, true); }
RD_EXPORT int epoll_create1(int flags) { return note_one(RD_REAL(epoll_create1)(flags), RD_IO_EPOLL, true); }

RD_EXPORT int dup(int fd) {
    int copy = RD_REAL(dup)(fd);
    if (copy >= 0 && rd_rt_active())
        rd_io_duplicated(fd, copy);
    return copy;
}

/* dup2() and dup3() close the descriptor that had the number `to`. */
static void replaced(int from, int to, uint64_t pc) {
    if (!rd_rt_active() || from == to)
        return;
    struct rd_io_look at = rd_io_look(to);
    if (at.file)
        rd_io_touch(RD_OP_IO_CLOSE, at.file, NULL, pc);
    else
        rd_hook_touch_files(to, from, RD_REAL(dup2), pc);
}

RD_EXPORT int dup2(int fd, int copy) {
    replaced(fd, copy, RD_IO_PC());
    int r = RD_REAL(dup2)(fd, copy);
    if (r >= 0 && fd != copy && rd_rt_active())
        rd_io_duplicated(fd, copy);
    return r;
}

RD_EXPORT int dup3(int fd, int copy, int flags) {
    replaced(fd, copy, RD_IO_PC());
    int r = RD_REAL(dup3)(fd, copy, flags);
    if (r >= 0 && rd_rt_active())
        rd_io_duplicated(fd, copy);
    return r;
}

int rd_hook_close(int fd, uint64_t pc) {
    if (!rd_rt_active())
        return RD_REAL(close)(fd);
    rd_call_closes(fd);
    struct rd_io_look at = rd_io_look(fd);
    if (at.file) {
        rd_io_touch(RD_OP_IO_CLOSE, at.file, NULL, pc);
        rd_io_forget(fd);
    } else {
        rd_hook_touch_files(fd, -1, RD_REAL(close), pc);
    }
    return (int)rd_kernel(SYS_close, fd);
}

RD_EXPORT int close(int fd) { return rd_hook_close(fd, RD_IO_PC()); }
