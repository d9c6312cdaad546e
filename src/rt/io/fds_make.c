/*
 * fds_make.c - makes objects anew on their old numbers (fds.h). It closes the old numbers first, because the kernel
 * then gives new descriptors these very numbers in most cases. A new descriptor that gets a number of another end
 * is moved to a hidden number.
 */
#include "rt/io/fds.h"

#include "rt/isolate/kept.h"
#include "rt/raw.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <time.h>

struct rd_fds rd_fds;

/* The size of a new pipe; the flags that F_SETFL sets. */
enum { PIPE_SIZE_FIRST = 65536, FLAGS = O_NONBLOCK | O_APPEND | O_DIRECT | O_NOATIME | O_ASYNC };

enum { PORTS_MS = 5, PORTS_TRIES = 600 }; /* how long to wait for a free port: 3 s */

static_assert(RD_FDS_MAX <= INT16_MAX && RD_FDS_HIDDEN < RD_FDS_NUMBER_MAX, "indices and numbers fit their fields");

static struct rd_fds_kept *kept(void) { return &rd_kept()->open; }

void rd_fds_close_connection(long fd) {
    static const struct linger at_once = {1, 0};
    rd_raw(SYS_setsockopt, fd, (long)SOL_SOCKET, (long)SO_LINGER, &at_once, (long)sizeof at_once);
    rd_raw(SYS_close, fd);
}

static void close_numbers(unsigned object) {
    bool link = rd_fds.object[object].kind == RD_FDS_LINK;
    RD_CHECK(object < rd_fds.objects && rd_fds.object[object].kind != RD_FDS_PLAIN);
    for (uint32_t i = 0; i < rd_fds.numbers; i++) {
        const struct rd_fds_number *n = &rd_fds.number[i];
        if (rd_fds.end[n->end].object != (int)object)
            continue;
        RD_CHECK(rd_fds.by_fd[n->fd] == i + 1 && !kept()->spare[n->end]); /* a duplicate would keep the end open */
        if (kept()->gone[i] != RD_FDS_CLOSED && link)
            rd_fds_close_connection(n->fd);
        else if (kept()->gone[i] != RD_FDS_CLOSED)
            rd_raw(SYS_close, n->fd);
        kept()->gone[i] = RD_FDS_CLOSED;
    }
}

/* Moves a new descriptor that has the number of an end to a hidden number; returns that number. */
static int aside(long fd) {
    if (fd < 0 || fd >= RD_FDS_NUMBER_MAX || !rd_fds.by_fd[fd])
        return (int)fd;
    long up = rd_raw(SYS_fcntl, fd, (long)F_DUPFD_CLOEXEC, (long)rd_fds.hidden);
    rd_raw(SYS_close, fd);
    return (int)up;
}

/* Gives the new open file the flags and all numbers of the end. Takes over fd, which was made with the flags
 * `made_with`, and closes it unless it is one of these numbers. */
static bool place(int end, int fd, int made_with) {
    const struct rd_fds_end *e = &rd_fds.end[end];
    struct stat st = {0};
    bool own = false, right = fd >= 0;
    uint32_t given = 0;
    RD_CHECK(end >= 0 && (uint32_t)end < rd_fds.ends && rd_fds.object[e->object].kind != RD_FDS_PLAIN);
    /* else its number is about to become another file's */
    RD_CHECK(!right || fd >= RD_FDS_NUMBER_MAX || !rd_fds.by_fd[fd] ||
             rd_fds.number[rd_fds.by_fd[fd] - 1].end == end);
    if (right && (e->flags & FLAGS) != (made_with & FLAGS))
        right = rd_raw(SYS_fcntl, fd, (long)F_SETFL, (long)(e->flags & FLAGS)) == 0;
    for (uint32_t i = 0; right && i < rd_fds.numbers; i++) {
        const struct rd_fds_number *n = &rd_fds.number[i];
        if (n->end != end)
            continue;
        RD_CHECK(kept()->gone[i] == RD_FDS_CLOSED); /* the old end was closed before */
        given++;
        if (n->fd == fd) {
            own = true;
            right = n->cloexec == 1 || rd_raw(SYS_fcntl, fd, (long)F_SETFD, 0L) == 0;
        } else {
            right = rd_raw(SYS_dup3, fd, n->fd, (long)(n->cloexec ? O_CLOEXEC : 0)) >= 0;
        }
        kept()->gone[i] = 0;
    }
    RD_CHECK(!right || given > 0);
    if (right && e->inode && rd_raw(SYS_fstat, fd, &st) == 0)
        kept()->inode[end] = rd_hash2(st.st_dev, st.st_ino);
    if (fd >= 0 && !own)
        rd_raw(SYS_close, fd);
    kept()->flags[end] = 0;
    kept()->flags_now[end] = e->flags;
    return right;
}

/* Returns whether neither of the two numbers that the kernel gave belongs to an end other than its own. */
static bool fits(const struct rd_fds_object *o, const int fds[2]) {
    for (unsigned i = 0; i < 2; i++) {
        uint16_t at = fds[i] >= 0 && fds[i] < RD_FDS_NUMBER_MAX ? rd_fds.by_fd[fds[i]] : 0;
        if (at && (rd_fds.number[at - 1].end != o->end[i]))
            return false;
    }
    return true;
}

/* Places both new descriptors; closes a descriptor if its end was closed at the checkpoint. */
static bool place_both(const struct rd_fds_object *o, int fds[2], int made_with) {
    bool right = true;
    RD_CHECK(o->end[0] >= 0 || o->end[1] >= 0);
    if (!fits(o, fds)) {
        fds[0] = aside(fds[0]);
        fds[1] = aside(fds[1]);
    }
    for (unsigned i = 0; i < 2; i++) {
        if (o->end[i] >= 0)
            right &= place(o->end[i], fds[i], made_with);
        else
            rd_raw(SYS_close, fds[i]);
    }
    return right;
}

static bool make_pipe(const struct rd_fds_object *o) {
    int fds[2] = {-1, -1}, with = o->end[0] >= 0 ? rd_fds.end[o->end[0]].flags & O_NONBLOCK : 0;
    const struct rd_fds_content *c = &o->content[0];
    with |= c->size ? O_NONBLOCK : 0;
    if (rd_raw(SYS_pipe2, fds, (long)(O_CLOEXEC | with)) != 0)
        return false;
    if (o->pipe_size != PIPE_SIZE_FIRST && rd_raw(SYS_fcntl, fds[1], (long)F_SETPIPE_SZ, (long)o->pipe_size) < 0)
        return false;
    return rd_fds_fill_pipe(c, fds[0], fds[1]) && place_both(o, fds, with);
}

/* Returns the new descriptor of an object with one end; moves it aside if its number belongs to another end. */
static int alone(const struct rd_fds_object *o, long fd) {
    bool mine = fd >= 0 && fd < RD_FDS_NUMBER_MAX && rd_fds.by_fd[fd] &&
                rd_fds.number[rd_fds.by_fd[fd] - 1].end == o->end[0];
    return mine ? (int)fd : aside(fd);
}

static bool make_event(const struct rd_fds_object *o) {
    int with = rd_fds.end[o->end[0]].flags & O_NONBLOCK;
    unsigned first = o->value <= UINT32_MAX ? (unsigned)o->value : 0;
    long fd = rd_raw(SYS_eventfd2, first, (long)(EFD_CLOEXEC | with | (o->semaphore ? EFD_SEMAPHORE : 0)));
    if (fd >= 0 && first != o->value && rd_raw(SYS_write, fd, &o->value, sizeof o->value) != sizeof o->value)
        return false;
    return place(o->end[0], alone(o, fd), with);
}

static bool make_pair(const struct rd_fds_object *o) {
    int fds[2] = {-1, -1}, with = rd_fds.end[o->end[0]].flags & O_NONBLOCK;
    int type = o->type | SOCK_CLOEXEC | (with ? SOCK_NONBLOCK : 0);
    if (rd_raw(SYS_socketpair, o->domain, type, o->protocol, fds) != 0)
        return false;
    for (unsigned i = 0; i < 2; i++)
        if (!rd_fds_set_options(o->options[i], fds[i]) || !rd_fds_fill_socket(&o->content[i], fds[!i]))
            return false;
    return place_both(o, fds, with);
}

static bool is_loopback(const struct sockaddr *to) {
    if (to->sa_family == AF_INET)
        return ntohl(((const struct sockaddr_in *)(const void *)to)->sin_addr.s_addr) >> 24 == 127;
    return to->sa_family == AF_INET6 &&
           IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)(const void *)to)->sin6_addr);
}

long rd_fds_connect_possible(long fd, const void *to, long size) {
    const struct timespec moment = {0, PORTS_MS * 1000000};
    long r = rd_raw(SYS_connect, fd, to, size);
    for (unsigned i = 0; r == -EADDRNOTAVAIL && i < PORTS_TRIES && is_loopback(to); i++) {
        rd_raw(SYS_nanosleep, &moment, NULL);
        r = rd_raw(SYS_connect, fd, to, size);
    }
    return r;
}

bool rd_fds_connect(const struct rd_fds_object *o, int flags, int fds[2]) {
    struct sockaddr_storage at = o->name;
    socklen_t size = sizeof at;
    static_assert(offsetof(struct sockaddr_in, sin_port) == offsetof(struct sockaddr_in6, sin6_port), "one offset");
    RD_CHECK(o->kind == RD_FDS_LINK && o->name_size <= sizeof at);
    if (at.ss_family != AF_UNIX)
        ((struct sockaddr_in *)(void *)&at)->sin_port = 0; /* or sin6_port */
    long listener = rd_raw(SYS_socket, o->domain, o->type | SOCK_CLOEXEC, o->protocol);
    fds[0] = (int)rd_raw(SYS_socket, o->domain, o->type | SOCK_CLOEXEC, o->protocol);
    long named = at.ss_family == AF_UNIX ? (long)sizeof at.ss_family : (long)o->name_size;
    bool right = listener >= 0 && fds[0] >= 0 && rd_raw(SYS_bind, listener, &at, named) == 0 &&
                 rd_raw(SYS_listen, listener, 1L) == 0 && rd_raw(SYS_getsockname, listener, &at, &size) == 0 &&
                 rd_fds_connect_possible(fds[0], &at, (long)size) == 0;
    fds[1] = right ? (int)rd_raw(SYS_accept4, listener, NULL, NULL, (long)(SOCK_CLOEXEC | flags)) : -1;
    rd_raw(SYS_close, listener);
    if (fds[1] >= 0 && flags)
        rd_raw(SYS_fcntl, fds[0], (long)F_SETFL, (long)(O_RDWR | O_NONBLOCK));
    return fds[1] >= 0;
}

static bool make_link(const struct rd_fds_object *o) {
    int fds[2] = {-1, -1}, with = rd_fds.end[o->end[0]].flags & O_NONBLOCK;
    if (!rd_fds_connect(o, with, fds))
        return false;
    for (unsigned i = 0; i < 2; i++)
        if (!rd_fds_set_options(o->options[i], fds[i]) || !rd_fds_fill_socket(&o->content[i], fds[!i]))
            return false;
    return place_both(o, fds, with);
}

static bool make_listener(unsigned object) {
    const struct rd_fds_object *o = &rd_fds.object[object];
    int with = rd_fds.end[o->end[0]].flags & O_NONBLOCK;
    int type = o->type | SOCK_CLOEXEC | (with ? SOCK_NONBLOCK : 0);
    int fd = alone(o, rd_raw(SYS_socket, o->domain, type, o->protocol));
    if (fd < 0 || !rd_fds_set_options(o->options[0], fd) || !rd_fds_path_bind(object, fd) ||
        rd_raw(SYS_listen, fd, o->backlog) != 0)
        return false;
    return place(o->end[0], fd, with);
}

static bool make_epoll(const struct rd_fds_object *o) {
    int fd = alone(o, rd_raw(SYS_epoll_create1, (long)EPOLL_CLOEXEC));
    for (uint32_t i = 0; fd >= 0 && i < o->members; i++) {
        uint16_t at = rd_fds.by_fd[o->member[i].fd];
        RD_CHECK(at && rd_fds.number[at - 1].end == o->member[i].end && kept()->gone[at - 1] != RD_FDS_CLOSED);
        struct epoll_event e = {.events = o->member[i].events, .data.u64 = o->member[i].data};
        if (rd_raw(SYS_epoll_ctl, fd, (long)EPOLL_CTL_ADD, o->member[i].fd, &e) != 0)
            return false;
    }
    return place(o->end[0], fd, 0);
}

bool rd_fds_make(unsigned object) {
    const struct rd_fds_object *o = &rd_fds.object[object];
    close_numbers(object);
    switch ((enum rd_fds_kind)o->kind) {
    case RD_FDS_PIPE:
        return make_pipe(o);
    case RD_FDS_EVENT:
        return make_event(o);
    case RD_FDS_PAIR:
        return make_pair(o);
    case RD_FDS_LISTENER:
        return make_listener(object);
    case RD_FDS_EPOLL:
        return make_epoll(o);
    case RD_FDS_LINK:
        return make_link(o);
    case RD_FDS_PLAIN:
        break;
    }
    return false;
}

void rd_fds_release(void) {
    RD_CHECK(!kept()->released && !kept()->changed);
    for (unsigned i = 0; i < rd_fds.objects; i++)
        if (rd_fds.object[i].kind != RD_FDS_PLAIN)
            close_numbers(i);
    kept()->released = 1;
}

bool rd_fds_make_all(void) {
    bool right = true;
    RD_CHECK(kept()->released);
    for (unsigned i = 0; i < rd_fds.objects; i++)
        if (rd_fds.object[rd_fds.order[i]].kind != RD_FDS_PLAIN)
            right &= rd_fds_make(rd_fds.order[i]);
    kept()->released = 0;
    return right;
}
