/*
 * io_fifo.c - opening files. The open of a FIFO waits until its other end is opened: the hook opens the FIFO
 * without blocking, and the wait is an operation.
 */
#include "rt/hook/hook.h"
#include "rt/io/fds.h"
#include "rt/hook/io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Returns whether this open would wait for the other end of a FIFO; *st describes the FIFO then. */
static bool is_fifo(int dir, const char *path, int flags, struct stat *st) {
    if (!rd_rt_active() || !rd_rt.threaded || (flags & (O_NONBLOCK | O_PATH | O_DIRECTORY)))
        return false;
    int saved = errno;
    rd_rt_enter();
    bool yes = fstatat(dir, path, st, 0) == 0 && S_ISFIFO(st->st_mode) && (flags & O_ACCMODE) != O_RDWR;
    rd_rt_leave();
    errno = saved;
    return yes;
}

/*
 * Waits until the other end of the FIFO is open, or has been opened since it was opened `opened` times; also until
 * fd is readable: then another process has opened the other end, and perhaps closed it again. 0 or an errno value.
 */
static int wait_for_partner(struct rd_io_file *f, int fd, bool writes, uint32_t opened, uint64_t pc) {
    struct pollfd one = {.fd = fd, .events = POLLIN}; /* poll() ignores a negative descriptor */
    struct rd_io_wait w = {.fds = &one, .files = &f, .count = 1, .fifo = f, .opened = opened, .other = !writes};
    return rd_io_op_many(RD_OP_IO_CONNECT, &w, 0, pc);
}

static int open_fifo(int dir, const char *path, int flags, const struct stat *st, uint64_t pc) {
    struct rd_io_file *f = rd_io_fifo(st);
    bool writes = (flags & O_ACCMODE) == O_WRONLY;
    uint32_t opened = f->opened[!writes];
    int fd, error = 0;
    rd_io_touch(RD_OP_IO_CONTROL, f, NULL, pc);
    /*
     * with O_NONBLOCK an open for reading succeeds at once; for writing it fails with ENXIO until there is a reader
     */
    while ((fd = RD_REAL(openat)(dir, path, flags | O_NONBLOCK)) < 0 && errno == ENXIO && !error) {
        error = wait_for_partner(f, -1, writes, opened, pc);
        opened = f->opened[!writes];
    }
    if (fd < 0) {
        errno = error ? error : errno;
        return -1;
    }
    rd_io_fifo_opened(f, fd, writes);
    if (!writes)
        error = wait_for_partner(f, fd, writes, opened, pc);
    if (error) {
        close(fd);
        errno = error;
        return -1;
    }
    fcntl(fd, F_SETFL, flags & ~(O_CREAT | O_EXCL | O_TRUNC | O_CLOEXEC));
    return fd;
}

/* Notes a FIFO that the program makes itself: no other process uses it, unless the program has child processes. */
static int made(int r, int dir, const char *path) {
    struct stat st;
    if (r == 0 && rd_rt_active()) {
        rd_rt_enter();
        bool fifo = fstatat(dir, path, &st, 0) == 0 && S_ISFIFO(st.st_mode);
        if (fifo && !rd_rt.threaded)
            rd_fds_fifo_made(dir, path, &st);
        rd_rt_leave();
        if (fifo)
            rd_io_fifo_made(&st, !rd_rt.engine.rec.out->children);
    }
    return r;
}

RD_EXPORT int mkfifo(const char *path, mode_t mode) { return made(RD_REAL(mkfifo)(path, mode), AT_FDCWD, path); }

RD_EXPORT int mkfifoat(int dir, const char *path, mode_t mode) {
    return made(RD_REAL(mkfifoat)(dir, path, mode), dir, path);
}

RD_EXPORT int mknod(const char *path, mode_t mode, dev_t device) {
    return made(RD_REAL(mknod)(path, mode, device), AT_FDCWD, path);
}

RD_EXPORT int mknodat(int dir, const char *path, mode_t mode, dev_t device) {
    return made(RD_REAL(mknodat)(dir, path, mode, device), dir, path);
}

#define MODE_OF(flags)                     \
    mode_t mode = 0;                       \
    if ((flags) & (O_CREAT | O_TMPFILE)) { \
        va_list args;                      \
        va_start(args, flags);             \
        mode = va_arg(args, mode_t);       \
        va_end(args);                      \
    }

/* Notes that a file is opened. Writing to a device (/dev/null …) has no effect that another process would see. */
static void opens(const char *path, bool writes) {
    if (rd_rt_active())
        rd_io_unordered();
    if (writes && strncmp(path, "/dev/", 5) != 0)
        rd_rt_outside();
}

static int open_at(int dir, const char *path, int flags, mode_t mode, uint64_t pc) {
    struct stat st;
    opens(path, flags & (O_WRONLY | O_RDWR | O_CREAT));
    if (is_fifo(dir, path, flags, &st))
        return open_fifo(dir, path, flags, &st, pc);
    return RD_REAL(openat)(dir, path, flags, mode);
}

RD_EXPORT int open(const char *path, int flags, ...) {
    MODE_OF(flags)
    return open_at(AT_FDCWD, path, flags, mode, RD_IO_PC());
}

RD_EXPORT int open64(const char *path, int flags, ...) {
    MODE_OF(flags)
    return open_at(AT_FDCWD, path, flags | O_LARGEFILE, mode, RD_IO_PC());
}

RD_EXPORT int openat(int dir, const char *path, int flags, ...) {
    MODE_OF(flags)
    return open_at(dir, path, flags, mode, RD_IO_PC());
}

RD_EXPORT int openat64(int dir, const char *path, int flags, ...) {
    MODE_OF(flags)
    return open_at(dir, path, flags | O_LARGEFILE, mode, RD_IO_PC());
}

/* _FORTIFY_SOURCE: open() with flags that need no mode */
RD_API(int, __open_2, const char *path, int flags) { return open_at(AT_FDCWD, path, flags, 0, RD_IO_PC()); }
RD_API(int, __open64_2, const char *path, int flags) { return open_at(AT_FDCWD, path, flags, 0, RD_IO_PC()); }

/* ---- streams ---- */

/* fopen() of a FIFO: *to is the stream or NULL. False: the path is no FIFO that would wait, and libc opens it. */
static bool open_stream(const char *path, const char *mode, FILE **to, uint64_t pc) {
    int flags = mode[0] == 'r' ? O_RDONLY : O_WRONLY;
    struct stat st;
    opens(path, flags == O_WRONLY || strchr(mode, '+'));
    if (strchr(mode, '+') || !is_fifo(AT_FDCWD, path, flags, &st))
        return false;
    int fd = open_fifo(AT_FDCWD, path, flags | (strchr(mode, 'e') ? O_CLOEXEC : 0), &st, pc);
    *to = fd < 0 ? NULL : fdopen(fd, mode);
    return true;
}

RD_EXPORT FILE *fopen(const char *path, const char *mode) {
    FILE *f;
    return rd_hook_on() && open_stream(path, mode, &f, RD_IO_PC()) ? f : RD_REAL(fopen)(path, mode);
}

RD_EXPORT FILE *fopen64(const char *path, const char *mode) {
    FILE *f;
    return rd_hook_on() && open_stream(path, mode, &f, RD_IO_PC()) ? f : RD_REAL(fopen64)(path, mode);
}
