/*
 * syscall_trap_fds.c - see syscall_trap_fds.h. The number of a descriptor stands for an end that was open at the
 * checkpoint (rt/io/fds.h), or for a file that the execution has opened itself, which is closed after it. A copy of
 * an end that was open at the checkpoint counts as that end: its changes by way of any number are noted, and undone
 * after the execution.
 */
#include "rt/isolate/syscall_trap_fds.h"

#include "rt/isolate/snapshot.h"
#include "rt/raw.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>

#if defined __x86_64__

/* The flags that F_SETFL can change; F_SETPIPE_SZ and F_GETPIPE_SZ. */
enum { FLAGS = O_NONBLOCK | O_APPEND | O_DIRECT | O_NOATIME | O_ASYNC, PIPE_SIZE_SET = 1031, PIPE_SIZE_GET = 1032 };

static long make(long number, const long a[6]) {
    return rd_raw_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

static bool is_number(long fd) { return fd >= 0 && fd < RD_FDS_NUMBER_MAX; }

/* Returns whether the execution has opened it. */
static bool is_opened(const struct rd_kept *k, long fd) { return is_number(fd) && k->fds[fd / 64] >> fd % 64 & 1; }

/* Returns the index in rd_fds.number, if the number was open at the checkpoint and still is what it was; else -1.
 */
static int number_of(const struct rd_kept *k, long fd) {
    int at = is_number(fd) ? rd_fds.by_fd[fd] - 1 : -1;
    return at >= 0 && !is_opened(k, fd) && !(k->open.gone[at] == RD_FDS_CLOSED) ? at : -1;
}

/* Returns the index in rd_fds.end, if the number is of an end from the checkpoint, or of a copy of one; else -1. */
static int end_of(const struct rd_kept *k, long fd) { return is_number(fd) ? k->open.end_of[fd] - 1 : -1; }

static void set_bit(uint8_t *bits, long fd, bool on) {
    bits[fd / 8] = (uint8_t)((bits[fd / 8] & ~(1 << fd % 8)) | on << fd % 8);
}

static bool has_bit(const uint8_t *bits, long fd) { return bits[fd / 8] >> fd % 8 & 1; }

/* Returns whether it is a file on disk, or a directory, terminal or device. */
static bool is_plain(int end) { return rd_fds.object[rd_fds.end[end].object].kind == RD_FDS_PLAIN; }

/*
 * Returns whether the kernel copies data that is read from it into memory, by page faults that are counted: a
 * device may write to memory without.
 */
static bool copies(const struct rd_kept *k, long fd) {
    int end = end_of(k, fd);
    return end >= 0 ? !is_plain(end) : is_opened(k, fd) && has_bit(k->open.copies, fd);
}

/* Returns whether the call makes descriptors of that kind. */
static bool makes_copying(long number) {
    return number == SYS_pipe2 || number == SYS_pipe || number == SYS_socketpair || number == SYS_socket ||
           number == SYS_accept || number == SYS_accept4 || number == SYS_eventfd2;
}

bool rd_trap_fds_counted(const struct rd_kept *k, long number, const long a[6]) {
    switch (number) {
    case SYS_accept:
    case SYS_accept4:
    case SYS_bind:
    case SYS_close:
    case SYS_connect:
    case SYS_dup:
    case SYS_dup2:
    case SYS_dup3:
    case SYS_epoll_create1:
    case SYS_epoll_ctl:
    case SYS_epoll_pwait:
    case SYS_epoll_wait:
    case SYS_eventfd2:
    case SYS_fcntl:
    case SYS_fstat:
    case SYS_getpeername:
    case SYS_getsockname:
    case SYS_getsockopt:
    case SYS_listen:
    case SYS_pipe:
    case SYS_pipe2:
    case SYS_poll:
    case SYS_ppoll:
    case SYS_pwritev2:
    case SYS_sendmsg:
    case SYS_sendto:
    case SYS_setsockopt:
    case SYS_shutdown:
    case SYS_socket:
    case SYS_socketpair:
    case SYS_write:
    case SYS_writev:
        return true;
    case SYS_preadv2:
    case SYS_read:
    case SYS_readv:
    case SYS_recvfrom:
    case SYS_recvmsg:
        return copies(k, a[0]);
    default:
        return false;
    }
}

bool rd_trap_fds_streams(const struct rd_kept *k, long number, const long a[6]) {
    bool two = number == SYS_splice || number == SYS_tee || number == SYS_sendfile || number == SYS_copy_file_range;
    return !two && copies(k, a[0]);
}

/* Notes that the execution has got the descriptor `fd`; `end`: the end that it is a copy of, or -1. */
static void opened(struct rd_kept *k, long number, long fd, int end) {
    RD_ASSERT(end < RD_FDS_MAX);
    if (fd < 0)
        return;
    if (!is_number(fd)) {
        rd_raw(SYS_close, fd);
        rd_trap_unfit(number);
    }
    k->fds[fd / 64] |= (uint64_t)1 << fd % 64;
    set_bit(k->open.copies, fd, makes_copying(number));
    k->open.end_of[fd] = (uint16_t)(end + 1);
    k->opened = 1;
}

/* Notes that the call changes the object behind `fd` (RD_FDS_CONTENT, RD_FDS_SHAPE). */
static void touch(struct rd_kept *k, long fd, unsigned how) {
    int end = end_of(k, fd);
    if (end < 0)
        return;
    k->open.touched[rd_fds.end[end].object] |= (uint8_t)how;
    k->open.changed = 1;
}

/*
 * Notes that a number from the checkpoint is about to be closed. A plain file, which cannot be made anew, gets a
 * second number out of the program's way.
 */
static void leaves(struct rd_kept *k, long number, int at) {
    int end = rd_fds.number[at].end;
    if (!is_plain(end)) {
        touch(k, rd_fds.number[at].fd, RD_FDS_SHAPE);
    } else if (!k->open.spare[end]) {
        long spare = rd_raw(SYS_fcntl, rd_fds.number[at].fd, (long)F_DUPFD_CLOEXEC, (long)rd_fds.hidden);
        if (spare < 0 || spare >= INT16_MAX)
            rd_trap_unfit(number);
        k->open.spare[end] = (int16_t)(spare + 1);
    }
    k->open.gone[at] = RD_FDS_CLOSED;
    k->open.changed = 1;
    k->open.end_of[rd_fds.number[at].fd] = 0;
}

long rd_trap_fds_open(struct rd_kept *k, long number, const long a[6]) {
    bool copy = number == SYS_dup;
    if ((number == SYS_open && a[1] & O_TRUNC) || (number == SYS_openat && a[2] & O_TRUNC))
        rd_trap_fds_write(k, -1); /* a path of /proc/self/fd may lead to any file */
    if (number == SYS_accept || number == SYS_accept4)
        touch(k, a[0], RD_FDS_CONTENT);
    long r = make(number, a);
    opened(k, number, r, copy ? end_of(k, a[0]) : -1);
    if (r >= 0 && (number == SYS_socket || number == SYS_accept || number == SYS_accept4))
        set_bit(k->open.socket, r, true);
    return r;
}

long rd_trap_fds_open_two(struct rd_kept *k, long number, const long a[6]) {
    long r = make(number, a);
    const int *fds = (const int *)(number == SYS_socketpair ? a[3] : a[0]);
    if (r == 0 && !(is_number(fds[0]) && is_number(fds[1]))) {
        rd_raw(SYS_close, fds[0]);
        rd_raw(SYS_close, fds[1]);
        rd_trap_unfit(number);
    }
    for (unsigned i = 0; i < 2 && r == 0; i++)
        opened(k, number, fds[i], -1);
    return r;
}

long rd_trap_fds_close(struct rd_kept *k, long number, const long a[6]) {
    int at = number_of(k, a[0]);
    if (is_opened(k, a[0])) {
        k->fds[a[0] / 64] &= ~((uint64_t)1 << a[0] % 64);
        set_bit(k->open.socket, a[0], false);
        k->open.end_of[a[0]] = 0;
    } else if (at >= 0) {
        leaves(k, number, at);
    } else if (rd_raw(SYS_fcntl, a[0], (long)F_GETFD) < 0) {
        return -EBADF;
    } else {
        rd_trap_unfit(number);
    }
    return make(number, a);
}

/* dup2() and dup3() */
static long replace(struct rd_kept *k, long number, const long a[6]) {
    int at = number_of(k, a[1]), end = end_of(k, a[0]);
    bool same = a[0] == a[1], valid = rd_raw(SYS_fcntl, a[0], (long)F_GETFD) >= 0;
    if (same || !valid || (number == SYS_dup3 && a[2] & ~(long)O_CLOEXEC))
        return make(number, a); /* the call has no effect, or fails */
    if (at >= 0)
        leaves(k, number, at);
    else if (!is_opened(k, a[1]) && rd_raw(SYS_fcntl, a[1], (long)F_GETFD) >= 0)
        rd_trap_unfit(number);
    if (is_number(a[1]))
        set_bit(k->open.socket, a[1], false);
    long r = make(number, a);
    opened(k, number, r, end);
    return r;
}

/* Notes the flags that an end has now. */
static void flags_are(struct rd_kept *k, int end, int flags) {
    k->open.flags_now[end] = flags;
    k->open.flags[end] = flags != rd_fds.end[end].flags;
    k->open.changed |= k->open.flags[end];
}

/* F_SETFL on an end from the checkpoint. */
static long set_flags(struct rd_kept *k, int end, const long a[6]) {
    long r = make(SYS_fcntl, a);
    if (r == 0)
        flags_are(k, end, (int)((k->open.flags_now[end] & ~FLAGS) | (a[2] & FLAGS)));
    return r;
}

long rd_trap_fds_no_block(struct rd_kept *k, long number, const long a[6]) {
    int end = end_of(k, a[0]);
    if (end < 0 && !is_opened(k, a[0]) && rd_raw(SYS_fcntl, a[0], (long)F_GETFD) >= 0)
        rd_trap_unfit(number);
    long r = make(number, a);
    if (r == 0 && end >= 0)
        flags_are(k, end, (int)rd_raw(SYS_fcntl, a[0], (long)F_GETFL));
    return r;
}

bool rd_trap_fds_here(int fd, int *flags) {
    const struct rd_kept *k = rd_kept();
    int at = rd_snapshot_running() ? number_of(k, fd) : -1;
    if (at < 0 || is_plain(rd_fds.number[at].end))
        return false;
    *flags = k->open.flags_now[rd_fds.number[at].end];
    return true;
}

/* fcntl() with an operation that sets. Other operations than these (locks, the owner for signals) cannot be undone.
 */
static long set_other(struct rd_kept *k, long number, const long a[6]) {
    int end = end_of(k, a[0]), at = number_of(k, a[0]);
    bool own = is_opened(k, a[0]) && end < 0;
    if (own || rd_raw(SYS_fcntl, a[0], (long)F_GETFD) < 0)
        return make(number, a);
    if (a[1] == F_SETFL && end >= 0 && !(a[2] & O_ASYNC)) {
        return set_flags(k, end, a);
    } else if (a[1] == F_SETFD && at >= 0) {
        k->open.gone[at] = RD_FDS_SET;
        k->open.changed = 1;
        touch(k, a[0], is_plain(end) ? 0 : RD_FDS_SHAPE);
    } else if (a[1] == PIPE_SIZE_SET && end >= 0 && !is_plain(end)) {
        touch(k, a[0], RD_FDS_SHAPE);
    } else if (a[1] != F_SETFD || !is_opened(k, a[0])) {
        rd_trap_unfit(number);
    }
    return make(number, a);
}

long rd_trap_fds_control(struct rd_kept *k, long number, const long a[6]) {
    if (number != SYS_fcntl)
        return replace(k, number, a);
    switch (a[1]) {
    case F_DUPFD:
    case F_DUPFD_CLOEXEC: {
        long r = make(number, a);
        opened(k, number, r, end_of(k, a[0]));
        return r;
    }
    case F_GETFD:
    case F_GETFL:
    case F_GETLK:
    case PIPE_SIZE_GET:
        return make(number, a);
    default:
        return set_other(k, number, a);
    }
}

/* ---- data ---- */

/* Returns whether the message may carry descriptors, which would come out under numbers that were never noted. */
static bool carries(const struct msghdr *m) { return m && m->msg_controllen; }

void rd_trap_fds_write(struct rd_kept *k, long fd) {
    int end = end_of(k, fd);
    if (!rd_fds.files || copies(k, fd))
        return;
    k->open.written |= (uint16_t)(end < 0 ? ~0U : rd_fds_file_of(end));
    k->open.changed |= k->open.written != 0;
}

/* Notes the file that the call writes to, if it writes to one. */
static void note_write(struct rd_kept *k, long number, const long a[6]) {
    switch (number) {
    case SYS_ftruncate:
    case SYS_pwrite64:
    case SYS_pwritev:
    case SYS_pwritev2:
    case SYS_sendfile:
    case SYS_write:
    case SYS_writev:
        rd_trap_fds_write(k, a[0]);
        break;
    case SYS_copy_file_range:
    case SYS_splice:
        rd_trap_fds_write(k, a[2]);
        break;
    default:
        break;
    }
}

void rd_trap_fds_move(struct rd_kept *k, long number, const long a[6]) {
    unsigned how = RD_FDS_CONTENT;
    note_write(k, number, a);
    switch (number) {
    case SYS_sendmsg:
        if (carries((const struct msghdr *)a[1]))
            rd_trap_unfit(number);
        how |= a[2] & MSG_OOB ? RD_FDS_SHAPE : 0;
        break;
    case SYS_sendto:
        how |= a[3] & MSG_OOB ? RD_FDS_SHAPE : 0;
        break;
    case SYS_epoll_ctl:
        how = RD_FDS_SHAPE;
        break;
    case SYS_sendfile:
    case SYS_tee:
        touch(k, a[1], how);
        break;
    case SYS_splice:
    case SYS_copy_file_range:
        touch(k, a[2], how);
        break;
    default:
        break;
    }
    touch(k, a[0], how);
}

/* ---- sockets ---- */

long rd_trap_fds_socket(struct rd_kept *k, long number, const long a[6]) {
    int end = end_of(k, a[0]);
    if (end >= 0 && (is_plain(end) || number == SYS_bind || number == SYS_connect))
        rd_trap_unfit(number);
    if (end < 0 && !is_opened(k, a[0]) && rd_raw(SYS_fcntl, a[0], (long)F_GETFD) >= 0)
        rd_trap_unfit(number);
    touch(k, a[0], RD_FDS_SHAPE);
    if (number == SYS_bind) /* it may make a file */
        k->open.paths = k->open.changed = 1;
    if (number != SYS_connect)
        return make(number, a);
    for (uint32_t i = 0; i < rd_fds.objects; i++) /* any listening socket may get the connection */
        if (rd_fds.object[i].kind == RD_FDS_LISTENER) {
            k->open.touched[i] |= RD_FDS_CONTENT;
            k->open.changed = 1;
        }
    return rd_fds_connect_possible(a[0], (const void *)a[1], a[2]);
}

/* Sockets are closed so that the kernel forgets their connections at once (SO_LINGER with a time of 0). */
void rd_trap_fds_undo(struct rd_kept *k) {
    static const struct linger at_once = {1, 0};
    if (!k->opened)
        return;
    for (unsigned i = 0; i < RD_COUNT(k->fds); i++)
        for (; k->fds[i]; k->fds[i] &= k->fds[i] - 1) {
            unsigned fd = i * 64 + (unsigned)__builtin_ctzll(k->fds[i]);
            if (has_bit(k->open.socket, fd))
                rd_raw(SYS_setsockopt, fd, (long)SOL_SOCKET, (long)SO_LINGER, &at_once, (long)sizeof at_once);
            set_bit(k->open.socket, fd, false);
            k->open.end_of[fd] = 0;
            rd_raw(SYS_close, fd);
        }
    k->opened = 0;
}

#else

bool rd_trap_fds_here(int fd, int *flags) {
    (void)fd;
    (void)flags;
    return false;
}

#endif
