/*
 * io.h - open files that threads can wait for: what they are, what they are called, who else has them.
 *
 * Two ends that belong together (a pipe, a socketpair, a connection within the program) have one name, `addr`: an
 * address at which nothing is mapped, made of the kind, the thread that made it and which of its files it was. So
 * it is the same in every execution, and what goes in at one end happens before what comes out at the other.
 *
 * A file is `closed` when only threads of this program can make it ready. If everybody waits for such files it is a
 * deadlock; when it is not sure, the file counts as open to the outside, and Raddle waits for it.
 */
#ifndef RD_RT_IO_OPEN_FILE_H
#define RD_RT_IO_OPEN_FILE_H

#include "rt/rt.h"
#include "trace/place.h"

#include <poll.h>
#include <sys/socket.h>
#include <sys/types.h>

extern uint32_t rd_io_timers; /* how many were ever made */
extern bool rd_io_signalfds;  /* has there ever been one? */

struct rd_io_file {
    uint8_t kind;   /* enum rd_io_kind */
    bool closed;    /* nobody outside the program can make it ready */
    bool shared;    /* … but another process has got it */
    bool named;     /* a FIFO: whoever knows the name can open it */
    bool listening; /* a socket that accepts connections */
    bool datagrams; /* a socket for datagrams, not made by socketpair */
    bool local;  /* a socket with an address that the kernel chose, not for other machines: nobody else knows it */
    int backlog; /* … of so many */
    uint64_t addr;
    uint64_t inode;     /* of pipes and sockets, mixed with the device */
    uint32_t opened[2]; /* FIFO: how often it was opened for reading and for writing */
    uint64_t name;      /* of a socket that listens, has connected, or is for datagrams: hash of its own address */
    uint64_t receiver;  /* of one for datagrams: the name that it sends to if no other is given */
    const struct rd_io_names *names; /* what it says that it and its peer are called; NULL: what the kernel says */
    struct rd_io_file *next;         /* all of them, newest first */
    struct rd_io_file *connecting; /* listening: the first that has connected and is not accepted; then: the next */
    struct rd_io_member *members;  /* epoll */
    struct rd_io_timer *timer;     /* timerfd */
    struct rd_io_signals *signals; /* signalfd */
};

/* Of a connection that is made anew for each execution (fds.h): it has another port every time. */
struct rd_io_names {
    struct sockaddr_storage own, peer;
    socklen_t own_size, peer_size;
};

/* A timerfd. In the kernel it is an eventfd, which counts expirations as a timerfd does. */
struct rd_io_timer {
    uint64_t expires, interval; /* virtual time of the next expiration, 0: not set; time between further ones */
    int clock, fd;
};

/* A signalfd. What the program has is an eventfd; `real` gets what comes from outside. */
struct rd_io_signals {
    uint64_t set; /* which signals */
    int fd, real;
    bool shown; /* the eventfd is readable */
    struct rd_io_signals *next;
};

struct rd_io_member {
    int fd;
    struct rd_io_file *file;
    struct rd_io_member *next;
};

/* A descriptor as a call sees it. file NULL: nothing to wait for (a regular file, not open). */
struct rd_io_look {
    struct rd_io_file *file;
    int flags;                     /* of fcntl(F_GETFL) */
    const struct rd_io_file *peer; /* the call does something to this one, too; NULL: to no other */
    bool anybody;                  /* … or to one that is not known */
};

/* Child processes that are waited for, as waitid has it, with the kernel's own numbers. */
struct rd_io_children {
    int type, options;
    uint32_t id;
};

/* What one operation waits for: until one of these is ready. */
struct rd_io_wait {
    struct pollfd *fds;
    struct rd_io_file **files; /* of the same descriptors; NULL where there is none */
    uint32_t count;
    bool never; /* it does not wait: it is always ready */
    /* the end of a FIFO is being opened: until the other one is open, or has been (more often than `opened`) */
    const struct rd_io_file *fifo;
    uint32_t opened;
    bool other;  /* which is the other one: true is for writing */
    bool change; /* until something has been done to its files since `changes` */
    uint64_t changes;
    const struct rd_io_file *peer; /* as in struct rd_io_look */
    bool anybody;
    const struct rd_io_children *children; /* until one of them has ended (or what the options say) */
    bool steady; /* in a snapshot: only a system call of the program's can change whether it is ready */
};

/* Is there anything to control: more than one thread, or what is another thing in the kernel? */
static inline bool rd_io_on(void) { return rd_rt_active() && (rd_rt.threaded || rd_io_timers || rd_io_signalfds); }

/* open_file_names.c */
struct rd_io_look rd_io_look(int fd);
struct rd_io_file *rd_io_files(void); /* all of them */
/* The file behind a descriptor, if there is one already. */
struct stat;
struct rd_io_file *rd_io_known(int fd, const struct stat *st);
/* A new descriptor has a number: which one depends on what other threads have open, and that is no operation. */
void rd_io_unordered(void);
/* A new open file at this descriptor, named after the running thread. */
struct rd_io_file *rd_io_made(int fd, enum rd_io_kind kind, bool closed);
void rd_io_duplicated(int from, int to);
void rd_io_forget(int fd);
/* The file of a FIFO that was found by its name; its ends: is one open in this program? */
struct rd_io_file *rd_io_fifo(const struct stat *st);
void rd_io_fifo_opened(struct rd_io_file *f, int fd, bool writes);
/* The program has made a FIFO: a new file, whatever had its number before. */
void rd_io_fifo_made(const struct stat *st, bool closed);
/* A message queue was opened; `closed`: the program has just made it. */
void rd_io_queue(int fd, bool closed);
bool rd_io_has_end(const struct rd_io_file *f, bool writes);
/* Another process gets the descriptors that are open now: they are not closed any more. */
void rd_io_shared(void);
bool rd_io_is_closed(const struct rd_io_file *f);
/* socket_peer.c: a socket is about to connect, or to send, to this address: whom that concerns. */
void rd_io_calls(struct rd_io_look *at, const struct sockaddr *to, socklen_t size);
void rd_io_sends(struct rd_io_look *at, const struct sockaddr *to, socklen_t size);
/* Before there are threads: it has been told where to send. */
void rd_io_directed(int fd, const struct sockaddr *to, socklen_t size);
/* It may have got an address. */
void rd_io_bound(int fd, struct rd_io_file *f);
/* A socket listens, has connected to one, was accepted from one. */
void rd_io_listens(int fd);
struct rd_io_file *rd_io_listener(const struct sockaddr *to, socklen_t size);
void rd_io_connected(int fd, struct rd_io_file *client, struct rd_io_file *listener);
void rd_io_accepted(int fd, struct rd_io_file *listener);

/* io_wait.c: one operation on a descriptor, or on several. 0, ETIMEDOUT or EINTR; deadline 0: none. */
int rd_io_op(unsigned kind, int fd, const struct rd_io_look *at, short events, uint64_t deadline, uint64_t pc);
int rd_io_op_many(unsigned kind, struct rd_io_wait *w, uint64_t deadline, uint64_t pc);
/* It was ready and yet the call did not get what it wants (room for a whole message): others go first. */
void rd_io_not_yet(uint64_t pc);
/*
 * The same, when only threads of this program can change that (`closed`): waits until one has moved data, accepted
 * a connection or the like. As rd_io_op returns.
 */
int rd_io_until_changed(unsigned kind, int fd, const struct rd_io_look *at, bool closed, uint64_t deadline,
                        uint64_t pc);
/* A call has done something to what it looked at, which others may wait for in that way. */
void rd_io_changed(const struct rd_io_look *at);
/* A call that does not wait has found nothing: if it does so again and again, others get their turn. */
void rd_io_found_nothing(uint64_t pc);
/* An operation on a file that waits for nothing. */
void rd_io_touch(unsigned kind, const struct rd_io_file *f, const struct rd_io_file *other, uint64_t pc);
void rd_io_touch_both(unsigned kind, const struct rd_io_look *at, uint64_t pc);
/* Room for so many descriptors, the thread's own until its next call. */
struct rd_io_wait rd_io_room(uint32_t count);

/* Timers were set: those who wait for them wait for another moment. */
void rd_io_timers_changed(void);

/* child.c: would waitid return now? Gives it a moment to. Descriptors that become ready with it, to be closed. */
bool rd_io_child_ready(const struct rd_io_children *c);
void rd_io_child_settle(const struct rd_io_children *c);
/* How long it is worth while to wait for what a child may be about to write: as long as one of them computes. */
uint64_t rd_io_child_busy(void);
/* Whom this thread waits for; NULL: for none. */
const struct rd_io_children *rd_io_children_of(rd_tid tid);
uint32_t rd_io_child_fds(const struct rd_io_children *c, struct pollfd *to, uint32_t room);

/* A child's signal is left in the model when it comes. hook/sigchld.c: may one still come; has one? */
void rd_io_expect_signals(void);
bool rd_io_signal_may_come(void);
bool rd_io_signal_came(void);

/* hook/timerfd.c: makes those timers readable whose time has come. */
void rd_io_timers_fire(void);

/* hook/signalfd.c: makes those readable for which this thread has a signal, and the others not. */
void rd_io_signals_show(rd_tid tid);
bool rd_io_signals_closed(const struct rd_io_signals *s);
struct iovec;
/* As read returns; never waits. `room`: bytes in all parts. */
ssize_t rd_io_signals_read(struct rd_io_signals *s, const struct iovec *v, size_t room);

#endif
