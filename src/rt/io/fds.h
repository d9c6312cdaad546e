/*
 * fds.h - descriptors that are open at the checkpoint, and putting them back after an execution.
 *
 * At the checkpoint every open descriptor is noted: which *numbers* are one open file description (an *end*), which
 * ends belong to one *object* (both ends of a pipe), which data an object holds, and with which flags an end is
 * open. Regular files, devices and the descriptors that the program was given when it started are *plain* objects:
 * one or two system calls put back their state, and a duplicate with a hidden number keeps an end that the
 * execution closes. All other objects are emptied or made anew, and only if the execution has touched them. They
 * have no hidden duplicates, because a duplicate of an end would hide from the program that it has closed this end.
 *
 * The notes (rd_fds) do not change after the checkpoint. An execution's changes to the descriptors are recorded
 * in kept memory (struct rd_fds_kept), by the code that handles the system calls of a snapshot
 * (syscall_trap_fds.c).
 *
 * Invariants, from the end of rd_fds_note_end() on: every number belongs to an end and every end to an object;
 * `object.end[side]` and `end.object` refer to each other; `by_fd[number.fd]` is the number's index plus 1.
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
    RD_FDS_EVENT, /* an eventfd, or a timerfd, which is an eventfd in the kernel (hook/time/timerfd.c) */
    RD_FDS_PAIR,  /* two Unix sockets without names, connected to each other */
    RD_FDS_LINK,  /* a connection: one socket connected to a listener, which accepted the other socket */
    RD_FDS_LISTENER,
    RD_FDS_EPOLL,
};

enum {
    RD_FDS_MAX = 256,         /* how many numbers, ends and objects can be noted */
    RD_FDS_NUMBER_MAX = 4096, /* descriptor numbers are below this, as in RD_KEPT_FDS */
    RD_FDS_NONE = -1,
    RD_FDS_HIDDEN = 800, /* the largest value of rd_fds.hidden */
    RD_FDS_OPTIONS = 16,
    RD_FDS_FILES = 16,
    RD_FDS_FIFOS = 16,
};

/* The changes of an execution to an object: the data in it (bits of rd_fds_kept.touched), or a property that
 * only a new object has as it was at the checkpoint: an option, the size of a pipe, a closed end. */
enum { RD_FDS_CONTENT = 1, RD_FDS_SHAPE = 2 };
/* The changes of an execution to a number (rd_fds_kept.gone): it changed FD_CLOEXEC; it closed the number, or gave
 * it to another open file. */
enum { RD_FDS_SET = 1, RD_FDS_CLOSED = 2 };

/* A descriptor number that was open at the checkpoint. */
struct rd_fds_number {
    int fd;
    int16_t end;     /* index in rd_fds.end */
    uint8_t cloexec; /* 1: FD_CLOEXEC was set */
};

/* An open file description. */
struct rd_fds_end {
    int16_t object; /* index in rd_fds.object; RD_FDS_NONE: an epoll, before its object is made */
    int fd;         /* the first of its numbers */
    int flags;      /* as F_GETFL returned them */
    bool given;     /* the program had it when it started */
    uint64_t inode; /* of the file, hashed with its device */
};

/* The data that can be read from one end, in parts that a reader, or the kernel's accounting, can tell apart. */
struct rd_fds_content {
    char *data;
    uint32_t size, parts, room; /* bytes without `pad`; length of `part` in use, and allocated */
    uint32_t *part;             /* the size of each part */
    uint32_t pad; /* a pipe: bytes of the first part's page that had been read already; `data` begins with them */
    int32_t occupied; /* a socket: the memory that the kernel accounts for the data; RD_FDS_NONE: not compared */
};

/* An option of a socket, as getsockopt() returns it. */
struct rd_fds_option {
    int level, name;
    socklen_t size;
    char value[16];
};

/* The options of a socket that differ from the options of a new socket. */
struct rd_fds_options {
    struct rd_fds_option option[RD_FDS_OPTIONS];
    uint32_t count;
};

/* A descriptor in the interest list of an epoll. */
struct rd_fds_member {
    int fd;
    uint32_t events;
    uint64_t data;
    int16_t end; /* index in rd_fds.end */
};

/* A pipe, eventfd, pair of sockets, listener or epoll; or one plain end. */
struct rd_fds_object {
    uint8_t kind;   /* enum rd_fds_kind */
    bool semaphore; /* an eventfd with EFD_SEMAPHORE */
    bool quiet;     /* an epoll: no member was ready, and none has EPOLLONESHOT */
    int16_t end[2]; /* a pipe: the read end, the write end; two sockets: one each; else the only end is the first.
                       RD_FDS_NONE: the end was closed, or the object has only one */
    struct rd_fds_content content[2]; /* the data that can be read from each end */
    uint64_t value; /* an eventfd: its counter. While descriptors are noted: the name of the open file, by which the
                       second end finds the object */
    int pipe_size;  /* as F_GETPIPE_SZ returned it */
    int domain, type, protocol, backlog; /* sockets */
    struct sockaddr_storage name;        /* a listener: its address; two sockets: the address of the second one */
    socklen_t name_size;
    uint32_t mode; /* of the file at the path of a listening Unix socket; 0: the socket has no path */
    struct rd_fds_options *options[2];
    struct rd_io_names *names[2]; /* RD_FDS_LINK: the addresses that the program is told */
    struct rd_fds_member
        *member; /* an epoll: first the ready members, in the order in which epoll_wait reports them */
    uint32_t members;
};

/* A regular file without a name that the program can write to. */
struct rd_fds_file {
    int fd; /* our own descriptor of it, with a hidden number */
    uint32_t mode;
    uint64_t inode, size;
    long seals;
    char *data; /* its contents at the checkpoint, in kept memory, which a forked child does not have */
};

/* A FIFO that the program made before the checkpoint: as long as no process has it open, its path is its only
 * state. */
struct rd_fds_fifo {
    const char *path;
    uint64_t inode;
    uint32_t mode;
};

/* The notes of the checkpoint. */
struct rd_fds {
    uint32_t numbers, ends, objects, files, fifos; /* how many entries of the arrays below are in use */
    int hidden;   /* duplicates that the program is not to see have this number or a higher one */
    bool special; /* at least one object is not plain, or there is a FIFO */
    struct rd_fds_number number[RD_FDS_MAX];
    struct rd_fds_end end[RD_FDS_MAX];
    struct rd_fds_object object[RD_FDS_MAX];
    struct rd_fds_file file[RD_FDS_FILES];
    struct rd_fds_fifo fifo[RD_FDS_FIFOS];
    uint16_t order[RD_FDS_MAX]; /* in which objects are made anew: listeners first, so that no other socket gets
                                   their ports; epolls after their members */
    uint16_t by_fd[RD_FDS_NUMBER_MAX]; /* index in `number`, plus 1; 0: the number was not open */
};
extern struct rd_fds rd_fds;

/* The changes of executions to the noted descriptors so far; in kept memory. */
struct rd_fds_kept {
    uint8_t changed;               /* the execution has changed one of the fields below */
    uint16_t written;              /* bits by rd_fds.file: the execution may have written to the file */
    uint8_t paths;                 /* the execution has made a call that may change where a path leads */
    uint8_t unlinks;               /* an element of `unlinked` is set */
    uint8_t released;              /* this process has closed its special objects: its children make them */
    uint8_t gone[RD_FDS_MAX];      /* by number: RD_FDS_SET or RD_FDS_CLOSED */
    uint8_t touched[RD_FDS_MAX];   /* by object: RD_FDS_CONTENT and RD_FDS_SHAPE */
    uint8_t flags[RD_FDS_MAX];     /* by end: 1 if its flags are not those of the checkpoint */
    int32_t flags_now[RD_FDS_MAX]; /* by end: its flags */
    int16_t spare[RD_FDS_MAX];     /* by plain end: the hidden number of a duplicate, plus 1; 0: there is none */
    uint64_t inode[RD_FDS_MAX];    /* by end: the inode that it has now, hashed with its device */
    uint8_t unlinked[RD_FDS_MAX];  /* by object: its path did not exist when the last execution was over */
    uint64_t fifo_inode[RD_FDS_FIFOS], fifo_place[RD_FDS_FIFOS]; /* as `inode` and `place`, by rd_fds.fifo */
    uint16_t fifos_unlinked;                                     /* as `unlinked`, bits by rd_fds.fifo */
    uint64_t place[RD_FDS_MAX];            /* by object: a hash of device, inode and mode of the file at its path */
    uint16_t end_of[RD_FDS_NUMBER_MAX];    /* by descriptor number: index of its end, plus 1; 0: of no end */
    uint8_t socket[RD_FDS_NUMBER_MAX / 8]; /* bits: the execution has opened this number as a socket */
    uint8_t copies[RD_FDS_NUMBER_MAX / 8]; /* bits: … as a pipe, socket or eventfd: reading copies */
};

/*
 * fds_note.c, at the checkpoint. Call rd_fds_note_begin() first, rd_fds_note() for every open descriptor (`given`:
 * the program had it when it started), rd_fds_note_end() last. False: the descriptor cannot be put back, for the
 * reason in `why`. rd_fds_note_end() stores that descriptor in *fd.
 */
struct stat;
void rd_fds_note_begin(void);
bool rd_fds_note(int fd, const struct stat *st, bool given, const char **why);
bool rd_fds_note_end(int *fd, const char **why);
/* fds_epoll.c: notes the members of an epoll. False with *why == NULL: a member is an epoll that has no object yet;
 * else with the reason why the epoll cannot be put back. */
bool rd_fds_note_epoll(struct rd_fds_object *o, int fd, const char **why);
/* Reads /proc/self/fdinfo of the descriptor as a string of at most room - 1 characters; returns its length. */
long rd_fds_info(int fd, char *to, size_t room);
/* The number that follows `name` in such a text; 0: the text does not contain the name. */
uint64_t rd_fds_info_number(const char *text, const char *name, unsigned base);
/* Maps the inode of an end or FIFO that was made anew to the one that it had at the checkpoint; returns any other
 * as it is. Both are hashed with the device. */
uint64_t rd_fds_inode(uint64_t inode);

/* fds_take.c: take out the data that can be read. `out`, `peer`: the other end; out -1: it is closed. False: the
 * same state could not be made again, for the reason in `why`. */
bool rd_fds_take_pipe(struct rd_fds_content *c, int in, int out, const char **why);
bool rd_fds_take_socket(struct rd_fds_content *c, int fd, int peer, int type, const char **why);
/* Put the data in again: into an empty pipe; by sending from the other socket. False: it did not go in as before.
 */
bool rd_fds_fill_pipe(const struct rd_fds_content *c, int in, int out);
bool rd_fds_fill_socket(const struct rd_fds_content *c, int from);
/* Returns whether the descriptor is ready now; does not wait. */
struct pollfd;
bool rd_fds_poll(struct pollfd *p);
/* Read and drop all that waits: bytes, messages, connections. */
void rd_fds_empty_pipe(int fd);
void rd_fds_empty_socket(int fd);
void rd_fds_empty_listener(int fd);

/* fds_option.c: notes the options in which a socket differs from `fresh`, a new socket of the same type, and
 * sets them on `fresh` as a test. False: one cannot be set. */
bool rd_fds_note_options(struct rd_fds_options *o, int fd, int fresh);
/* Sets the noted options; o may be NULL. False: an option has another value afterwards. */
bool rd_fds_set_options(const struct rd_fds_options *o, int fd);

/* fds_path.c: at the checkpoint, for a listener. False: the path that it is bound to does not lead to it. */
bool rd_fds_path_note(struct rd_fds_object *o, int fd, const char **why);
/* Binds a new socket to the listener's address; removes the old socket at its path first. */
bool rd_fds_path_bind(unsigned object, long fd);
/* Before there are threads: the program has made a FIFO. */
void rd_fds_fifo_made(int dir, const char *path, const struct stat *st);
/* At the checkpoint: keeps the FIFOs that are still at their paths. */
void rd_fds_fifos_note(void);
/* Makes the FIFOs anew that are not at their paths any more. False: that failed. */
bool rd_fds_fifos_back(void);
/* After an execution: marks the listeners as touched to which their path does not lead any more. */
void rd_fds_path_back(void);
/* At the end of the search: removes the paths that the last execution had removed, and that were made again. */
void rd_fds_path_leave(void);

/* fds_file.c: at the checkpoint: copies the file if it has no name; ignores other ends. False:
 * it cannot be copied, for the reason in `why`. */
bool rd_fds_file_note(int end, const char **why);
/* The bit of the end's file in a set of files without a name; 0: the end's file has a name. */
uint32_t rd_fds_file_of(int end);
/* Puts back the contents of the files in the set. */
bool rd_fds_files_back(uint32_t files);

/* fds_make.c: closes the numbers of an object that is not plain, and makes it anew on them. */
bool rd_fds_make(unsigned object);
/*
 * As connect. Connections of earlier executions keep their ports for a while (TIME_WAIT). When the loopback has no
 * free port left, the kernel uses ports again whose connection ended more than a second ago: this function waits
 * for that, because the execution would have found a free port in a process of its own.
 */
long rd_fds_connect_possible(long fd, const void *to, long size);
/* Closes a socket so that its connection ends at once, without TIME_WAIT, in which the kernel would keep the port.
 */
void rd_fds_close_connection(long fd);
/* Makes two connected sockets like those of the object, by way of a listener that exists only meanwhile. */
bool rd_fds_connect(const struct rd_fds_object *o, int flags, int fds[2]);
/* Makes all objects that are not plain, in a process that has none of them. */
bool rd_fds_make_all(void);
/* Closes all objects that are not plain. */
void rd_fds_release(void);

/* fds_back.c: after an execution, undoes its changes to the noted descriptors. False: that is not possible.
 */
bool rd_fds_back(void);
/* At the checkpoint: fills `end_of` and `flags_now` of struct rd_fds_kept from the notes. */
void rd_fds_begin(void);

#endif
