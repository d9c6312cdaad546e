/*
 * io.c - read, write, and the transfer of data that all calls of their kind share. A transfer from or to a file
 * that can block is an operation, which becomes enabled when the kernel reports the file ready; then the hook makes
 * the real call, in a way that cannot block. POSIX lets a blocking write return only when all its data is written,
 * so a large write is several operations. A transfer of a regular file never waits.
 */
#include "rt/call/call.h"
#include "rt/hook/hook.h"
#include "rt/hook/io/io.h"
#include "rt/hook/time/timing.h"
#include "rt/isolate/syscall_trap.h"
#include "trace/event.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <unistd.h>

enum { WINDOW = 16, COUNTER = 8 /* bytes of an eventfd's value */ };
static_assert(sizeof(eventfd_t) == COUNTER, "an eventfd");

ssize_t rd_hook_no_block(int fd, const struct rd_io_look *at, ssize_t (*call)(void *ctx), void *ctx) {
    bool change = !(at->flags & O_NONBLOCK) && at->file->kind != RD_IO_TERMINAL;
    if (change)
        rd_kernel(SYS_fcntl, fd, F_SETFL, at->flags | O_NONBLOCK);
    ssize_t r = call(ctx);
    int error = errno;
    if (change)
        rd_kernel(SYS_fcntl, fd, F_SETFL, at->flags);
    errno = error;
    return r;
}

uint64_t rd_hook_socket_deadline(int fd, int option) {
    struct timeval t = {0, 0};
    socklen_t size = sizeof t;
    if (rd_kernel(SYS_getsockopt, fd, SOL_SOCKET, option, &t, &size) != 0 || (t.tv_sec == 0 && t.tv_usec == 0))
        return 0;
    return rd_deadline_in((uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_usec * 1000u);
}

static ssize_t plain_call(void *ctx) {
    const struct rd_transfer *t = ctx;
    int count = (int)t->message->msg_iovlen;
    return t->kind == RD_OP_IO_SEND ? rd_kernel(SYS_writev, t->fd, t->message->msg_iov, count)
                                    : rd_kernel(SYS_readv, t->fd, t->message->msg_iov, count);
}

static size_t total(const struct msghdr *m) {
    size_t n = 0;
    for (size_t i = 0; i < m->msg_iovlen; i++)
        n += m->msg_iov[i].iov_len;
    return n;
}

/*
 * One real transfer that does not wait. RWF_NOWAIT does that without a change of the file's flags, but the kernel
 * supports it only for some files (pipes, reading an eventfd) and answers EOPNOTSUPP for the others.
 */
static ssize_t no_wait(struct rd_transfer *t) {
    bool sends = t->kind == RD_OP_IO_SEND;
    int saved = errno;
    ssize_t r = -1;
    errno = EOPNOTSUPP;
    if (t->at.file->kind == RD_IO_PIPE || !sends)
        r = rd_kernel(sends ? SYS_pwritev2 : SYS_preadv2, t->fd, t->message->msg_iov, t->message->msg_iovlen, -1L,
                      -1L, RWF_NOWAIT);
    if (r < 0 && errno == EOPNOTSUPP)
        r = rd_hook_no_block(t->fd, &t->at, plain_call, t);
    if (r >= 0)
        errno = saved; /* a call that succeeds keeps errno */
    return r;
}

/* One real call, for any kind of file. pre: the thread is inside the runtime. */
static ssize_t real_transfer(struct rd_transfer *t) {
    ssize_t r;
    RD_CHECK(rd_self->inside > 0);
    rd_io_timers_fire();
    if (t->at.file->signals)
        r = rd_io_signals_read(t->at.file->signals, t->message->msg_iov, total(t->message));
    else if (t->at.file->kind != RD_IO_SOCKET)
        r = no_wait(t);
    else if (t->kind == RD_OP_IO_SEND)
        r = rd_kernel(SYS_sendmsg, t->fd, t->message, t->flags | MSG_DONTWAIT);
    else
        r = rd_kernel(SYS_recvmsg, t->fd, t->message, (t->flags & ~MSG_WAITALL) | MSG_DONTWAIT);
    return r;
}

/* Returns whether the call never waits: its file or its flags say so, it transfers no bytes, or it is an error. */
static bool immediate(const struct rd_transfer *t, size_t size) {
    int mode = t->at.flags & O_ACCMODE;
    unsigned kind = t->at.file->kind;
    bool sends = t->kind == RD_OP_IO_SEND;
    if ((t->at.flags & O_NONBLOCK) || mode == (sends ? O_RDONLY : O_WRONLY))
        return true;
    if (kind == RD_IO_SOCKET)
        return t->flags & (MSG_DONTWAIT | MSG_ERRQUEUE | MSG_OOB);
    return size == 0 || ((kind == RD_IO_EVENT || kind == RD_IO_TIMER) && size < COUNTER) ||
           (kind == RD_IO_SIGNALS && size < sizeof(struct signalfd_siginfo)) || kind == RD_IO_EPOLL;
}

/* Returns whether the call ends only when all its bytes are transferred. */
static bool wants_all(const struct rd_transfer *t) {
    int type = 0;
    socklen_t size = sizeof type;
    bool sends = t->kind == RD_OP_IO_SEND;
    if (t->at.file->kind != RD_IO_SOCKET)
        return sends && t->at.file->kind == RD_IO_PIPE;
    if (rd_kernel(SYS_getsockopt, t->fd, SOL_SOCKET, SO_TYPE, &type, &size) != 0 || type != SOCK_STREAM)
        return false;
    return sends || (t->flags & (MSG_WAITALL | MSG_PEEK)) == MSG_WAITALL;
}

/* Makes *rest the part of the message after `done` bytes: at most WINDOW parts of it, in `window`. */
static void rest_of(const struct msghdr *all, size_t done, struct iovec window[WINDOW], struct msghdr *rest) {
    size_t i = 0, n = 0;
    while (i < all->msg_iovlen && done >= all->msg_iov[i].iov_len)
        done -= all->msg_iov[i++].iov_len;
    for (; i < all->msg_iovlen && n < WINDOW; i++, n++) {
        window[n].iov_base = (char *)all->msg_iov[i].iov_base + done;
        window[n].iov_len = all->msg_iov[i].iov_len - done;
        done = 0;
    }
    rest->msg_name = all->msg_name;
    rest->msg_namelen = all->msg_namelen;
    rest->msg_control = NULL;
    rest->msg_controllen = 0;
    rest->msg_flags = 0;
    rest->msg_iov = window;
    rest->msg_iovlen = n;
}

/* Notes that data was transferred. */
static void moved(const struct rd_transfer *t) {
    rd_io_changed(&t->at);
    if (t->kind == RD_OP_IO_SEND) /* the kernel gives an address to a datagram socket that sends without one */
        rd_io_bound(t->fd, t->at.file);
}

/* A transfer that does not wait. */
static ssize_t at_once(struct rd_transfer *t) {
    rd_io_op(t->kind, t->fd, &t->at, 0, 0, t->pc);
    rd_rt_enter();
    ssize_t r = real_transfer(t);
    rd_rt_leave();
    if (r >= 0)
        moved(t);
    else if (errno == EAGAIN)
        rd_io_found_nothing(t->pc);
    return r;
}

ssize_t rd_hook_transfer(const struct rd_transfer *given) {
    struct rd_transfer t = *given;
    struct msghdr rest;
    struct iovec window[WINDOW];
    size_t size = total(t.message), done = 0;
    bool sends = t.kind == RD_OP_IO_SEND;
    RD_CHECK(sends || t.kind == RD_OP_IO_RECEIVE);
    if (sends && t.at.file->kind == RD_IO_SOCKET)
        rd_io_sends(&t.at, t.message->msg_name, t.message->msg_namelen);
    if (immediate(&t, size))
        return at_once(&t);
    rd_rt_enter();
    bool whole = wants_all(&t);
    uint64_t deadline = 0;
    if (t.at.file->kind == RD_IO_SOCKET)
        deadline = rd_hook_socket_deadline(t.fd, sends ? SO_SNDTIMEO : SO_RCVTIMEO);
    rd_rt_leave();
    for (;;) {
        int error = rd_io_op(t.kind, t.fd, &t.at, sends ? POLLOUT : POLLIN, deadline, t.pc);
        if (error) {
            errno = error == ETIMEDOUT ? EAGAIN : error;
            return done ? (ssize_t)done : -1;
        }
        rd_rt_enter();
        ssize_t r = real_transfer(&t);
        rd_rt_leave();
        if (r < 0 && errno == EAGAIN) {
            error = rd_io_until_changed(t.kind, t.fd, &t.at, rd_io_is_closed(t.at.file), deadline, t.pc);
            if (!error)
                continue;
            errno = error == ETIMEDOUT ? EAGAIN : error;
        }
        if (r >= 0)
            moved(&t);
        if (r < 0)
            return done ? (ssize_t)done : -1;
        done += (size_t)r;
        if (!whole || r == 0 || done >= size)
            return (ssize_t)done;
        rest_of(given->message, done, window, &rest);
        t.message = &rest;
    }
}

/* A transfer of `count` parts, without a message of a socket. */
static ssize_t parts(unsigned kind, int fd, const struct rd_io_look *at, const struct iovec *v, int count,
                     uint64_t pc) {
    if (kind == RD_OP_IO_SEND && (at->file->kind == RD_IO_TIMER || at->file->signals)) {
        errno = EINVAL; /* a timerfd and a signalfd cannot be written; the eventfd behind them here could */
        return -1;
    }
    struct msghdr m;
    m.msg_name = m.msg_control = NULL;
    m.msg_namelen = 0;
    m.msg_controllen = 0;
    m.msg_flags = 0;
    m.msg_iov = (struct iovec *)v;
    m.msg_iovlen = (size_t)count;
    struct rd_transfer t = {.fd = fd, .kind = kind, .at = *at, .message = &m, .pc = pc};
    return rd_hook_transfer(&t);
}

/*
 * Returns whether the call is an operation on an open file, and looks at that file. Output to a terminal is not: a
 * terminal exists when the program is debugged and not when it is searched, and both must have the same steps.
 */
static bool waits(int fd, unsigned kind, struct rd_io_look *at) {
    if (!rd_io_on())
        return false;
    *at = rd_io_look(fd);
    return at->file && at->file->kind != RD_IO_QUEUE &&
           !(kind == RD_OP_IO_SEND && at->file->kind == RD_IO_TERMINAL);
}

void rd_hook_touch_files(int fd, int second, const void *function, uint64_t pc) {
    if (!rd_hook_on() || !rd_rt.engine.world.unjoined)
        return;
    int saved = errno;
    struct rd_call_object files[] = {{rd_call_file_of(fd), RD_TOUCH_WRITE, 0}, /* a read changes the file offset */
                                     {rd_call_file_of(second), RD_TOUCH_WRITE, 0}};
    rd_call_objects(files, RD_COUNT(files), function, pc);
    errno = saved;
}

ssize_t rd_hook_read(int fd, void *to, size_t size, uint64_t pc) {
    struct rd_io_look at;
    if (!waits(fd, RD_OP_IO_RECEIVE, &at)) {
        rd_hook_touch_files(fd, -1, RD_REAL(read), pc);
        ssize_t n = RD_REAL(read)(fd, to, size);
        if (n > 0)
            rd_hook_random_device(fd, to, (size_t)n);
        return n;
    }
    struct iovec v = {to, size};
    return parts(RD_OP_IO_RECEIVE, fd, &at, &v, 1, pc);
}

/*
 * Notes that a thread writes to standard output beside the stream: such a write is no operation unless all accesses
 * are points, so the order of the output does not follow from the order of the operations.
 */
static void note_output(int fd) {
    if (fd == 1 && rd_hook_on() && rd_rt.engine.world.unjoined && !rd_rt.all_accesses)
        rd_rt.engine.rec.out->wrote = 1;
}

ssize_t rd_hook_write(int fd, const void *from, size_t size, uint64_t pc) {
    struct rd_io_look at;
    note_output(fd);
    if (!waits(fd, RD_OP_IO_SEND, &at)) {
        rd_hook_touch_files(fd, -1, RD_REAL(write), pc);
        return RD_REAL(write)(fd, from, size);
    }
    struct iovec v = {(void *)from, size};
    return parts(RD_OP_IO_SEND, fd, &at, &v, 1, pc);
}

RD_EXPORT ssize_t read(int fd, void *to, size_t size) { return rd_hook_read(fd, to, size, RD_IO_PC()); }
RD_EXPORT ssize_t write(int fd, const void *from, size_t size) { return rd_hook_write(fd, from, size, RD_IO_PC()); }

RD_API(ssize_t, __read_chk, int fd, void *to, size_t size, size_t room) {
    if (size > room)
        return ((ssize_t(*)(int, void *, size_t, size_t))rd_real_get(&rd_real.__read_chk))(fd, to, size, room);
    return rd_hook_read(fd, to, size, RD_IO_PC());
}

RD_EXPORT ssize_t readv(int fd, const struct iovec *v, int count) {
    struct rd_io_look at;
    if (count < 0 || count > IOV_MAX || !waits(fd, RD_OP_IO_RECEIVE, &at)) {
        rd_hook_touch_files(fd, -1, RD_REAL(readv), RD_IO_PC());
        return RD_REAL(readv)(fd, v, count);
    }
    return parts(RD_OP_IO_RECEIVE, fd, &at, v, count, RD_IO_PC());
}

RD_EXPORT ssize_t writev(int fd, const struct iovec *v, int count) {
    struct rd_io_look at;
    note_output(fd);
    if (count < 0 || count > IOV_MAX || !waits(fd, RD_OP_IO_SEND, &at)) {
        rd_hook_touch_files(fd, -1, RD_REAL(writev), RD_IO_PC());
        return RD_REAL(writev)(fd, v, count);
    }
    return parts(RD_OP_IO_SEND, fd, &at, v, count, RD_IO_PC());
}

/* ---- eventfd: reading and writing its counter ---- */

RD_EXPORT int eventfd_read(int fd, eventfd_t *value) {
    return rd_hook_read(fd, value, sizeof *value, RD_IO_PC()) == (ssize_t)sizeof *value ? 0 : -1;
}

RD_EXPORT int eventfd_write(int fd, eventfd_t value) {
    return rd_hook_write(fd, &value, sizeof value, RD_IO_PC()) == (ssize_t)sizeof value ? 0 : -1;
}
