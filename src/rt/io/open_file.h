/*
 * open_file.h - open files that threads can wait for: their kinds, their names, and whether other processes can
 * make them ready.
 *
 * The two ends of a pipe, of a socketpair or of a connection within the program have one name, `addr`: an address
 * at which no memory is mapped, composed of the kind of the file, the thread that opened it, and how many files of
 * this kind that thread had opened before. So the name is the same in every execution, and an operation that puts
 * data in at one end happens before the operation that takes it out at the other.
 *
 * A file is `closed` when only threads of this program can make it ready. If all threads wait for closed files the
 * execution is a deadlock. A file of which this is not certain counts as open to the outside, and Raddle waits for
 * it.
 */
#ifndef RD_RT_IO_OPEN_FILE_H
#define RD_RT_IO_OPEN_FILE_H

#include "rt/rt.h"
#include "trace/place.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/types.h>

extern uint32_t rd_io_timers; /* how many timerfds the program has made so far */
extern bool rd_io_signalfds;  /* the program has made a signalfd */

/* An open file that threads can wait for. All descriptors of one open file, and both ends of a pipe, share one. */
struct rd_io_file {
    uint8_t kind;   /* enum rd_io_kind */
    bool closed;    /* only threads of this program can make it ready, unless it is `shared` */
    bool shared;    /* another process has got a descriptor of it */
    bool named;     /* a FIFO or message queue: every process that knows the name can open it */
    bool listening; /* a socket that accepts connections */
    bool datagrams; /* a datagram socket that socketpair() did not make */
    bool local;     /* a socket with an address that the kernel chose and that other machines cannot reach: no other
                       program knows this address */
    int backlog;    /* of a listening socket: the argument of listen() */
    uint64_t addr;  /* its name */
    uint64_t inode; /* of pipes, sockets and queues, hashed with the device; 0: not known */
    uint32_t opened[2]; /* of a FIFO: how often it was opened for reading, and for writing */
    uint64_t name;      /* of a socket that listens, has connected, or is for datagrams: hash of its own address */
    uint64_t receiver; /* of a datagram socket: hash of the address that it sends to by default; 0: none is known */
    const struct rd_io_names *names; /* of a socket: the addresses that the program is told; NULL: the kernel's */
    struct rd_io_file *next;         /* the list of all files, newest first */
    struct rd_io_file *connecting;   /* of a listening socket: the first client that is connected and not accepted
                                        yet;   of such a client: the next one */
    struct rd_io_member *members;    /* of an epoll */
    struct rd_io_timer *timer;       /* of a timerfd */
    struct rd_io_signals *signals;   /* of a signalfd */
};

/* The addresses of a connection from before the checkpoint, and of its peer. Each execution has a new connection in
 * its place (fds.h), with another port; the program is told the addresses of the first one. */
struct rd_io_names {
    struct sockaddr_storage own, peer;
    socklen_t own_size, peer_size;
};

/* A timerfd. In the kernel it is an eventfd, which counts expirations as a timerfd does. */
struct rd_io_timer {
    uint64_t expires, interval; /* virtual time of the next expiration, 0: disarmed; time between further ones */
    int clock, fd;
};

/* A signalfd. The program's descriptor, `fd`, is an eventfd; the signalfd `real` gets the signals from outside. */
struct rd_io_signals {
    uint64_t set; /* the signals that it accepts */
    int fd, real;
    bool shown; /* the eventfd is readable */
    struct rd_io_signals *next;
};

/* A descriptor in the interest list of an epoll. */
struct rd_io_member {
    int fd;
    struct rd_io_file *file; /* NULL: a thread cannot wait for it */
    struct rd_io_member *next;
};

/* The open files that a call on a descriptor concerns. */
struct rd_io_look {
    struct rd_io_file *file;       /* NULL: no call waits for it (a regular file, a number that is not open) */
    int flags;                     /* as fcntl(F_GETFL) returned them */
    const struct rd_io_file *peer; /* another file that the call acts on: a listener, a receiver; NULL: none */
    bool anybody;                  /* the call acts on another file, and it is not known on which */
};

/* The child processes that a thread waits for: the arguments of waitid(), with the kernel's process numbers. */
struct rd_io_children {
    int type, options;
    uint32_t id;
};

/* The condition that one operation waits for: one of the descriptors is ready, or the condition of the further
 * fields holds. */
struct rd_io_wait {
    struct pollfd *fds;
    struct rd_io_file **files; /* of the same descriptors; NULL: no call waits for it */
    uint32_t count;
    bool never; /* the operation does not wait: it is always enabled */
    /* not NULL: the thread opens one end of this FIFO, and waits until the other end is open, or was opened (more
     * often than `opened`) */
    const struct rd_io_file *fifo;
    uint32_t opened;
    bool other;  /* the other end is the one for writing */
    bool change; /* the thread waits until the files have been changed since there were `changes` of them */
    uint64_t changes;
    const struct rd_io_file *peer; /* as in struct rd_io_look */
    bool anybody;
    const struct rd_io_children *children; /* not NULL: the thread waits until one of them has changed its state */
    bool steady; /* in a snapshot: only a system call of the program can change whether a descriptor is ready */
};

/* Returns whether calls on descriptors are operations: there are several threads, or the program has a timerfd or a
 * signalfd, which are other files in the kernel. */
static inline bool rd_io_on(void) { return rd_rt_active() && (rd_rt.threaded || rd_io_timers || rd_io_signalfds); }

/* open_file_names.c. Looks up the file and the flags of a descriptor; names the file if it is new. */
struct rd_io_look rd_io_look(int fd);
struct rd_io_file *rd_io_files(void); /* the head of the list of all files */
/* The file of a descriptor; NULL: it has no name yet. */
struct stat;
struct rd_io_file *rd_io_known(int fd, const struct stat *st);
/* Records that the program gets a new descriptor number. Which one it is depends on the numbers that other threads
 * have open, and the relation of dependence ignores that: a claim says so. */
void rd_io_unordered(void);
/* Names a new open file at this descriptor after the running thread. */
struct rd_io_file *rd_io_made(int fd, enum rd_io_kind kind, bool closed);
/* The number `to` is a duplicate of `from` now. */
void rd_io_duplicated(int from, int to);
/* The number is about to be closed. */
void rd_io_forget(int fd);
/* The file of a FIFO, which the program names by its path. */
struct rd_io_file *rd_io_fifo(const struct stat *st);
/* The program has opened an end of the FIFO at this descriptor. */
void rd_io_fifo_opened(struct rd_io_file *f, int fd, bool writes);
/* The program has made a FIFO: a new file, even if another file had its inode before. */
void rd_io_fifo_made(const struct stat *st, bool closed);
/* The program has opened a message queue; `closed`: it has just made it. */
void rd_io_queue(int fd, bool closed);
/* Returns whether this program has the given end of a FIFO open. */
bool rd_io_has_end(const struct rd_io_file *f, bool writes);
/* Another process gets all descriptors that are open now: no file is closed any more. */
void rd_io_shared(void);
/* Returns whether only threads of this program can make the file ready. */
bool rd_io_is_closed(const struct rd_io_file *f);
/* socket_peer.c: a socket is about to connect, or to send, to this address: fills `peer` and `anybody`. */
void rd_io_calls(struct rd_io_look *at, const struct sockaddr *to, socklen_t size);
void rd_io_sends(struct rd_io_look *at, const struct sockaddr *to, socklen_t size);
/* Before there are threads: a datagram socket was connected to this address. */
void rd_io_directed(int fd, const struct sockaddr *to, socklen_t size);
/* A datagram socket may have got an address: by bind(), or because it has sent a message. */
void rd_io_bound(int fd, struct rd_io_file *f);
/* The socket listens now. */
void rd_io_listens(int fd);
/* The newest listening socket of this program with the address; NULL: there is none. */
struct rd_io_file *rd_io_listener(const struct sockaddr *to, socklen_t size);
/* `client` has connected to the listener. */
void rd_io_connected(int fd, struct rd_io_file *client, struct rd_io_file *listener);
/* The listener has accepted a connection; fd is its descriptor. */
void rd_io_accepted(int fd, struct rd_io_file *listener);

/* io_wait.c: one operation on a descriptor, or on several. Returns 0, ETIMEDOUT or EINTR; deadline 0: none. */
int rd_io_op(unsigned kind, int fd, const struct rd_io_look *at, short events, uint64_t deadline, uint64_t pc);
int rd_io_op_many(unsigned kind, struct rd_io_wait *w, uint64_t deadline, uint64_t pc);
/* The descriptor was ready and yet the call could not complete (no room for the whole message): yields. */
void rd_io_not_yet(uint64_t pc);
/*
 * The same, where `closed` says that only threads of this program can change this: waits until a thread has moved
 * data, accepted a connection or the like. Returns as rd_io_op does.
 */
int rd_io_until_changed(unsigned kind, int fd, const struct rd_io_look *at, bool closed, uint64_t deadline,
                        uint64_t pc);
/* A call has changed the files of `at`: enables the threads that wait for that with rd_io_until_changed. */
void rd_io_changed(const struct rd_io_look *at);
/* A call that does not wait has found its file not ready: if that happens again at the same pc, with no yield
 * between, this function yields. */
void rd_io_found_nothing(uint64_t pc);
/* An operation on one or two files that does not wait. */
void rd_io_touch(unsigned kind, const struct rd_io_file *f, const struct rd_io_file *other, uint64_t pc);
void rd_io_touch_both(unsigned kind, const struct rd_io_look *at, uint64_t pc);
/* A wait with arrays for this many descriptors. They are the thread's, which uses them again in its next call. */
struct rd_io_wait rd_io_room(uint32_t count);

/* A timerfd was set: sets the deadlines of the threads that wait for one anew. */
void rd_io_timers_changed(void);

/* child_table.c: returns whether waitid() would return now. */
bool rd_io_child_ready(const struct rd_io_children *c);
/* Gives the children a moment to change their state. */
void rd_io_child_settle(const struct rd_io_children *c);
/* How long to wait for a child's output, in ns: more than 0 as long as a child computes. */
uint64_t rd_io_child_busy(void);
/* outside_wait.c: the children that this thread waits for; NULL: it waits for none. */
const struct rd_io_children *rd_io_children_of(rd_tid tid);
/* child_table.c: opens descriptors that become ready when a child ends; the caller closes them. */
uint32_t rd_io_child_fds(const struct rd_io_children *c, struct pollfd *to, uint32_t room);

/* outside_wait.c: SIGCHLD, which the model delivers when it comes, is expected from now on. */
void rd_io_expect_signals(void);
/* hook/process/sigchld.c: such a signal may still come; it has come. */
bool rd_io_signal_may_come(void);
bool rd_io_signal_came(void);

/* hook/time/timerfd.c: makes the timerfds readable that have expired. */
void rd_io_timers_fire(void);

/* hook/process/signalfd.c: makes exactly the signalfds readable that accept a pending signal of this thread. */
void rd_io_signals_show(rd_tid tid);
/* Returns whether only this program can send the signals that the signalfd accepts. */
bool rd_io_signals_closed(const struct rd_io_signals *s);
struct iovec;
/* Reads signals as read() does; never waits. `room`: bytes in all parts of v. */
ssize_t rd_io_signals_read(struct rd_io_signals *s, const struct iovec *v, size_t room);

#endif
