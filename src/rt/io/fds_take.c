/*
 * fds_take.c - takes the data that waits in pipes and sockets out at the checkpoint, so that it can be put in
 * again.
 *
 * A pipe keeps its bytes in pages. How many more bytes fit in before the pipe is full depends on how the bytes are
 * distributed over the pages: the kernel adds a write to the last page if the whole write (without whole pages that
 * follow) has room in it. So this file notes the bytes of each page, and puts each page in again with one write.
 * For all pages but the first this write is the whole content of the page; two such writes did not share a page
 * when the program made them, so they do not share one now. Bytes of the first page may have been read already: the
 * page is filled from its beginning, and as many bytes are read again. How many there were matters only if the
 * first page is also the last one; then adding bytes until the page is full shows it.
 *
 * tee() to a pipe that has room for one page copies the bytes of the first page: so many bytes it holds.
 */
#include "rt/io/fds.h"

#include "rt/raw.h"
#include "rt/rt.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <time.h>

enum { PAGE = 4096, SIZE_MAX_ALL = 4 << 20, CONTROL = 256 };

/* How many bytes wait in a pipe. */
static int waiting(int fd) {
    int n = 0;
    return rd_raw(SYS_ioctl, fd, FIONREAD, &n) == 0 ? n : 0;
}

/* Allocates memory for so many bytes of a pipe; false: they are too many. */
static bool room_for(struct rd_fds_content *c, uint32_t size) {
    if (size > SIZE_MAX_ALL)
        return false;
    c->data = rd_arena_alloc(&rd_rt.arena, size + PAGE);
    c->part = rd_arena_alloc(&rd_rt.arena, (size / 64 + 64) * sizeof *c->part);
    c->room = size / 64 + 64;
    return true;
}

static bool add_part(struct rd_fds_content *c, uint32_t size) {
    if (c->parts == c->room)
        return false;
    RD_CHECK(size <= SIZE_MAX_ALL - c->size);
    c->part[c->parts++] = size;
    c->size += size;
    return true;
}

/* ---- pipes ---- */

/* Reads n bytes and drops them. */
static void discard(int fd, long n) {
    char to[PAGE];
    while (n > 0) {
        long r = rd_raw(SYS_read, fd, to, RD_MIN(n, (long)sizeof to));
        if (r <= 0)
            return;
        n -= r;
    }
}

/* How many bytes the first page of the pipe `in` holds. small: an empty pipe with room for one page. */
static long first_page(int in, const int small[2]) {
    long n = rd_raw(SYS_tee, in, (long)small[1], 1L << 30, (long)SPLICE_F_NONBLOCK);
    if (n > 0)
        discard(small[0], n);
    return n;
}

/* The pipe has one page, with `size` bytes: adds bytes until the page is full. Returns how many it holds then; -1:
 * a write failed. */
static long last_page_end(int in, int out, const int small[2], long size) {
    while (size < PAGE) {
        if (rd_raw(SYS_write, out, "", 1L) != 1)
            return -1;
        long now = first_page(in, small);
        if (now == size)
            break;
        size = now;
    }
    return size;
}

/* Takes all pages out. False: writes could not put them in again in the same way. */
static bool take_pages(struct rd_fds_content *c, int in, int out, const int small[2]) {
    int left;
    while ((left = waiting(in)) > 0) {
        long n = first_page(in, small);
        bool first = !c->parts, last = n == left;
        if (n <= 0 || n > PAGE)
            return false;
        long end = last && out >= 0 ? last_page_end(in, out, small, n) : PAGE;
        if (end < 0 || (!first && last && end != PAGE))
            return false; /* no bytes can be added to the last page: splice() or vmsplice() has moved it here */
        if (first)
            c->pad = (uint32_t)(last ? PAGE - end : PAGE - n);
        RD_CHECK(c->pad < PAGE);
        if (rd_raw(SYS_read, in, c->data + c->pad + c->size, n) != n || !add_part(c, (uint32_t)n))
            return false;
        if (last)
            discard(in, waiting(in)); /* the bytes that last_page_end() has added */
    }
    return true;
}

bool rd_fds_take_pipe(struct rd_fds_content *c, int in, int out, const char **why) {
    RD_CHECK(in >= 0 && in != out);
    int small[2] = {-1, -1}, size = waiting(in);
    *c = (struct rd_fds_content){.size = 0};
    if (size == 0)
        return true;
    *why = "more is in it than can be kept";
    if (!room_for(c, (uint32_t)size) || rd_raw(SYS_pipe2, small, (long)(O_NONBLOCK | O_CLOEXEC)) != 0)
        return false;
    rd_raw(SYS_fcntl, small[1], (long)F_SETPIPE_SZ, (long)PAGE);
    int flags = out >= 0 ? (int)rd_raw(SYS_fcntl, out, (long)F_GETFL) : 0;
    if (out >= 0)
        rd_raw(SYS_fcntl, out, (long)F_SETFL, (long)(flags | O_NONBLOCK));
    *why = "what is in it lies there in a way that cannot be made again";
    bool taken = take_pages(c, in, out, small);
    if (out >= 0)
        rd_raw(SYS_fcntl, out, (long)F_SETFL, (long)flags);
    rd_raw(SYS_close, small[0]);
    rd_raw(SYS_close, small[1]);
    return taken;
}

bool rd_fds_fill_pipe(const struct rd_fds_content *c, int in, int out) {
    const char *from = c->data;
    for (uint32_t i = 0; i < c->parts; i++) {
        long n = c->part[i] + (i ? 0 : c->pad);
        if (rd_raw(SYS_write, out, from, n) != n)
            return false;
        from += n;
    }
    RD_CHECK(from == c->data + c->size + (c->parts ? c->pad : 0));
    if (c->parts)
        discard(in, c->pad);
    return true;
}

void rd_fds_empty_pipe(int fd) {
    for (int n = waiting(fd); n > 0; n = waiting(fd))
        discard(fd, n);
}

/* ---- sockets ---- */

bool rd_fds_poll(struct pollfd *p) {
    const struct timespec at_once = {0, 0};
    return rd_raw(SYS_ppoll, p, 1L, &at_once, NULL, 8L) > 0;
}

static short ready(int fd) {
    struct pollfd p = {.fd = fd, .events = POLLIN | POLLRDHUP};
    return rd_fds_poll(&p) ? p.revents : 0;
}

/* Takes all messages out; in a stream, the bytes. */
static bool take_messages(struct rd_fds_content *c, int fd, const char **why) {
    while (ready(fd) & POLLIN) {
        char control[CONTROL];
        uint32_t room = SIZE_MAX_ALL - c->size;
        struct iovec to = {c->data + c->size, room};
        struct msghdr m = {
            .msg_iov = &to, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
        long n = rd_raw(SYS_recvmsg, fd, &m, (long)(MSG_DONTWAIT | MSG_CMSG_CLOEXEC));
        *why = "what is in it comes with descriptors or credentials";
        if (n < 0 || m.msg_controllen || m.msg_flags & (MSG_CTRUNC | MSG_OOB))
            return false;
        *why = "more is in it than can be kept";
        if (m.msg_flags & MSG_TRUNC || (uint32_t)n == room || !add_part(c, (uint32_t)n))
            return false;
    }
    return true;
}

bool rd_fds_take_socket(struct rd_fds_content *c, int fd, int peer, int type, const char **why) {
    *c = (struct rd_fds_content){.size = 0};
    *why = "one side of it is shut down, or has an error";
    if (ready(fd) & (POLLRDHUP | POLLHUP | POLLERR))
        return false;
    RD_CHECK(peer >= 0 && peer != fd);
    rd_raw(SYS_ioctl, peer, (long)SIOCOUTQ, &c->occupied);
    if (!(ready(fd) & POLLIN))
        return true;
    c->data = rd_arena_alloc(&rd_rt.arena, SIZE_MAX_ALL);
    c->room = 1024;
    c->part = rd_arena_alloc(&rd_rt.arena, c->room * sizeof *c->part);
    if (!take_messages(c, fd, why))
        return false;
    if (type == SOCK_STREAM) { /* a reader cannot see where a call of send() ended; only `occupied` depends on it */
        c->part[0] = c->size;
        c->parts = 1;
    }
    return true;
}

bool rd_fds_fill_socket(const struct rd_fds_content *c, int from) {
    const char *data = c->data;
    int32_t occupied = 0;
    for (uint32_t i = 0; i < c->parts; i++) {
        if (rd_raw(SYS_sendto, from, data, (long)c->part[i], (long)(MSG_DONTWAIT | MSG_NOSIGNAL)) != c->part[i])
            return false;
        data += c->part[i];
    }
    RD_CHECK(data == c->data + c->size);
    return c->occupied == RD_FDS_NONE || rd_raw(SYS_ioctl, from, (long)SIOCOUTQ, &occupied) != 0 ||
           occupied == c->occupied;
}

void rd_fds_empty_socket(int fd) {
    char to[PAGE];
    while (rd_raw(SYS_recvfrom, fd, to, (long)sizeof to, (long)(MSG_DONTWAIT | MSG_TRUNC)) >= 0 &&
           ready(fd) & POLLIN) {
    }
}

void rd_fds_empty_listener(int fd) {
    while (ready(fd) & POLLIN) {
        long one = rd_raw(SYS_accept4, fd, NULL, NULL, (long)SOCK_CLOEXEC);
        if (one < 0)
            return;
        rd_fds_close_connection(one);
    }
}
