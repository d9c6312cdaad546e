/*
 * fds_note.c - at the checkpoint: notes which descriptors are open, of which kinds of files, and whether they
 * can be put back (fds.h). To be certain of the latter, rd_fds_note_end() makes every object anew once before the
 * first execution, and compares the data in it.
 */
#include "rt/io/fds.h"

#include "rt/io/open_file.h"
#include "rt/isolate/kept.h"
#include "rt/raw.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static_assert((int)RD_FDS_NUMBER_MAX == (int)RD_KEPT_FDS, "the same numbers are followed");

static struct rd_fds_kept *kept(void) { return &rd_kept()->open; }

uint64_t rd_fds_inode(uint64_t inode) {
    if (!rd_fds.special || rd_rt.channel->config.mode != RD_MODE_EXPLORE)
        return inode;
    for (uint32_t i = 0; i < rd_fds.ends; i++)
        if (kept()->inode[i] == inode)
            return rd_fds.end[i].inode;
    for (uint32_t i = 0; i < rd_fds.fifos; i++)
        if (kept()->fifo_inode[i] == inode)
            return rd_fds.fifo[i].inode;
    return inode;
}

/* The first hidden number. A program may have lowered the limit of its descriptors: a fifth of them is reserved. */
static int hidden_from(void) {
    struct rlimit limit = {0};
    if (rd_raw(SYS_prlimit64, 0, (long)RLIMIT_NOFILE, NULL, &limit) != 0)
        return RD_FDS_HIDDEN;
    return (int)RD_MIN(limit.rlim_cur - limit.rlim_cur / 5, (rlim_t)RD_FDS_HIDDEN);
}

void rd_fds_note_begin(void) {
    for (uint32_t i = 0; i < rd_fds.numbers; i++)
        rd_fds.by_fd[rd_fds.number[i].fd] = 0;
    /* the arrays are not cleared: each page that is written is one more page to put back */
    rd_fds.numbers = rd_fds.ends = rd_fds.objects = rd_fds.files = 0;
    rd_fds.special = false;
    RD_CHECK(!rd_rt.threaded && !kept()->changed);
    memset(kept(), 0, sizeof *kept());
    rd_fds.hidden = hidden_from();
    RD_CHECK(rd_fds.hidden <= RD_FDS_HIDDEN);
    rd_fds_fifos_note();
}

/* Returns whether two numbers are one open file description. Asks kcmp(); where that is not allowed, changes a flag
 * of one number and looks whether the flag of the other changes with it. */
static bool is_same(int a, int b) {
    long pid = rd_raw(SYS_getpid), r = rd_raw(SYS_kcmp, pid, pid, (long)KCMP_FILE, a, b);
    if (r >= 0)
        return r == 0;
    long flags = rd_raw(SYS_fcntl, a, (long)F_GETFL);
    rd_raw(SYS_fcntl, a, (long)F_SETFL, flags ^ O_NONBLOCK);
    bool same = (rd_raw(SYS_fcntl, b, (long)F_GETFL) ^ flags) & O_NONBLOCK;
    rd_raw(SYS_fcntl, a, (long)F_SETFL, flags);
    return same && (rd_raw(SYS_fcntl, b, (long)F_GETFL) & O_NONBLOCK) == (flags & O_NONBLOCK);
}

/* The noted end that is the open file of this number; RD_FDS_NONE: there is none. */
static int find_end(int fd, uint64_t inode) {
    for (uint32_t i = 0; i < rd_fds.ends; i++)
        if (rd_fds.end[i].inode == inode && is_same(rd_fds.end[i].fd, fd))
            return (int)i;
    return RD_FDS_NONE;
}

static struct rd_fds_object *new_object(unsigned kind) {
    RD_CHECK(kind <= RD_FDS_EPOLL && rd_fds.objects < rd_fds.ends + 1 && rd_fds.objects < RD_FDS_MAX);
    struct rd_fds_object *o = &rd_fds.object[rd_fds.objects++];
    *o = (struct rd_fds_object){.kind = (uint8_t)kind, .end = {RD_FDS_NONE, RD_FDS_NONE}};
    rd_fds.special |= kind != RD_FDS_PLAIN;
    return o;
}

/* The value of an option of SOL_SOCKET. */
static int option_of(int fd, int name) {
    int value = 0;
    socklen_t size = sizeof value;
    return rd_raw(SYS_getsockopt, fd, (long)SOL_SOCKET, (long)name, &value, &size) == 0 ? value : -1;
}

/* The kind of a pipe, socket or anonymous file (enum rd_fds_kind); RD_FDS_NONE: it cannot be put back, for the
 * reason in `why`. */
static int kind_of(const struct stat *st, const struct rd_io_file *f, const char **why) {
    if (!f || (f->kind != RD_IO_PIPE && f->kind != RD_IO_EVENT && f->kind != RD_IO_TIMER &&
               f->kind != RD_IO_SOCKET && f->kind != RD_IO_EPOLL))
        return RD_FDS_NONE;
    *why = "another process has it, too";
    if (f->shared)
        return RD_FDS_NONE;
    *why = "somebody else can have it, too";
    if (f->named || (!f->closed && !f->listening))
        return RD_FDS_NONE;
    *why = NULL;
    if (S_ISFIFO(st->st_mode))
        return RD_FDS_PIPE;
    if (f->kind == RD_IO_SOCKET)
        return f->listening ? RD_FDS_LISTENER : RD_FDS_PAIR;
    return f->kind == RD_IO_EPOLL ? RD_FDS_EPOLL : RD_FDS_EVENT;
}

/* The object of a pipe or pair, if its other end is noted already; else NULL. addr: the name of the open
 * file. */
static struct rd_fds_object *find_object(unsigned kind, uint64_t addr) {
    for (uint32_t i = 0; addr && i < rd_fds.objects; i++)
        if (rd_fds.object[i].kind == kind && rd_fds.object[i].value == addr)
            return &rd_fds.object[i];
    return NULL;
}

/* Notes a new end, and the object that it belongs to; of an epoll, add_epolls() makes the object. */
static bool new_end(int fd, const struct stat *st, unsigned kind, const struct rd_io_file *f, const char **why) {
    uint64_t addr = f ? f->addr : 0;
    RD_CHECK(rd_fds.ends <= rd_fds.numbers && rd_fds.ends < RD_FDS_MAX && (f || kind == RD_FDS_PLAIN));
    struct rd_fds_end *e = &rd_fds.end[rd_fds.ends];
    *e = (struct rd_fds_end){.object = RD_FDS_NONE, .fd = fd, .inode = rd_hash2(st->st_dev, st->st_ino)};
    e->flags = (int)rd_raw(SYS_fcntl, fd, (long)F_GETFL);
    kept()->inode[rd_fds.ends] = e->inode;
    if (kind == RD_FDS_EPOLL) { /* its object comes after the objects of its members */
        rd_fds.ends++;
        rd_fds.special = true;
        return true;
    }
    struct rd_fds_object *o = kind == RD_FDS_PIPE || kind == RD_FDS_PAIR ? find_object(kind, addr) : NULL;
    unsigned side = kind == RD_FDS_PIPE ? (e->flags & O_ACCMODE) == O_WRONLY : o != NULL;
    *why = "it is open in more than one way";
    if ((o && o->end[side] >= 0) || (kind == RD_FDS_PIPE && (e->flags & O_ACCMODE) == O_RDWR))
        return false;
    *why = "it sends signals";
    if (kind != RD_FDS_PLAIN && (e->flags & O_ASYNC || rd_raw(SYS_fcntl, fd, (long)F_GETOWN) != 0))
        return false;
    if (!o)
        o = new_object(kind);
    o->value = addr;
    o->backlog = f ? f->backlog : 0;
    o->end[side] = (int16_t)rd_fds.ends++;
    e->object = (int16_t)(o - rd_fds.object);
    return true;
}

bool rd_fds_note(int fd, const struct stat *st, bool given, const char **why) {
    const struct rd_io_file *f = rd_io_known(fd, st);
    bool anonymous = (st->st_mode & S_IFMT) == 0,
         outside = S_ISFIFO(st->st_mode) || S_ISSOCK(st->st_mode) || anonymous;
    given &= !(f && f->closed);
    *why = NULL;
    int kind = outside && !given ? kind_of(st, f, why) : RD_FDS_PLAIN;
    if (kind < 0)
        return false;
    *why = "there are too many descriptors";
    if (rd_fds.numbers == RD_FDS_MAX || fd >= rd_fds.hidden)
        return given && fd >= rd_fds.hidden;
    RD_CHECK(fd >= 0 && !rd_fds.by_fd[fd]); /* each number is noted once */
    int end = find_end(fd, rd_hash2(st->st_dev, st->st_ino));
    if (end < 0) {
        end = (int)rd_fds.ends;
        if (!new_end(fd, st, (unsigned)kind, f, why))
            return false;
        rd_fds.end[end].given = given;
    }
    RD_CHECK((uint32_t)end < rd_fds.ends);
    bool cloexec = rd_raw(SYS_fcntl, fd, (long)F_GETFD) & FD_CLOEXEC;
    rd_fds.number[rd_fds.numbers++] = (struct rd_fds_number){fd, (int16_t)end, cloexec};
    rd_fds.by_fd[fd] = (uint16_t)rd_fds.numbers;
    return true;
}

/* ---- the contents of objects ---- */

static int side_fd(const struct rd_fds_object *o, unsigned side) {
    RD_CHECK(side < 2 && (o->end[side] < 0 || (uint32_t)o->end[side] < rd_fds.ends));
    return o->end[side] >= 0 ? rd_fds.end[o->end[side]].fd : RD_FDS_NONE;
}

static bool look_pipe(struct rd_fds_object *o, const char **why) {
    int in = side_fd(o, 0), out = side_fd(o, 1);
    *why = "it keeps writes apart (O_DIRECT)";
    for (unsigned i = 0; i < 2; i++)
        if (o->end[i] >= 0 && rd_fds.end[o->end[i]].flags & O_DIRECT)
            return false;
    o->pipe_size = (int)rd_raw(SYS_fcntl, in >= 0 ? in : out, (long)F_GETPIPE_SZ);
    return in < 0 || rd_fds_take_pipe(&o->content[0], in, out, why);
}

static bool look_event(struct rd_fds_object *o, const char **why) {
    char text[512];
    rd_fds_info(side_fd(o, 0), text, sizeof text);
    o->value = rd_fds_info_number(text, "eventfd-count:", 16);
    o->semaphore = rd_fds_info_number(text, "eventfd-semaphore:", 10);
    *why = "the kernel does not tell its value";
    return strstr(text, "eventfd-count:") && strstr(text, "eventfd-semaphore:");
}

/* Decides whether two sockets are a pair or a connection: sockets with names, or over TCP, are one. Stores the
 * addresses that the program is to be told of a connection. */
static void name_ends(struct rd_fds_object *o, const int fd[2]) {
    bool link = o->domain != AF_UNIX;
    RD_CHECK(o->kind == RD_FDS_PAIR && fd[0] != fd[1]);
    for (unsigned i = 0; i < 2; i++) {
        struct rd_io_names *n = rd_arena_zero(&rd_rt.arena, sizeof *n);
        n->own_size = n->peer_size = sizeof n->own;
        rd_raw(SYS_getsockname, fd[i], &n->own, &n->own_size);
        rd_raw(SYS_getpeername, fd[i], &n->peer, &n->peer_size);
        link |= n->own_size > sizeof n->own.ss_family;
        o->name = n->own;
        o->name_size = n->own_size;
        o->names[i] = n;
    }
    o->kind = link ? RD_FDS_LINK : RD_FDS_PAIR;
}

/* From now on getsockname() and getpeername() of the program return these addresses. */
static void tell_names(const struct rd_fds_object *o, const int fd[2]) {
    for (unsigned i = 0; i < 2; i++) {
        struct stat st;
        struct rd_io_file *f = fstat(fd[i], &st) == 0 ? rd_io_known(fd[i], &st) : NULL;
        if (f)
            f->names = o->names[i];
    }
}

static bool look_pair(struct rd_fds_object *o, const char **why) {
    int fresh[2] = {-1, -1}, fd[2] = {side_fd(o, 0), side_fd(o, 1)};
    *why = "one end of it is closed, or not connected yet";
    if (fd[0] < 0 || fd[1] < 0)
        return false;
    o->domain = option_of(fd[0], SO_DOMAIN);
    o->type = option_of(fd[0], SO_TYPE);
    o->protocol = option_of(fd[0], SO_PROTOCOL);
    name_ends(o, fd);
    for (unsigned i = 0; i < 2; i++)
        if (!rd_fds_take_socket(&o->content[i], fd[i], fd[!i], o->type, why))
            return false;
    *why = "it has an option that cannot be set again";
    bool right = o->kind == RD_FDS_LINK
                     ? rd_fds_connect(o, 0, fresh)
                     : rd_raw(SYS_socketpair, o->domain, o->type | SOCK_CLOEXEC, o->protocol, fresh) == 0;
    if (!right)
        return false;
    for (unsigned i = 0; i < 2; i++) {
        o->options[i] = rd_arena_zero(&rd_rt.arena, sizeof *o->options[i]);
        right &= rd_fds_note_options(o->options[i], fd[i], fresh[i]);
        if (o->domain != AF_UNIX)
            o->content[i].occupied = RD_FDS_NONE; /* TCP counts the bytes that are not acknowledged yet */
    }
    rd_raw(SYS_close, fresh[0]);
    rd_raw(SYS_close, fresh[1]);
    if (right && o->kind == RD_FDS_LINK)
        tell_names(o, fd);
    return right;
}

static bool look_listener(struct rd_fds_object *o, const char **why) {
    int fd = side_fd(o, 0);
    struct pollfd p = {.fd = fd, .events = POLLIN};
    *why = "a connection waits to be accepted";
    if (rd_fds_poll(&p))
        return false;
    o->domain = option_of(fd, SO_DOMAIN);
    o->type = option_of(fd, SO_TYPE);
    o->protocol = option_of(fd, SO_PROTOCOL);
    o->name_size = sizeof o->name;
    rd_raw(SYS_getsockname, fd, &o->name, &o->name_size);
    if (!rd_fds_path_note(o, fd, why))
        return false;
    *why = "it has an option that cannot be set again";
    int fresh = (int)rd_raw(SYS_socket, o->domain, o->type | SOCK_CLOEXEC, o->protocol);
    o->options[0] = rd_arena_zero(&rd_rt.arena, sizeof *o->options[0]);
    bool right = fresh >= 0 && rd_fds_note_options(o->options[0], fd, fresh);
    rd_raw(SYS_close, fresh);
    return right;
}

static bool look_inside(struct rd_fds_object *o, const char **why) {
    switch ((enum rd_fds_kind)o->kind) {
    case RD_FDS_PIPE:
        return look_pipe(o, why);
    case RD_FDS_EVENT:
        return look_event(o, why);
    case RD_FDS_PAIR:
        return look_pair(o, why);
    case RD_FDS_LISTENER:
        return look_listener(o, why);
    default:
        return true;
    }
}

/* Makes the objects of epolls, each after the objects of its members. False: an epoll cannot be put back. */
static bool add_epolls(int *fd, const char **why) {
    for (bool more = true, missing = true; missing;) {
        if (!more)
            return false;
        more = missing = false;
        for (uint32_t i = 0; i < rd_fds.ends; i++) {
            struct rd_fds_end *e = &rd_fds.end[i];
            struct rd_fds_object o = {.kind = RD_FDS_EPOLL, .end = {(int16_t)i, RD_FDS_NONE}};
            if (e->object >= 0)
                continue;
            *fd = e->fd;
            missing = true;
            if (!rd_fds_note_epoll(&o, e->fd, why)) {
                if (*why)
                    return false;
                *why = "it looks at something that is not known";
                continue;
            }
            e->object = (int16_t)rd_fds.objects;
            *new_object(RD_FDS_EPOLL) = o;
            more = true;
        }
    }
    return true;
}

/* Takes the data of a pipe that was made anew out again, compares it with the noted data, and makes the pipe once
 * more. */
static bool is_as_it_was(unsigned object) {
    const struct rd_fds_object *o = &rd_fds.object[object];
    const struct rd_fds_content *c = &o->content[0];
    struct rd_fds_content now;
    const char *why;
    if (o->kind != RD_FDS_PIPE || !c->parts)
        return true;
    if (!rd_fds_take_pipe(&now, side_fd(o, 0), side_fd(o, 1), &why) || now.parts != c->parts || now.pad != c->pad ||
        memcmp(now.part, c->part, c->parts * sizeof *c->part) != 0 ||
        memcmp(now.data + now.pad, c->data + c->pad, c->size) != 0)
        return false;
    return rd_fds_make(object);
}

/* Fills rd_fds.order. The object of an epoll comes after the objects of its members already. */
static void put_in_order(void) {
    uint32_t n = 0;
    for (unsigned last = 0; last < 2; last++)
        for (uint32_t i = 0; i < rd_fds.objects; i++)
            if ((rd_fds.object[i].kind != RD_FDS_LISTENER) == last)
                rd_fds.order[n++] = (uint16_t)i;
    RD_CHECK(n == rd_fds.objects);
}

/* The members of an epoll are noted ends, and their objects come before it in rd_fds.order. */
static void check_members(const struct rd_fds_object *o, const bool before[RD_FDS_MAX]) {
    for (uint32_t i = 0; i < o->members; i++) {
        int end = o->member[i].end;
        RD_CHECK(end >= 0 && (uint32_t)end < rd_fds.ends && before[rd_fds.end[end].object]);
    }
}

/* The invariants of fds.h. */
static void check_notes(void) {
    bool before[RD_FDS_MAX] = {false}, special = rd_fds.fifos > 0;
    for (uint32_t i = 0; i < rd_fds.numbers; i++) {
        const struct rd_fds_number *n = &rd_fds.number[i];
        RD_CHECK(n->end >= 0 && (uint32_t)n->end < rd_fds.ends && n->cloexec <= 1);
        RD_CHECK(n->fd >= 0 && n->fd < RD_FDS_NUMBER_MAX && rd_fds.by_fd[n->fd] == i + 1);
    }
    for (uint32_t i = 0; i < rd_fds.ends; i++) {
        const struct rd_fds_end *e = &rd_fds.end[i];
        RD_CHECK(e->object >= 0 && (uint32_t)e->object < rd_fds.objects);
        const int16_t *end = rd_fds.object[e->object].end;
        RD_CHECK((end[0] == (int)i) != (end[1] == (int)i)); /* it is one of the object's ends, not both */
        RD_CHECK(rd_fds.by_fd[e->fd] && rd_fds.number[rd_fds.by_fd[e->fd] - 1].end == (int)i);
    }
    for (uint32_t k = 0; k < rd_fds.objects; k++) {
        unsigned at = rd_fds.order[k];
        const struct rd_fds_object *o = &rd_fds.object[at];
        RD_CHECK(at < rd_fds.objects && !before[at]);
        RD_CHECK(o->end[0] >= 0 || (o->kind == RD_FDS_PIPE && o->end[1] >= 0));
        check_members(o, before);
        before[at] = true;
        special |= o->kind != RD_FDS_PLAIN;
    }
    RD_CHECK(rd_fds.special == special);
}

bool rd_fds_note_end(int *fd, const char **why) {
    if (!add_epolls(fd, why)) /* first, while the data is still in their members: the ready list depends on it */
        return false;
    for (uint32_t i = 0; i < rd_fds.objects; i++) {
        *fd = side_fd(&rd_fds.object[i], rd_fds.object[i].end[0] < 0);
        if (!look_inside(&rd_fds.object[i], why))
            return false;
    }
    for (uint32_t i = 0; i < rd_fds.ends; i++) {
        *fd = rd_fds.end[i].fd;
        if (rd_fds.object[rd_fds.end[i].object].kind == RD_FDS_PLAIN && !rd_fds_file_note((int)i, why))
            return false;
    }
    rd_fds_begin();
    put_in_order();
    check_notes();
    for (uint32_t k = 0; k < rd_fds.objects; k++) {
        uint32_t i = rd_fds.order[k];
        *fd = side_fd(&rd_fds.object[i], rd_fds.object[i].end[0] < 0);
        *why = "it cannot be made again as it is";
        if (rd_fds.object[i].kind != RD_FDS_PLAIN && (!rd_fds_make(i) || !is_as_it_was(i)))
            return false;
    }
    return true;
}
