/*
 * call_files.c - names of the files on disk and of the streams that calls touch (call.h).
 *
 * A file is named after the path by which the execution opened it first, so that it has the same name in every
 * execution, even if each execution creates it. All links to a file have this one name: files are told apart by
 * device and file handle, because a file system uses the inode number of a removed file again. A stream is named by
 * its address; an operation on it touches the file behind it, too. The order in which threads print to the standard
 * output and error is no result of an execution, unless the output is judged: if it is not, these two files have no
 * name.
 */
#include "rt/call/call.h"

#include "base/map.h"
#include "rt/io/fd_path.h"
#include "rt/io/open_file.h"
#include "rt/layout.h"
#include "rt/raw.h"
#include "rt/access/mapped_files.h"
#include "rt/process/standard_streams.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_ROOM = 4096, STANDARD = 3 };
static_assert(sizeof(FILE) == RD_STREAM_SIZE, "glibc's ABI");
enum { OF_FILE = 0x2000 }; /* in FILE._flags of glibc: the stream is one of a descriptor */
enum { GIVEN = 1 }; /* in FILE._flags (_IO_USER_BUF): libc has not allocated the buffer, and does not free it */

static struct rd_map by_identity;   /* -> the name, in this execution */
static uint64_t standard[STANDARD]; /* inodes of the standard descriptors at the start, hashed with the device */

static bool look_at(int fd, struct stat *st) {
    return rd_raw(SYS_newfstatat, (long)fd, "", st, (long)AT_EMPTY_PATH) == 0;
}

static uint64_t inode_of(const struct stat *st) { return rd_hash2(st->st_dev, st->st_ino) | 1; }

/* A number that differs for two files that had the same inode one after the other, if the file system's handles do.
 */
static uint64_t identity_of(int fd, const struct stat *st) {
    struct {
        struct file_handle head;
        unsigned char bytes[MAX_HANDLE_SZ];
    } handle = {.head.handle_bytes = MAX_HANDLE_SZ};
    int mount;
    uint64_t h = inode_of(st);
    if (rd_raw(SYS_name_to_handle_at, (long)fd, "", &handle, &mount, (long)AT_EMPTY_PATH) != 0)
        return h;
    for (unsigned i = 0; i < RD_MIN(handle.head.handle_bytes, (unsigned)MAX_HANDLE_SZ); i++)
        h = rd_hash2(h, handle.bytes[i]);
    return h | 1;
}

/* A hash of the path. Process numbers differ from run to run: "/proc/<number>/…" is one file, whatever the number.
 */
static uint64_t hash_path(const char *path, size_t size) {
    static const char processes[] = "/proc/";
    RD_CHECK(size <= PATH_ROOM);
    bool process = size > sizeof processes && memcmp(path, processes, sizeof processes - 1) == 0;
    uint64_t h = 0;
    for (size_t i = 0; i < size; i++)
        if (!(process && path[i] >= '0' && path[i] <= '9'))
            h = rd_hash2(h, (unsigned char)path[i]);
    return h;
}

/* The name that an open file has after its path, as the kernel reports it. */
static uint64_t path_name(int fd) {
    char path[PATH_ROOM] = {0};
    struct rd_fd_path link = rd_fd_path("/proc/self/fd/", fd);
    long n = rd_raw(SYS_readlinkat, (long)AT_FDCWD, link.at, path, (long)sizeof path);
    RD_CHECK(n <= PATH_ROOM);
    return rd_call_state_name(hash_path(path, n > 0 ? (size_t)n : 0));
}

bool rd_call_output_counts(void) {
    static const char replaced[] = "standard-output";
    const struct rd_config *c = &rd_rt.channel->config;
    return c->outcomes || c->expect_output || c->separate ||
           rd_call_may_write(rd_rule_state(replaced, sizeof replaced - 1));
}

void rd_call_learn_standard(void) {
    struct stat st = {0};
    RD_CHECK(!rd_rt.threaded);
    for (int fd = 0; fd < STANDARD; fd++)
        standard[fd] = look_at(fd, &st) ? inode_of(&st) : 1;
}

void rd_call_closes(int fd) {
    if ((fd == 1 || fd == 2) && rd_rt.threaded && !rd_call_output_counts())
        rd_rt.engine.rec.out->unseen |= RD_UNSEEN_OUTPUT;
}

uint64_t rd_call_identity(int fd) {
    struct stat st = {0};
    return look_at(fd, &st) && S_ISREG(st.st_mode) ? identity_of(fd, &st) : 0;
}

static uint64_t name_of(int fd, const struct stat *st) {
    uint64_t inode = inode_of(st), identity;
    bool output = inode == standard[1] || inode == standard[2];
    if (output && !rd_call_output_counts())
        return 0;
    identity = identity_of(fd, st);
    rd_mapped_files_used(identity);
    uint64_t *slot = rd_map_put(&by_identity, &rd_rt.arena, identity);
    if (!*slot)
        *slot = path_name(fd);
    RD_CHECK(*slot >= RD_FILES_AT && *slot < RD_FILES_AT + RD_FILES_SLOT);
    return *slot;
}

uint64_t rd_call_number(int fd) {
    static const uint64_t numbers = 0x6e756d626572;
    return rd_call_state_name(rd_hash2(numbers, (unsigned)fd));
}

static uint64_t file_of(int fd) {
    struct stat st = {0};
    if (fd < 0)
        return 0;
    if (!look_at(fd, &st))
        return rd_call_number(fd);
    if (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode) || S_ISBLK(st.st_mode))
        return name_of(fd, &st);
    const struct rd_io_file *f = rd_io_look(fd).file;
    return f ? f->addr : rd_call_number(fd); /* a device has no other name */
}

uint64_t rd_call_file_of(int fd) {
    rd_rt_enter();
    uint64_t name = file_of(fd);
    rd_rt_leave();
    return name;
}

uint64_t rd_call_file_at(int directory, const char *path) {
    rd_rt_enter();
    long fd = rd_raw(SYS_openat, (long)directory, path, (long)(O_PATH | O_CLOEXEC));
    struct stat st = {0};
    uint64_t name = fd >= 0 && look_at((int)fd, &st) ? name_of((int)fd, &st) : 0;
    if (fd >= 0)
        rd_raw(SYS_close, fd);
    rd_rt_leave();
    return name;
}

/* Returns whether the stream uses memory of the program, which setvbuf() has given it. */
static bool has_own_buffer(const FILE *f) {
    const char *at = f->_IO_buf_base;
    return f->_flags & GIVEN && at && at != f->_shortbuf && !rd_standard_streams_is_buffer(at);
}

struct rd_stream_names rd_call_stream(const void *stream) {
    const FILE *f = stream;
    struct rd_stream_names n = {0, 0, false};
    if (!f)
        return n;
    n.wide = has_own_buffer(f);
    bool output = rd_standard_streams_is_output(f);
    if (output && !rd_call_output_counts())
        return n;
    n.stream = (uintptr_t)f;
    n.wide |= !(f->_flags & OF_FILE) || f->_fileno < 0;
    RD_ASSERT(rd_rt_active());
    n.file = n.wide ? 0 : rd_call_file_of(f->_fileno);
    return n;
}
