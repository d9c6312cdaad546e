/*
 * fds_epoll.c - the members of an epoll, which the kernel lists in /proc/self/fdinfo, and the order in which
 * epoll_wait() would report the ready ones. An epoll can be made anew only if a new one with the same members
 * reports the same: that is not so for a member that is ready and that an edge-triggered epoll has reported
 * already, and for a member with EPOLLONESHOT that was reported.
 */
#include "rt/io/fds.h"

#include "rt/io/fd_path.h"
#include "rt/raw.h"
#include "rt/rt.h"

#include <fcntl.h>
#include <linux/kcmp.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>

enum { MEMBERS = 64, TEXT = 16384 };

long rd_fds_info(int fd, char *to, size_t room) {
    RD_CHECK(room > 1);
    struct rd_fd_path path = rd_fd_path("/proc/self/fdinfo/", fd);
    long file = rd_raw(SYS_openat, (long)AT_FDCWD, path.at, (long)(O_RDONLY | O_CLOEXEC), 0L), n = 0, all = 0;
    while (file >= 0 && all < (long)room - 1 && (n = rd_raw(SYS_read, file, to + all, (long)room - 1 - all)) > 0)
        all += n;
    if (file >= 0)
        rd_raw(SYS_close, file);
    RD_CHECK(all >= 0 && (size_t)all < room);
    to[all] = 0;
    return all;
}

uint64_t rd_fds_info_number(const char *p, const char *name, unsigned base) {
    uint64_t v = 0;
    RD_CHECK(base == 10 || base == 16);
    p = strstr(p, name);
    for (p = p ? p + strlen(name) : ""; *p == ' ' || *p == '\t'; p++) {
    }
    for (;; p++) {
        unsigned d = *p >= '0' && *p <= '9'   ? (unsigned)(*p - '0')
                     : *p >= 'a' && *p <= 'f' ? (unsigned)(*p - 'a' + 10)
                                              : 16;
        if (d >= base)
            return v;
        v = v * base + d;
    }
}

/* Reads the members from lines such as "tfd:        5 events:       19 data:                5  pos:0 ino:2c
 * sdev:f". */
static bool read_members(struct rd_fds_object *o, int fd, const char **why) {
    char text[TEXT];
    long size = rd_fds_info(fd, text, sizeof text);
    *why = "the kernel does not tell what it looks at";
    if (size <= 0 || size == TEXT - 1)
        return false;
    o->member = rd_arena_zero(&rd_rt.arena, MEMBERS * sizeof *o->member);
    for (const char *p = strstr(text, "tfd:"); p; p = strstr(p + 1, "tfd:")) {
        *why = "it looks at too many descriptors";
        if (o->members == MEMBERS)
            return false;
        struct rd_fds_member *m = &o->member[o->members++];
        m->fd = (int)rd_fds_info_number(p, "tfd:", 10);
        m->events = (uint32_t)rd_fds_info_number(p, "events:", 16);
        m->data = rd_fds_info_number(p, "data:", 16);
    }
    return true;
}

/* Asks the kernel whether the number is still the descriptor that was added: it may be another file's by now. */
static bool is_member(int epoll, const struct rd_fds_member *m) {
    struct kcmp_epoll_slot slot = {.efd = (uint32_t)epoll, .tfd = (uint32_t)m->fd, .toff = 0};
    long pid = rd_raw(SYS_getpid);
    return rd_raw(SYS_kcmp, pid, pid, (long)KCMP_EPOLL_TFD, m->fd, &slot) == 0;
}

/* Finds the end of each member. A member that EPOLLONESHOT has disabled has lost EPOLLERR, which the kernel adds to
 * all others. */
static bool find_members(struct rd_fds_object *o, int fd, const char **why) {
    for (uint32_t i = 0; i < o->members; i++) {
        struct rd_fds_member *m = &o->member[i];
        uint16_t at = m->fd < RD_FDS_NUMBER_MAX ? rd_fds.by_fd[m->fd] : 0;
        *why = "it looks at a descriptor that is closed";
        if (!at || !is_member(fd, m))
            return false;
        *why = "a member that is told of once was";
        if (!(m->events & EPOLLERR))
            return false;
        m->end = rd_fds.number[at - 1].end;
        RD_CHECK(rd_fds.number[at - 1].fd == m->fd && (uint32_t)m->end < rd_fds.ends);
        if (rd_fds.end[m->end].object < 0) { /* an epoll that has no object yet */
            *why = NULL;
            return false;
        }
    }
    return true;
}

static bool is_ready(const struct rd_fds_member *m) {
    struct pollfd p = {.fd = m->fd, .events = (short)m->events};
    return rd_fds_poll(&p);
}

/* Moves the members that epoll_wait() reports to the front, in the order in which it reports them. */
static bool order_members(struct rd_fds_object *o, int fd, const char **why) {
    struct epoll_event told[MEMBERS + 1] = {{0}}; /* filled by the kernel, which the analyser cannot see */
    uint32_t ready = 0, first = 0;
    for (uint32_t i = 0; i < o->members; i++)
        ready += is_ready(&o->member[i]);
    long n = rd_raw(SYS_epoll_pwait, fd, told, (long)MEMBERS + 1, 0L, NULL, 8L);
    *why = "it has told of something that is still ready";
    if (n != (long)ready)
        return false;
    RD_CHECK(ready <= o->members && o->members <= MEMBERS);
    for (long k = 0; k < n; k++) {
        uint32_t at = first, same = 0;
        for (uint32_t i = 0; i < o->members; i++)
            same += o->member[i].data == told[k].data.u64;
        *why = "two of its members have the same data";
        if (same != 1)
            return false;
        while (at < o->members && o->member[at].data != told[k].data.u64)
            at++;
        if (at == o->members)
            return false;
        struct rd_fds_member m = o->member[at];
        o->member[at] = o->member[first];
        o->member[first++] = m;
    }
    RD_CHECK(first == ready);
    o->quiet = n == 0;
    for (uint32_t i = 0; i < o->members; i++)
        o->quiet &= !(o->member[i].events & EPOLLONESHOT);
    return true;
}

bool rd_fds_note_epoll(struct rd_fds_object *o, int fd, const char **why) {
    RD_CHECK(o->kind == RD_FDS_EPOLL && !o->members);
    return read_members(o, fd, why) && find_members(o, fd, why) && order_members(o, fd, why);
}
