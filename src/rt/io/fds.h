/*
 * fds.h - descriptors that are open at the checkpoint, and putting them back after an execution.
 *
 * At the checkpoint every descriptor is noted: which *numbers* are one open file (an *end*), which ends belong to
 * one *object* (both ends of a pipe), what is in it, and how it is open. Regular files, devices and whatever the
 * program was given when it started are *plain*: what happens to them is put back with a call or two, and one that
 * is closed is kept under a hidden number until then. The others are emptied or made anew, and only if the
 * execution has touched them: keeping a copy of an end would hide from the program that it is closed.
 *
 * What is noted does not change after the checkpoint. What an execution has done is in kept memory (struct
 * rd_fds_kept); the system calls of a snapshot tell it (syscall_trap_fds.c).
 */
#ifndef RD_RT_IO_FDS_H
#define RD_RT_IO_FDS_H

#include "base/base.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

enum rd_fds_kind {
    RD_FDS_PLAIN,
    RD_FDS_PIPE,
    RD_FDS_EVENT, /* a timerfd is one, too (hook/timerfd.c) */
    RD_FDS_PAIR,  /* two Unix sockets without names */
    RD_FDS_LINK,  /* a connection: two sockets, one of which connected to where the other was accepted */
    RD_FDS_LISTENER,
    RD_FDS_EPOLL,
};

enum {
    RD_FDS_MAX = 256,         /* numbers, ends, objects */
    RD_FDS_NUMBER_MAX = 4096, /* the largest number, as in RD_KEPT_FDS */
    RD_FDS_NONE = -1,
    RD_FDS_HIDDEN = 800, /* the largest that rd_fds.hidden may be */
    RD_FDS_OPTIONS = 16,
    RD_FDS_FILES = 16,
    RD_FDS_FIFOS = 16,
};

/* What an execution has done to an object. */
enum { RD_FDS_CONTENT = 1, RD_FDS_SHAPE = 2 };
/* … and to a number: it is closed, or another file's; it was changed whether it stays open on exec. */
enum { RD_FDS_SET = 1, RD_FDS_CLOSED = 2 };

struct rd_fds_number {
    int fd;
    int16_t end;
    uint8_t cloexec;
};

struct rd_fds_end {
    int16_t object;
    int fd;     /* the first of its numbers */
    int flags;  /* of F_GETFL */
    bool given; /* the program had it when it began */
    uint64_t inode;
};

/* What waits to be read, in the pieces that a reader or the kernel's limits can tell apart. */
struct rd_fds_content {
    char *data;
    uint32_t size, parts, room;
    uint32_t *part;
    uint32_t pad;     /* bytes that were read from the page of the first piece before it; they are in data, too */
    int32_t occupied; /* a socket: what the kernel counts for it; RD_FDS_NONE: not known */
};

struct rd_fds_option {
    int level, name;
    socklen_t size;
    char value[16];
};

struct rd_fds_options {
    struct rd_fds_option option[RD_FDS_OPTIONS];
    uint32_t count;
};

struct rd_fds_member {
    int fd;
    uint32_t events;
    uint64_t data;
    int16_t end;
};

struct rd_fds_object {
    uint8_t kind;
    bool semaphore;
    bool quiet;     /* an epoll: nothing was ready, and none of its members is told of once only */
    int16_t end[2]; /* of a pipe: to read, to write; of a pair: its two; else the first */
    struct rd_fds_content content[2]; /* what can be read from each end */
    uint64_t value;
    int pipe_size;
    int domain, type, protocol, backlog;
    struct sockaddr_storage name;
    socklen_t name_size;
    uint32_t mode; /* of the file at the path that leads to a Unix socket; 0: it has none */
    struct rd_fds_options *options[2];
    struct rd_io_names *names[2];
    struct rd_fds_member *member; /* those that were ready first, in the order in which they are told */
    uint32_t members;
};

/* A file without a name that can be written to. */
struct rd_fds_file {
    int fd; /* a hidden number, of our own */
    uint32_t mode;
    uint64_t inode, size;
    long seals;
    char *data; /* what was in it: in kept memory, which a forked child has not */
};

/* A FIFO that the program made and that nobody has open at the checkpoint: its name is all that there is of it. */
struct rd_fds_fifo {
    const char *path;
    uint64_t inode;
    uint32_t mode;
};

struct rd_fds {
    uint32_t numbers, ends, objects, files, fifos;
    int hidden;   /* copies that the program is not to see have this number or a higher one */
    bool special; /* there are objects that are not plain */
    struct rd_fds_number number[RD_FDS_MAX];
    struct rd_fds_end end[RD_FDS_MAX];
    struct rd_fds_object object[RD_FDS_MAX];
    struct rd_fds_file file[RD_FDS_FILES];
    struct rd_fds_fifo fifo[RD_FDS_FIFOS];
    uint16_t order[RD_FDS_MAX]; /* in which objects are made: epolls after their members, listeners first: nobody
                                   else is to get their ports */
    uint16_t by_fd[RD_FDS_NUMBER_MAX]; /* which number it is, and 1 */
};
extern struct rd_fds rd_fds;

/* What is so now; in kept memory. */
struct rd_fds_kept {
    uint8_t changed;               /* anything of what follows */
    uint16_t written;              /* files without a name, as bits of their numbers: may have been */
    uint8_t paths;                 /* a call was made that may change where a path leads */
    uint8_t unlinks;               /* any of those below */
    uint8_t released;              /* this process has none of the objects: its children make them */
    uint8_t gone[RD_FDS_MAX];      /* numbers */
    uint8_t touched[RD_FDS_MAX];   /* objects */
    uint8_t flags[RD_FDS_MAX];     /* ends whose flags are others */
    int32_t flags_now[RD_FDS_MAX]; /* … which they are, of all */
    int16_t spare[RD_FDS_MAX];     /* ends: 1 more than the hidden number of a plain one; 0: none */
    uint64_t inode[RD_FDS_MAX];    /* ends: what it has now */
    uint8_t unlinked[RD_FDS_MAX];  /* objects: the path was gone when the last execution was over */
    uint64_t fifo_inode[RD_FDS_FIFOS], fifo_place[RD_FDS_FIFOS];
    uint16_t fifos_unlinked;               /* as bits */
    uint64_t place[RD_FDS_MAX];            /* … what is there */
    uint16_t end_of[RD_FDS_NUMBER_MAX];    /* which end a number is of, and 1 */
    uint8_t socket[RD_FDS_NUMBER_MAX / 8]; /* numbers that the execution has got as sockets */
    uint8_t copies[RD_FDS_NUMBER_MAX / 8]; /* … as pipes, sockets, eventfds: what comes from there is copied */
};

/*
 * fds_note.c: at the checkpoint, for every descriptor; `given`: the program had it when it began. Then
 * rd_fds_note_end. False, with the reason: it could not be put back.
 */
struct stat;
void rd_fds_note_begin(void);
bool rd_fds_note(int fd, const struct stat *st, bool given, const char **why);
/* fd: the one with which it cannot be done. */
bool rd_fds_note_end(int *fd, const char **why);
/* fds_epoll.c: what an epoll looks at. False: a member is not noted yet, or with the reason. */
bool rd_fds_note_epoll(struct rd_fds_object *o, int fd, const char **why);
/* What the kernel tells of a descriptor, as text that ends with 0; the number after a name in it. */
long rd_fds_info(int fd, char *to, size_t room);
uint64_t rd_fds_info_number(const char *text, const char *name, unsigned base);
/* The number of an open file, hashed with its device, as it was at the checkpoint; any other is its own. */
uint64_t rd_fds_inode(uint64_t inode);

/* fds_take.c: takes out what can be read. False, with the reason: it could not be put in again as it was. */
bool rd_fds_take_pipe(struct rd_fds_content *c, int in, int out, const char **why);
bool rd_fds_take_socket(struct rd_fds_content *c, int fd, int peer, int type, const char **why);
/* Puts it in again: into a pipe that is empty; by sending it. */
bool rd_fds_fill_pipe(const struct rd_fds_content *c, int in, int out);
bool rd_fds_fill_socket(const struct rd_fds_content *c, int from);
/* Is it ready now? */
struct pollfd;
bool rd_fds_poll(struct pollfd *p);
/* Nothing is left in it. */
void rd_fds_empty_pipe(int fd);
void rd_fds_empty_socket(int fd);
void rd_fds_empty_listener(int fd);

/* fds_option.c: what a socket has set that a new one (`fresh`) has not. */
bool rd_fds_note_options(struct rd_fds_options *o, int fd, int fresh);
bool rd_fds_set_options(const struct rd_fds_options *o, int fd);

/* fds_path.c: at the checkpoint. False, with the reason: the path that it was bound to leads elsewhere. */
bool rd_fds_path_note(struct rd_fds_object *o, int fd, const char **why);
/* Binds a new socket to the address, in place of the old one at its path. */
bool rd_fds_path_bind(unsigned object, long fd);
/* Before there are threads: the program has made a FIFO. At the checkpoint: those that are still there. */
void rd_fds_fifo_made(int dir, const char *path, const struct stat *st);
void rd_fds_fifos_note(void);
/* Makes those anew that are not where they were. False: it cannot be done. */
bool rd_fds_fifos_back(void);
/* After an execution: touched is whatever has another place now. */
void rd_fds_path_back(void);
/* At the end of the search: paths that the last execution has removed are not left behind. */
void rd_fds_path_leave(void);

/* fds_file.c: at the checkpoint; nothing to do for most ends. False, with the reason. */
bool rd_fds_file_note(int end, const char **why);
/* The file without a name, as a bit; 0: it is none. */
uint32_t rd_fds_file_of(int end);
/* Puts back what is in these. */
bool rd_fds_files_back(uint32_t files);

/* fds_make.c: makes an object anew on its numbers. */
bool rd_fds_make(unsigned object);
/*
 * As connect. Connections of earlier executions keep their ports for a while. When there is none left on the
 * loopback, the kernel gives those of a second ago again: it is waited for, since the execution would not have seen
 * that in a process of its own.
 */
long rd_fds_connect_possible(long fd, const void *to, long size);
bool rd_fds_connect(const struct rd_fds_object *o, int flags, int fds[2]);
/* All of them, in a process that has none. */
bool rd_fds_make_all(void);
/* Closes all of them but the plain ones. */
void rd_fds_release(void);

/* fds_back.c: after an execution. False: it cannot be done. */
bool rd_fds_back(void);
/* Once, at the checkpoint: who has which number. */
void rd_fds_begin(void);

#endif
