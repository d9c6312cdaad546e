/*
 * io_move.c - calls that move data from one descriptor to another (splice, tee, vmsplice, sendfile), and calls for
 * several messages (sendmmsg, recvmmsg). A move may have to wait for both ends: the hook waits for the input, then
 * for the output; when the input has become empty meanwhile, it begins again.
 */
#include "rt/hook/hook.h"
#include "rt/hook/io/io.h"
#include "rt/hook/time/timing.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/sendfile.h>

/* One end of a move. */
struct move_end {
    int fd;               /* -1: the program's memory */
    struct rd_io_look at; /* the file behind `fd` */
    bool waits;           /* the call waits until this end is ready */
    short events;         /* POLLIN for the input, POLLOUT for the output */
};

/* A call that moves data, with its arguments. */
struct data_move {
    struct move_end in, out;
    ssize_t (*call)(const struct data_move *m, unsigned flags); /* makes the real call */
    off_t *in_offset, *out_offset;
    const struct iovec *parts;
    size_t size;
    unsigned flags;
};

static struct move_end end_of(int fd, short events, unsigned flags) {
    struct move_end e = {.fd = fd, .events = events};
    if (fd >= 0)
        e.at = rd_io_look(fd);
    e.waits = e.at.file && !(e.at.flags & O_NONBLOCK) && !(flags & SPLICE_F_NONBLOCK);
    return e;
}

/* Performs the operation on one end, and waits for it if the call does. 0 or an errno value. */
static int wait_for(const struct move_end *e, uint64_t pc) {
    unsigned kind = e->events == POLLIN ? RD_OP_IO_RECEIVE : RD_OP_IO_SEND;
    return e->at.file ? rd_io_op(kind, e->fd, &e->at, e->waits ? e->events : 0, 0, pc) : 0;
}

static ssize_t call_out(void *ctx) {
    const struct data_move *m = ctx;
    return m->call(m, m->flags | SPLICE_F_NONBLOCK);
}

static ssize_t call_in(void *ctx) {
    struct data_move *m = ctx;
    return m->out.at.file ? rd_hook_no_block(m->out.fd, &m->out.at, call_out, m) : call_out(m);
}

static ssize_t call_both(struct data_move *m) {
    return m->in.at.file ? rd_hook_no_block(m->in.fd, &m->in.at, call_in, m) : call_in(m);
}

/* Returns whether the call ends with EAGAIN because of this end: it is not ready, and set not to wait. */
static bool has_nothing(const struct move_end *e) {
    struct pollfd p = {.fd = e->fd, .events = e->events};
    return e->at.file && !e->waits && RD_REAL(poll)(&p, 1, 0) == 0;
}

static ssize_t move(struct data_move *m, const void *function, uint64_t pc) {
    const struct move_end *e = m->out.at.file ? &m->out : &m->in;
    m->out.at.peer = m->in.at.file; /* the operation on the output, which comes last, is on both files */
    if (!m->in.at.file && !m->out.at.file)
        rd_hook_touch_files(m->in.fd, m->out.fd, function, pc);
    for (;;) {
        int error = wait_for(&m->in, pc);
        if (!error)
            error = wait_for(&m->out, pc);
        if (error) {
            errno = error;
            return -1;
        }
        rd_rt_enter();
        ssize_t r = call_both(m);
        error = errno;
        bool over = r >= 0 || error != EAGAIN || has_nothing(&m->in) || has_nothing(&m->out);
        rd_rt_leave();
        errno = error;
        if (r < 0 && over && error == EAGAIN)
            rd_io_found_nothing(pc);
        if (r > 0)
            rd_io_changed(&e->at);
        if (over)
            return r;
        bool closed = (!m->in.at.file || rd_io_is_closed(m->in.at.file)) &&
                      (!m->out.at.file || rd_io_is_closed(m->out.at.file));
        error = rd_io_until_changed(RD_OP_IO_SEND, e->fd, &e->at, closed, 0, pc);
        if (error) {
            errno = error;
            return -1;
        }
    }
}

static bool controlled(const struct data_move *m) { return m->in.at.file || m->out.at.file; }

/* ---- splice, tee, vmsplice ---- */

static ssize_t splice_call(const struct data_move *m, unsigned flags) {
    return RD_REAL(splice)(m->in.fd, m->in_offset, m->out.fd, m->out_offset, m->size, flags);
}

RD_EXPORT ssize_t splice(int in, off_t *in_offset, int out, off_t *out_offset, size_t size, unsigned flags) {
    if (!rd_io_on())
        return RD_REAL(splice)(in, in_offset, out, out_offset, size, flags);
    struct data_move m = {.in = end_of(in, POLLIN, flags), .out = end_of(out, POLLOUT, flags), .call = splice_call};
    m.in_offset = in_offset;
    m.out_offset = out_offset;
    m.size = size;
    m.flags = flags;
    return move(&m, RD_REAL(splice), RD_IO_PC());
}

static ssize_t tee_call(const struct data_move *m, unsigned flags) {
    return RD_REAL(tee)(m->in.fd, m->out.fd, m->size, flags);
}

RD_EXPORT ssize_t tee(int in, int out, size_t size, unsigned flags) {
    if (!rd_io_on())
        return RD_REAL(tee)(in, out, size, flags);
    struct data_move m = {.in = end_of(in, POLLIN, flags), .out = end_of(out, POLLOUT, flags), .call = tee_call};
    m.size = size;
    m.flags = flags;
    return move(&m, RD_REAL(tee), RD_IO_PC());
}

static ssize_t vmsplice_call(const struct data_move *m, unsigned flags) {
    return RD_REAL(vmsplice)(m->in.fd >= 0 ? m->in.fd : m->out.fd, m->parts, m->size, flags);
}

RD_EXPORT ssize_t vmsplice(int fd, const struct iovec *parts, size_t count, unsigned flags) {
    if (!rd_io_on())
        return RD_REAL(vmsplice)(fd, parts, count, flags);
    bool reads = (fcntl(fd, F_GETFL) & O_ACCMODE) == O_RDONLY;
    struct data_move m = {.in = end_of(reads ? fd : -1, POLLIN, flags), .call = vmsplice_call};
    m.out = end_of(reads ? -1 : fd, POLLOUT, flags);
    m.parts = parts;
    m.size = count;
    m.flags = flags;
    return controlled(&m) ? move(&m, RD_REAL(vmsplice), RD_IO_PC()) : RD_REAL(vmsplice)(fd, parts, count, flags);
}

/* ---- sendfile ---- */

static ssize_t sendfile_call(const struct data_move *m, unsigned flags) {
    (void)flags;
    return RD_REAL(sendfile)(m->out.fd, m->in.fd, m->in_offset, m->size);
}

/* A blocking sendfile() to a socket ends when all bytes are sent, to a pipe when the pipe is full. */
static ssize_t send_file(int out, int in, off_t *offset, size_t size, uint64_t pc) {
    struct data_move m = {.in = end_of(in, POLLIN, 0), .out = end_of(out, POLLOUT, 0), .call = sendfile_call};
    size_t done = 0;
    ssize_t r;
    m.in_offset = offset;
    bool whole = m.out.waits && m.out.at.file->kind == RD_IO_SOCKET;
    do {
        m.size = size - done;
        r = move(&m, RD_REAL(sendfile), pc);
        done += r > 0 ? (size_t)r : 0;
    } while (r > 0 && done < size && whole);
    return done ? (ssize_t)done : r;
}

RD_EXPORT ssize_t sendfile(int out, int in, off_t *offset, size_t size) {
    return rd_io_on() ? send_file(out, in, offset, size, RD_IO_PC()) : RD_REAL(sendfile)(out, in, offset, size);
}

RD_EXPORT ssize_t sendfile64(int out, int in, off64_t *offset, size_t size) {
    return rd_io_on() ? send_file(out, in, offset, size, RD_IO_PC()) : RD_REAL(sendfile)(out, in, offset, size);
}

/* ---- preadv2 and pwritev2 at the current position ---- */

static bool as_readv(off_t offset, int flags) { return rd_io_on() && offset == -1 && !(flags & RWF_NOWAIT); }

#define AT_POSITION(name, plain)                                                                \
    RD_EXPORT ssize_t name(int fd, const struct iovec *v, int count, off_t offset, int flags) { \
        struct rd_io_look at = {.file = NULL};                                                  \
        if (as_readv(offset, flags))                                                            \
            at = rd_io_look(fd);                                                                \
        if (!at.file) {                                                                         \
            rd_hook_touch_files(fd, -1, RD_REAL(name), RD_IO_PC());                             \
            return RD_REAL(name)(fd, v, count, offset, flags);                                  \
        }                                                                                       \
        RD_IO_VIA(RD_IO_PC());                                                                  \
        return plain(fd, v, count);                                                             \
    }

AT_POSITION(preadv2, readv)
AT_POSITION(preadv64v2, readv)
AT_POSITION(pwritev2, writev)
AT_POSITION(pwritev64v2, writev)

/* ---- several messages ---- */

RD_EXPORT int sendmmsg(int fd, struct mmsghdr *m, unsigned count, int flags) {
    unsigned n = 0;
    if (!rd_io_on())
        return RD_REAL(sendmmsg)(fd, m, count, flags);
    RD_IO_VIA(RD_IO_PC());
    for (ssize_t r = 0; n < RD_MIN(count, (unsigned)IOV_MAX) && r >= 0; n += r >= 0) {
        r = sendmsg(fd, &m[n].msg_hdr, flags);
        if (r >= 0)
            m[n].msg_len = (unsigned)r;
    }
    return n || !count ? (int)n : -1;
}

/* Like Linux, checks the time limit only after each message. */
RD_EXPORT int recvmmsg(int fd, struct mmsghdr *m, unsigned count, int flags, struct timespec *limit) {
    bool valid = !limit || rd_timespec_valid(limit);
    unsigned n = 0;
    if (!rd_io_on() || !valid)
        return RD_REAL(recvmmsg)(fd, m, count, flags, limit);
    RD_IO_VIA(RD_IO_PC());
    uint64_t end = limit ? rd_deadline_in(rd_timespec_ns(limit)) : UINT64_MAX;
    int wait_for_one = flags & MSG_WAITFORONE;
    flags &= ~MSG_WAITFORONE;
    while (n < RD_MIN(count, (unsigned)IOV_MAX) && (n == 0 || rd_hook_now() < end)) {
        ssize_t r = recvmsg(fd, &m[n].msg_hdr, flags);
        if (r < 0)
            break;
        m[n++].msg_len = (unsigned)r;
        flags |= wait_for_one ? MSG_DONTWAIT : 0;
    }
    return n || !count ? (int)n : -1;
}
