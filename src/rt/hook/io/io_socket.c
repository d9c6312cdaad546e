/*
 * io_socket.c - send, receive, accept, connect. When a socket connects to a socket of the same program, both ends
 * get one name, and no other process can send on the connection.
 */
#include "rt/hook/hook.h"
#include "rt/hook/io/io.h"
#include "rt/isolate/syscall_trap.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <unistd.h>

/*
 * Returns whether the call is an operation on a socket; other descriptors are left to the kernel, which reports
 * errors.
 */
static bool waits(int fd, struct rd_io_look *at) {
    if (!rd_io_on())
        return false;
    *at = rd_io_look(fd);
    return at->file && at->file->kind == RD_IO_SOCKET;
}

/* A transfer of one part; recvfrom() gets the sender's address in *name. */
static ssize_t one_part(unsigned kind, int fd, const struct rd_io_look *at, void *data, size_t size, int flags,
                        struct sockaddr *name, socklen_t *name_size, uint64_t pc) {
    struct iovec v = {data, size};
    struct msghdr m;
    m.msg_name = name;
    m.msg_namelen = name && name_size ? *name_size : 0;
    m.msg_control = NULL;
    m.msg_controllen = 0;
    m.msg_flags = 0;
    m.msg_iov = &v;
    m.msg_iovlen = 1;
    struct rd_transfer t = {.fd = fd, .kind = kind, .at = *at, .message = &m, .flags = flags, .pc = pc};
    ssize_t r = rd_hook_transfer(&t);
    if (r >= 0 && kind == RD_OP_IO_RECEIVE && name && name_size)
        *name_size = m.msg_namelen;
    return r;
}

RD_EXPORT ssize_t send(int fd, const void *data, size_t size, int flags) {
    struct rd_io_look at;
    if (!waits(fd, &at))
        return RD_REAL(send)(fd, data, size, flags);
    return one_part(RD_OP_IO_SEND, fd, &at, (void *)data, size, flags, NULL, NULL, RD_IO_PC());
}

RD_EXPORT ssize_t sendto(int fd, const void *data, size_t size, int flags, const struct sockaddr *to, socklen_t n) {
    struct rd_io_look at;
    if (!waits(fd, &at))
        return RD_REAL(sendto)(fd, data, size, flags, to, n);
    return one_part(RD_OP_IO_SEND, fd, &at, (void *)data, size, flags, (struct sockaddr *)to, &n, RD_IO_PC());
}

RD_EXPORT ssize_t sendmsg(int fd, const struct msghdr *m, int flags) {
    struct rd_io_look at;
    if (rd_rt_active() && m->msg_controllen)
        rd_io_shared(); /* SCM_RIGHTS may pass descriptors to another process */
    if (!waits(fd, &at))
        return RD_REAL(sendmsg)(fd, m, flags);
    struct rd_transfer t = {
        .fd = fd, .kind = RD_OP_IO_SEND, .at = at, .message = (struct msghdr *)m, .flags = flags, .pc = RD_IO_PC()};
    return rd_hook_transfer(&t);
}

RD_EXPORT ssize_t recv(int fd, void *data, size_t size, int flags) {
    struct rd_io_look at;
    if (!waits(fd, &at))
        return RD_REAL(recv)(fd, data, size, flags);
    return one_part(RD_OP_IO_RECEIVE, fd, &at, data, size, flags, NULL, NULL, RD_IO_PC());
}

RD_API(ssize_t, __recv_chk, int fd, void *data, size_t size, size_t room, int flags) {
    struct rd_io_look at;
    if (size > room)
        return ((ssize_t(*)(int, void *, size_t, size_t, int))rd_real_get(&rd_real.__recv_chk))(fd, data, size,
                                                                                                room, flags);
    if (!waits(fd, &at))
        return RD_REAL(recv)(fd, data, size, flags);
    return one_part(RD_OP_IO_RECEIVE, fd, &at, data, size, flags, NULL, NULL, RD_IO_PC());
}

RD_EXPORT ssize_t recvfrom(int fd, void *data, size_t size, int flags, struct sockaddr *from, socklen_t *n) {
    struct rd_io_look at;
    if (!waits(fd, &at))
        return RD_REAL(recvfrom)(fd, data, size, flags, from, n);
    return one_part(RD_OP_IO_RECEIVE, fd, &at, data, size, flags, from, n, RD_IO_PC());
}

RD_API(ssize_t, __recvfrom_chk, int fd, void *data, size_t size, size_t room, int flags, struct sockaddr *from,
       socklen_t *n) {
    struct rd_io_look at;
    if (size > room)
        return ((ssize_t(*)(int, void *, size_t, size_t, int, struct sockaddr *, socklen_t *))rd_real_get(
            &rd_real.__recvfrom_chk))(fd, data, size, room, flags, from, n);
    if (!waits(fd, &at))
        return RD_REAL(recvfrom)(fd, data, size, flags, from, n);
    return one_part(RD_OP_IO_RECEIVE, fd, &at, data, size, flags, from, n, RD_IO_PC());
}

RD_EXPORT ssize_t recvmsg(int fd, struct msghdr *m, int flags) {
    struct rd_io_look at;
    if (!waits(fd, &at))
        return RD_REAL(recvmsg)(fd, m, flags);
    struct rd_transfer t = {
        .fd = fd, .kind = RD_OP_IO_RECEIVE, .at = at, .message = m, .flags = flags, .pc = RD_IO_PC()};
    return rd_hook_transfer(&t);
}

/* ---- connections ---- */

struct acceptance {
    int fd, flags;
    struct sockaddr *from;
    socklen_t *size;
};

static ssize_t accept_call(void *ctx) {
    const struct acceptance *a = ctx;
    return rd_kernel(SYS_accept4, a->fd, a->from, a->size, a->flags);
}

static int accept_one(const struct rd_io_look *at, struct acceptance *a, uint64_t pc) {
    bool waits_not = (at->flags & O_NONBLOCK) || !at->file->listening;
    ssize_t r;
    rd_rt_enter();
    uint64_t deadline = waits_not ? 0 : rd_hook_socket_deadline(a->fd, SO_RCVTIMEO);
    rd_rt_leave();
    for (;;) {
        int error = rd_io_op(RD_OP_IO_ACCEPT, a->fd, at, waits_not ? 0 : POLLIN, deadline, pc);
        if (error) {
            errno = error == ETIMEDOUT ? EAGAIN : error;
            return -1;
        }
        rd_rt_enter();
        r = rd_hook_no_block(a->fd, at, accept_call, a);
        rd_rt_leave();
        if (r >= 0) {
            rd_io_changed(at);
            rd_io_accepted((int)r, at->file);
            return (int)r;
        }
        if (errno != EAGAIN)
            return -1;
        if (waits_not) {
            rd_io_found_nothing(pc);
            return -1;
        }
        rd_io_not_yet(pc);
    }
}

/* An accept before the checkpoint: notes the connection, whose ends threads may use later. */
static int accepted_early(int fd, int r) {
    int saved = errno;
    struct rd_io_look at = {.file = NULL};
    if (r >= 0 && rd_rt_active())
        at = rd_io_look(fd);
    if (at.file && at.file->listening)
        rd_io_accepted(r, at.file);
    errno = saved;
    return r;
}

RD_EXPORT int accept(int fd, struct sockaddr *from, socklen_t *size) {
    struct rd_io_look at;
    struct acceptance a = {fd, 0, from, size};
    return waits(fd, &at) ? accept_one(&at, &a, RD_IO_PC()) : accepted_early(fd, RD_REAL(accept)(fd, from, size));
}

RD_EXPORT int accept4(int fd, struct sockaddr *from, socklen_t *size, int flags) {
    struct rd_io_look at;
    struct acceptance a = {fd, flags, from, size};
    return waits(fd, &at) ? accept_one(&at, &a, RD_IO_PC())
                          : accepted_early(fd, RD_REAL(accept4)(fd, from, size, flags));
}

struct connection {
    int fd;
    const struct sockaddr *to;
    socklen_t size;
};

static ssize_t connect_call(void *ctx) {
    const struct connection *c = ctx;
    return rd_kernel(SYS_connect, c->fd, c->to, c->size);
}

/* Waits for the end of a connect that is in progress: then the socket is writable. */
static int connect_end(int fd, const struct rd_io_look *at, uint64_t pc) {
    rd_rt_enter();
    uint64_t deadline = rd_hook_socket_deadline(fd, SO_SNDTIMEO);
    rd_rt_leave();
    int error = rd_io_op(RD_OP_IO_CONNECT, fd, at, POLLOUT, deadline, pc);
    if (error) {
        errno = error == ETIMEDOUT ? EINPROGRESS : error;
        return -1;
    }
    socklen_t size = sizeof error;
    rd_kernel(SYS_getsockopt, fd, SOL_SOCKET, SO_ERROR, &error, &size);
    errno = error ? error : errno;
    return error ? -1 : 0;
}

static int connect_to(const struct rd_io_look *at, struct connection *c, uint64_t pc) {
    struct rd_io_file *listener = rd_io_listener(c->to, c->size);
    ssize_t r;
    rd_rt_enter();
    uint64_t deadline = rd_hook_socket_deadline(c->fd, SO_SNDTIMEO);
    rd_rt_leave();
    for (;;) {
        rd_io_touch_both(RD_OP_IO_CONTROL, at, pc);
        rd_rt_enter();
        r = rd_hook_no_block(c->fd, at, connect_call, c);
        bool under_way = r == 0 || errno == EINPROGRESS;
        int saved = errno;
        if (under_way && listener && !at->file->connecting)
            rd_io_connected(c->fd, at->file, listener);
        rd_rt_leave();
        errno = saved;
        if (r == 0 || (at->flags & O_NONBLOCK))
            return (int)r;
        if (errno == EINPROGRESS)
            return connect_end(c->fd, at, pc);
        if (errno != EAGAIN) /* EAGAIN: the queue of the Unix socket is full, until an accept */
            return -1;
        bool ours = listener && !listener->shared;
        int error = rd_io_until_changed(RD_OP_IO_CONNECT, c->fd, at, ours, deadline, pc);
        if (error) {
            errno = error == ETIMEDOUT ? EAGAIN : error;
            return -1;
        }
    }
}

/* A connect before the checkpoint. */
static void connected_early(const struct connection *c) {
    int saved = errno;
    rd_io_directed(c->fd, c->to, c->size);
    struct rd_io_look at = rd_io_look(c->fd);
    struct rd_io_file *listener = rd_io_listener(c->to, c->size);
    rd_rt_enter();
    if (at.file && at.file->kind == RD_IO_SOCKET && !at.file->datagrams && listener && !at.file->closed)
        rd_io_connected(c->fd, at.file, listener);
    rd_rt_leave();
    errno = saved;
}

RD_EXPORT int connect(int fd, const struct sockaddr *to, socklen_t size) {
    struct rd_io_look at;
    struct connection c = {fd, to, size};
    if (!waits(fd, &at)) {
        int r = RD_REAL(connect)(fd, to, size);
        if ((r == 0 || errno == EINPROGRESS) && rd_rt_active())
            connected_early(&c);
        return r;
    }
    rd_io_calls(&at, to, size);
    return connect_to(&at, &c, RD_IO_PC());
}

/*
 * Returns whether the kernel chooses the address (a port on the loopback interface, the name of a Unix socket):
 * then only this program knows it.
 */
static bool any_address(const struct sockaddr *a, socklen_t size) {
    if (a->sa_family == AF_UNIX)
        return size == sizeof a->sa_family;
    if (a->sa_family == AF_INET && size >= sizeof(struct sockaddr_in)) {
        const struct sockaddr_in *in = (const struct sockaddr_in *)(const void *)a;
        return in->sin_port == 0 && ntohl(in->sin_addr.s_addr) >> 24 == 127;
    }
    const struct sockaddr_in6 *in6 = (const struct sockaddr_in6 *)(const void *)a;
    return a->sa_family == AF_INET6 && size >= sizeof *in6 && in6->sin6_port == 0 &&
           IN6_IS_ADDR_LOOPBACK(&in6->sin6_addr);
}

/*
 * Connections of the last execution may still be in TIME_WAIT when the next execution binds the same port:
 * SO_REUSEADDR allows that. But it also lets two sockets for datagrams have one port at the same time, and two for
 * connections until one of them listens; so not for datagrams, and not where the kernel chooses a port.
 */
static void reuse_port(int fd, const struct sockaddr *a, socklen_t size) {
    int one = 1, type = 0;
    socklen_t length = sizeof type;
    bool inet = (a->sa_family == AF_INET && size >= sizeof(struct sockaddr_in)) ||
                (a->sa_family == AF_INET6 && size >= sizeof(struct sockaddr_in6));
    if (!inet || ((const struct sockaddr_in *)(const void *)a)->sin_port == 0)
        return; /* both kinds of address have the port in the same place */
    if (rd_kernel(SYS_getsockopt, fd, SOL_SOCKET, SO_TYPE, &type, &length) == 0 && type == SOCK_STREAM)
        rd_kernel(SYS_setsockopt, fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof one);
}
static_assert(offsetof(struct sockaddr_in, sin_port) == offsetof(struct sockaddr_in6, sin6_port), "see above");

RD_EXPORT int bind(int fd, const struct sockaddr *a, socklen_t size) {
    struct rd_io_look at = {.file = NULL};
    if (rd_rt_active()) {
        at = rd_io_look(fd);
        if (at.file && at.file->kind == RD_IO_SOCKET && a && size >= sizeof a->sa_family) {
            at.file->local = any_address(a, size);
            reuse_port(fd, a, size);
            if (!at.file->local)
                rd_rt_outside();
        }
    }
    int r = RD_REAL(bind)(fd, a, size);
    if (r == 0 && at.file)
        rd_io_bound(fd, at.file);
    return r;
}

/*
 * Replaces an address by the one that the program is to see (rd_io_names). Like the kernel, cuts it off where there
 * is not enough room.
 */
static int tell_name(int r, int fd, bool own, struct sockaddr *to, socklen_t *size, socklen_t room) {
    struct rd_io_look at = {.file = NULL};
    if (r == 0 && rd_rt_active())
        at = rd_io_look(fd);
    if (!at.file || !at.file->names || !size)
        return r;
    const struct rd_io_names *n = at.file->names;
    *size = own ? n->own_size : n->peer_size;
    memcpy(to, own ? &n->own : &n->peer, RD_MIN(*size, room));
    return r;
}

RD_EXPORT int getsockname(int fd, struct sockaddr *to, socklen_t *size) {
    socklen_t room = size ? *size : 0;
    return tell_name(RD_REAL(getsockname)(fd, to, size), fd, true, to, size, room);
}

RD_EXPORT int getpeername(int fd, struct sockaddr *to, socklen_t *size) {
    socklen_t room = size ? *size : 0;
    return tell_name(RD_REAL(getpeername)(fd, to, size), fd, false, to, size, room);
}

RD_EXPORT int listen(int fd, int backlog) {
    struct rd_io_look at = {.file = NULL};
    if (rd_rt_active())
        at = rd_io_look(fd);
    if (at.file)
        rd_io_touch(RD_OP_IO_CONTROL, at.file, NULL, RD_IO_PC());
    int r = RD_REAL(listen)(fd, backlog);
    if (r == 0 && at.file) {
        rd_io_listens(fd);
        at.file->backlog = backlog;
    }
    return r;
}

RD_EXPORT int shutdown(int fd, int how) {
    struct rd_io_look at;
    if (waits(fd, &at))
        rd_io_touch(RD_OP_IO_CLOSE, at.file, NULL, RD_IO_PC());
    return RD_REAL(shutdown)(fd, how);
}
