/*
 * fds_file.c - the contents of regular files that have no name (fds.h): files of memfd_create(), tmpfile() and
 * O_TMPFILE, and files that were removed while they were open. A new process would make such a file with its
 * contents of the checkpoint; so this file copies the contents of files that the program can write to, and puts
 * them back. It uses descriptors of its own: no execution can close them, or shares their offset and flags.
 * It writes only the pieces that differ.
 */
#include "rt/io/fds.h"

#include "rt/io/fd_path.h"
#include "rt/isolate/kept.h"
#include "rt/raw.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

enum { COPIED_MAX = 4 << 20, PIECE = 16 << 10 };
static_assert(RD_FDS_FILES <= 8 * sizeof((struct rd_fds_kept *)0)->written, "each file has a bit");

/* Opens the file for reading and writing, under a hidden number. */
static long open_again(int fd) {
    struct rd_fd_path path = rd_fd_path("/proc/self/fd/", fd);
    long own = rd_raw(SYS_openat, (long)AT_FDCWD, path.at, (long)(O_RDWR | O_CLOEXEC), 0L);
    long up = own < 0 ? own : rd_raw(SYS_fcntl, own, (long)F_DUPFD_CLOEXEC, (long)rd_fds.hidden);
    if (own >= 0)
        rd_raw(SYS_close, own);
    RD_CHECK(up < 0 || up >= rd_fds.hidden);
    return up;
}

/* Reads, and writes, exactly `size` bytes at the offset `at`; false: the file is shorter, or the call fails. */
static bool get(int fd, char *to, uint64_t size, uint64_t at) {
    for (uint64_t done = 0; done < size;) {
        long n = rd_raw(SYS_pread64, fd, to + done, size - done, at + done);
        if (n <= 0)
            return false;
        done += (uint64_t)n;
        RD_CHECK(done <= size);
    }
    return true;
}

static bool put(int fd, const char *from, uint64_t size, uint64_t at) {
    for (uint64_t done = 0; done < size;) {
        long n = rd_raw(SYS_pwrite64, fd, from + done, size - done, at + done);
        if (n <= 0)
            return false;
        done += (uint64_t)n;
    }
    return true;
}

uint32_t rd_fds_file_of(int end) {
    RD_CHECK(end >= 0 && (uint32_t)end < rd_fds.ends && rd_fds.files <= RD_FDS_FILES);
    for (uint32_t i = 0; i < rd_fds.files; i++)
        if (rd_fds.file[i].inode == rd_fds.end[end].inode)
            return 1U << i;
    return 0;
}

bool rd_fds_file_note(int end, const char **why) {
    const struct rd_fds_end *e = &rd_fds.end[end];
    RD_CHECK(rd_fds.object[e->object].kind == RD_FDS_PLAIN);
    struct stat st = {0};
    bool writable = (e->flags & O_ACCMODE) != O_RDONLY && !(e->flags & O_PATH);
    if (e->given || !writable || rd_raw(SYS_fstat, e->fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_nlink ||
        rd_fds_file_of(end))
        return true;
    uint64_t all = (uint64_t)st.st_size;
    for (uint32_t i = 0; i < rd_fds.files; i++)
        all += rd_fds.file[i].size;
    *why = "it has no name, and is too large to copy";
    if (all > COPIED_MAX)
        return false;
    *why = "there are too many without a name";
    if (rd_fds.files == RD_FDS_FILES)
        return false;
    *why = "it has no name, and cannot be copied";
    long own = open_again(e->fd);
    if (own < 0)
        return false;
    struct rd_fds_file *f = &rd_fds.file[rd_fds.files++];
    *f = (struct rd_fds_file){.fd = (int)own, .inode = e->inode, .size = (uint64_t)st.st_size, .mode = st.st_mode};
    f->seals = rd_raw(SYS_fcntl, own, (long)F_GET_SEALS);
    f->data = rd_arena_alloc(&rd_kept()->arena, f->size);
    return get(f->fd, f->data, f->size, 0);
}

/* Puts back mode, size and contents. Seals cannot be removed: if there are new ones the result is false. */
static bool back(const struct rd_fds_file *f) {
    char piece[PIECE];
    struct stat st = {0};
    RD_CHECK(f->fd >= rd_fds.hidden && f->size <= COPIED_MAX);
    if (rd_raw(SYS_fcntl, f->fd, (long)F_GET_SEALS) != f->seals || rd_raw(SYS_fstat, f->fd, &st) != 0)
        return false;
    if (st.st_mode != f->mode && rd_raw(SYS_fchmod, f->fd, (long)(f->mode & 07777)) != 0)
        return false;
    if ((uint64_t)st.st_size != f->size && rd_raw(SYS_ftruncate, f->fd, f->size) != 0)
        return false;
    for (uint64_t at = 0; at < f->size; at += PIECE) {
        uint64_t n = RD_MIN((uint64_t)PIECE, f->size - at);
        if (!get(f->fd, piece, n, at) || (memcmp(piece, f->data + at, n) != 0 && !put(f->fd, f->data + at, n, at)))
            return false;
    }
    return true;
}

bool rd_fds_files_back(uint32_t files) {
    bool right = true;
    for (uint32_t i = 0; i < rd_fds.files; i++)
        right &= !(files >> i & 1) || back(&rd_fds.file[i]);
    return right;
}
