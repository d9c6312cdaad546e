/*
 * shared_with_fork.c - see shared_with_fork.h. This file puts the positions of files back before every execution;
 * rt/io/fds.h puts back pipes, sockets and the like. Three kinds of state cannot be put back: descriptors that
 * rt/io/fds.h refuses; writable shared mappings, which show one execution's writes to the next; and threads or
 * child processes that exist already, which a fork does not have. A program with such state needs a new process for
 * each execution, and the user is told the reason.
 */
#include "rt/isolate/shared_with_fork.h"

#include "base/text.h"
#include "rt/address/maps.h"
#include "rt/io/fds.h"
#include "rt/layout.h"
#include "rt/process/child_table.h"
#include "rt/raw.h"
#include "rt/state.h"
#include "rt/watch/unseen_activity.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { FILES_MAX = 256, INHERITED_MAX = 1024 };

/* Files and directories that were open at the checkpoint, with their flags and positions. */
static struct {
    int fd, flags;
    off_t offset;
} files[FILES_MAX];
static int file_count;
static ino_t inherited[INHERITED_MAX]; /* inodes of the descriptors that the process was given, by number */

/* The files of standard output and standard error at the checkpoint. */
static off_t output_size, error_size, output_offset, error_offset;
static int output_flags, error_flags; /* a program may set O_NONBLOCK or O_APPEND */
static ino_t output_inode;

/* struct linux_dirent64 */
struct directory_entry {
    uint64_t ino;
    int64_t off;
    unsigned short length;
    unsigned char type;
    char name[];
};

/* Returns the kind of a descriptor, as text for a reason. */
static const char *kind_of(mode_t mode) {
    if (S_ISFIFO(mode))
        return "a pipe";
    if (S_ISSOCK(mode))
        return "a socket";
    return (mode & S_IFMT) == 0 ? "an event descriptor" : "a file";
}

static bool is_queue(int fd) {
    struct statfs fs;
    return fstatfs(fd, &fs) == 0 && fs.f_type == 0x19800202; /* the file system of message queues */
}

/*
 * Writes the reason why descriptor `fd` cannot be put back, and returns true. `because`: the details, for a kind of
 * descriptor that can be put back in other cases; else NULL.
 */
static bool is_a_problem(int fd, const char *kind, const char *because, char *why, size_t room) {
    struct rd_text t;
    rd_text_init(&t, why, room);
    rd_text_str(&t, kind);
    rd_text_str(&t, " (descriptor ");
    rd_text_dec(&t, fd);
    rd_text_str(&t, ") is open when the first thread is created");
    if (because)
        rd_text_str(&t, ": ");
    rd_text_str(&t, because ? because : "");
    return true;
}

/* Notes one open descriptor. Returns true, with the reason, if its state cannot be put back. */
static bool look_at(int fd, char *why, size_t room) {
    struct stat st;
    const char *because;
    if (fstat(fd, &st) != 0)
        return false;
    bool old = fd < INHERITED_MAX && inherited[fd] == st.st_ino;
    if (!old && is_queue(fd))
        return is_a_problem(fd, "a message queue", NULL, why, room);
    if (!rd_fds_note(fd, &st, old, &because))
        return is_a_problem(fd, kind_of(st.st_mode), because, why, room);
    if ((S_ISREG(st.st_mode) || S_ISDIR(st.st_mode)) && st.st_ino != output_inode) {
        if (file_count == FILES_MAX)
            return is_a_problem(fd, "a file", "there are too many", why, room);
        files[file_count].fd = fd;
        files[file_count].flags = fcntl(fd, F_GETFL);
        files[file_count++].offset = lseek(fd, 0, SEEK_CUR);
    }
    return false;
}

/* Calls `look` for every open descriptor until it returns true; returns whether it did. */
static bool descriptors(bool (*look)(int, char *, size_t), char *why, size_t room) {
    int dir = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir < 0)
        return false;
    bool problem = false;
    char buffer[4096] = ""; /* initialised for the static analyser, which cannot see that the kernel fills it */
    long n;
    while (!problem && (n = rd_raw(SYS_getdents64, dir, buffer, sizeof buffer)) > 0) {
        for (long at = 0; at < n && !problem;) {
            struct directory_entry *e = (struct directory_entry *)(buffer + at);
            at += e->length;
            int fd = e->name[0] == '.' ? -1 : atoi(e->name);
            if (fd >= 0 && fd != dir)
                problem = look(fd, why, room);
        }
    }
    close(dir);
    return problem;
}

/* For rd_maps_each: looks for a writable shared mapping that is none of the runtime's own. */
static bool is_shared(const struct rd_mapping *m, void *found) {
    bool hub = m->start >= RD_HUB_AT && m->start < RD_ARENA_AT;
    bool search = m->start >= RD_SEARCH_AT && m->start < RD_KEPT_AT;
    bool channel = m->start >= RD_CHANNEL_AT && m->start < RD_HUB_AT; /* two mappings: one is protected */
    bool own = channel || hub || search || m->start == RD_SHARING_AT;
    *(bool *)found = m->writable && m->shared && !own;
    return !*(bool *)found;
}

/* Returns true, with the reason, if there is such a mapping. */
static bool mappings(char *why, size_t room) {
    bool found = false;
    if (!rd_maps_each(is_shared, &found) || !found)
        return false;
    rd_text_copy(
        why, room,
        "memory is shared with other processes (a writable MAP_SHARED mapping) when the first thread is created");
    return true;
}

/* For descriptors(): notes one that the process was given. */
static bool note_inherited(int fd, char *why, size_t room) {
    (void)why;
    (void)room;
    struct stat st;
    if (fd < INHERITED_MAX && fstat(fd, &st) == 0)
        inherited[fd] = st.st_ino;
    return false;
}

void rd_shared_begin(void) {
    RD_CHECK(!rd_rt.on); /* no code of the program has opened a descriptor */
    descriptors(note_inherited, NULL, 0);
}

bool rd_shared_problem(char *why, size_t room) {
    RD_CHECK(!rd_rt.threaded);
    file_count = 0;
    struct stat st;
    if (rd_rt.output_fd > 0 && fstat(rd_rt.output_fd, &st) == 0) {
        output_size = st.st_size;
        output_inode = st.st_ino;
        output_offset = lseek(rd_rt.output_fd, 0, SEEK_CUR);
        output_flags = fcntl(rd_rt.output_fd, F_GETFL);
    }
    if (rd_rt.error_fd > 0 && fstat(rd_rt.error_fd, &st) == 0) {
        error_size = st.st_size;
        error_offset = lseek(rd_rt.error_fd, 0, SEEK_CUR);
        error_flags = fcntl(rd_rt.error_fd, F_GETFL);
    }
    if (rd_child_any()) { /* a child of the explorer's process: an execution in a fork could not wait for it */
        rd_text_copy(why, room, "a child process runs when the first thread is created");
        return true;
    }
    if (rd_unseen_threads()) { /* a fork has only the thread that calls it */
        rd_text_copy(why, room, "there is a thread that raddle did not make when the first one is created");
        return true;
    }
    rd_fds_note_begin();
    if (descriptors(look_at, why, room) || mappings(why, room))
        return true;
    struct stat at;
    const char *because = NULL;
    int fd = -1;
    if (rd_fds_note_end(&fd, &because))
        return false;
    return is_a_problem(fd, fstat(fd, &at) == 0 ? kind_of(at.st_mode) : "a descriptor", because, why, room);
}

/* Cuts a file of the program's output back to its length and position at the checkpoint. */
static void cut_back(int fd, off_t size, off_t offset) {
    if (fd <= 0)
        return;
    (void)!ftruncate(fd, size);
    lseek(fd, offset, SEEK_SET);
}

void rd_shared_put_back(void) {
    for (int i = 0; i < file_count; i++)
        lseek(files[i].fd, files[i].offset, SEEK_SET);
    cut_back(rd_rt.output_fd, output_size, output_offset);
    cut_back(rd_rt.error_fd, error_size, error_offset);
}

void rd_shared_put_back_flags(void) {
    for (int i = 0; i < file_count; i++)
        fcntl(files[i].fd, F_SETFL, files[i].flags);
    if (rd_rt.output_fd > 0)
        fcntl(rd_rt.output_fd, F_SETFL, output_flags);
    if (rd_rt.error_fd > 0)
        fcntl(rd_rt.error_fd, F_SETFL, error_flags);
}
