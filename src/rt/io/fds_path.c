/*
 * fds_path.c - the paths of listening Unix sockets, and of FIFOs (fds.h). An execution may remove such a path, give
 * it to another file or change its mode, without any call on the socket itself. So after an execution that has made
 * a call on any path this file looks up where each path leads, and makes a socket anew if its path leads
 * elsewhere. Comparing inode numbers is enough: as long as the socket exists no other file gets its inode number.
 */
#include "rt/io/fds.h"

#include "rt/isolate/kept.h"
#include "rt/raw.h"
#include "rt/state.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/un.h>

static struct rd_fds_kept *kept(void) { return &rd_kept()->open; }

static_assert(RD_FDS_FIFOS <= 8 * sizeof((struct rd_fds_kept *)0)->fifos_unlinked, "each FIFO has a bit");

static const char *path_of(const struct rd_fds_object *o) {
    RD_CHECK(o->kind == RD_FDS_LISTENER && o->domain == AF_UNIX);
    return ((const struct sockaddr_un *)(const void *)&o->name)->sun_path;
}

/* As lstat; fills *st with zeroes if that fails. */
static long look_at(const char *path, struct stat *st) {
    *st = (struct stat){0};
    return rd_raw(SYS_newfstatat, (long)AT_FDCWD, path, st, (long)AT_SYMLINK_NOFOLLOW);
}

static long look(const struct rd_fds_object *o, struct stat *st) { return look_at(path_of(o), st); }

/* Returns whether a client that connects to the path gets to this socket: connects one, and drops the connection.
 */
static bool leads_to(const struct rd_fds_object *o, int fd) {
    struct pollfd p = {.fd = fd, .events = POLLIN};
    long client = rd_raw(SYS_socket, o->domain, o->type | SOCK_CLOEXEC | SOCK_NONBLOCK, o->protocol);
    bool leads = client >= 0 && rd_raw(SYS_connect, client, &o->name, (long)o->name_size) == 0 && rd_fds_poll(&p);
    if (client >= 0)
        rd_raw(SYS_close, client);
    if (leads)
        rd_fds_empty_listener(fd);
    return leads;
}

bool rd_fds_path_note(struct rd_fds_object *o, int fd, const char **why) {
    struct stat st;
    if (o->domain != AF_UNIX || o->name_size <= sizeof o->name.ss_family || !*path_of(o))
        return true;
    *why = "its path does not lead to it";
    if (look(o, &st) != 0 || !S_ISSOCK(st.st_mode) || !leads_to(o, fd))
        return false;
    o->mode = st.st_mode;
    return true;
}

/* A number that tells whether a path still leads to the same file with the same mode. */
static uint64_t place_of(const struct stat *st) { return rd_hash2(rd_hash2(st->st_dev, st->st_ino), st->st_mode); }

bool rd_fds_path_bind(unsigned object, long fd) {
    const struct rd_fds_object *o = &rd_fds.object[object];
    struct stat st;
    RD_CHECK(object < rd_fds.objects && o->kind == RD_FDS_LISTENER && (!o->mode || o->domain == AF_UNIX));
    if (o->mode && look(o, &st) == 0 && S_ISSOCK(st.st_mode))
        rd_raw(SYS_unlinkat, (long)AT_FDCWD, path_of(o), 0L);
    if (rd_raw(SYS_bind, fd, &o->name, (long)o->name_size) != 0)
        return false;
    if (!o->mode)
        return true;
    bool right =
        rd_raw(SYS_fchmodat, (long)AT_FDCWD, path_of(o), (long)(o->mode & 07777)) == 0 && look(o, &st) == 0;
    kept()->place[object] = right ? place_of(&st) : 0;
    return right;
}

/* ---- FIFOs ---- */

void rd_fds_fifo_made(int dir, const char *path, const struct stat *st) {
    size_t size = strlen(path) + 1;
    if (rd_fds.fifos == RD_FDS_FIFOS || (dir != AT_FDCWD && *path != '/'))
        return;
    char *own = rd_arena_alloc(&rd_rt.arena, size);
    memcpy(own, path, size);
    RD_CHECK(rd_fds.fifos < RD_FDS_FIFOS && S_ISFIFO(st->st_mode));
    rd_fds.fifo[rd_fds.fifos++] = (struct rd_fds_fifo){own, rd_hash2(st->st_dev, st->st_ino), 0};
}

void rd_fds_fifos_note(void) {
    uint32_t there = 0;
    for (uint32_t i = 0; i < rd_fds.fifos; i++) {
        struct rd_fds_fifo f = rd_fds.fifo[i];
        struct stat st;
        if (look_at(f.path, &st) != 0 || !S_ISFIFO(st.st_mode) || rd_hash2(st.st_dev, st.st_ino) != f.inode)
            continue;
        f.mode = st.st_mode;
        kept()->fifo_inode[there] = f.inode;
        kept()->fifo_place[there] = place_of(&st);
        rd_fds.fifo[there++] = f;
    }
    rd_fds.fifos = there;
    rd_fds.special |= there != 0;
}

bool rd_fds_fifos_back(void) {
    struct rd_fds_kept *k = kept();
    bool right = true;
    k->fifos_unlinked = 0;
    for (uint32_t i = 0; i < rd_fds.fifos; i++) {
        const struct rd_fds_fifo *f = &rd_fds.fifo[i];
        RD_CHECK(S_ISFIFO(f->mode)); /* rd_fds_fifos_note() has seen it */
        struct stat st;
        long r = look_at(f->path, &st);
        if (r == 0 && place_of(&st) == k->fifo_place[i])
            continue;
        k->fifos_unlinked |= (uint16_t)((r == -ENOENT) << i);
        if (r == 0 && S_ISFIFO(st.st_mode))
            rd_raw(SYS_unlinkat, (long)AT_FDCWD, f->path, 0L);
        right &= rd_raw(SYS_mknodat, (long)AT_FDCWD, f->path, (long)f->mode, 0L) == 0 &&
                 rd_raw(SYS_fchmodat, (long)AT_FDCWD, f->path, (long)(f->mode & 07777)) == 0 &&
                 look_at(f->path, &st) == 0;
        k->fifo_inode[i] = rd_hash2(st.st_dev, st.st_ino);
        k->fifo_place[i] = place_of(&st);
    }
    return right;
}

void rd_fds_path_back(void) {
    struct rd_fds_kept *k = kept();
    struct stat st;
    for (uint32_t i = 0; k->paths && i < rd_fds.objects; i++) {
        const struct rd_fds_object *o = &rd_fds.object[i];
        if (o->kind != RD_FDS_LISTENER || !o->mode)
            continue;
        long r = look(o, &st);
        if (r != 0 || place_of(&st) != k->place[i])
            k->touched[i] |= RD_FDS_SHAPE;
        k->unlinked[i] = r == -ENOENT;
        k->unlinks |= k->unlinked[i];
    }
    k->paths = 0;
}

void rd_fds_path_leave(void) {
    struct rd_fds_kept *k = kept();
    for (uint32_t i = 0; k->unlinks && !k->released && i < rd_fds.objects; i++)
        if (k->unlinked[i])
            rd_raw(SYS_unlinkat, (long)AT_FDCWD, path_of(&rd_fds.object[i]), 0L);
    for (uint32_t i = 0; !k->released && i < rd_fds.fifos; i++)
        if (k->fifos_unlinked >> i & 1)
            rd_raw(SYS_unlinkat, (long)AT_FDCWD, rd_fds.fifo[i].path, 0L);
}
