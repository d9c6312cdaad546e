/*
 * signalfd.c - signals that are read from a descriptor. Signals that threads of the program send each other are in
 * the model, not in the kernel. So the program's descriptor is an eventfd, which is made readable when the thread
 * that looks at it has a pending signal of the set, or when the real, hidden signalfd has one from another process.
 */
#include "rt/hook/hook.h"
#include "rt/hook/io/io.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <unistd.h>

enum { HIDDEN_FROM = 700 }; /* lowest number of a real signalfd, so that the program's own descriptors stay dense */

static struct rd_io_signals *all; /* every signalfd of the program, newest first */
bool rd_io_signalfds;

static bool from_outside(const struct rd_io_signals *s) {
    struct pollfd p = {.fd = s->real, .events = POLLIN};
    return RD_REAL(poll)(&p, 1, 0) > 0 && (p.revents & POLLIN);
}

/* Returns whether a read of the signalfd by this thread would get a signal. */
static bool due(const struct rd_io_signals *s, rd_tid tid) {
    const struct rd_world *w = &rd_rt.engine.world;
    return ((w->threads[tid].signals | w->signals) & s->set) || from_outside(s);
}

void rd_io_signals_show(rd_tid tid) {
    for (struct rd_io_signals *s = all; s; s = s->next) {
        uint64_t one = 1;
        bool yes = s->fd >= 0 && due(s, tid);
        if (s->fd >= 0 && yes && !s->shown)
            (void)!RD_REAL(write)(s->fd, &one, sizeof one);
        else if (s->fd >= 0 && !yes && s->shown)
            (void)!RD_REAL(read)(s->fd, &one, sizeof one);
        s->shown = yes;
    }
}

/*
 * Returns whether only threads of the program can send the signals of the set: the program has no children, and
 * timers of the kernel do not send them.
 */
bool rd_io_signals_closed(const struct rd_io_signals *s) {
    static const int theirs[] = {SIGALRM, SIGVTALRM, SIGPROF, SIGIO};
    uint64_t open = ~(uint64_t)0 << RD_SIGNAL_QUEUED;
    for (unsigned i = 0; i < RD_COUNT(theirs); i++)
        open |= (uint64_t)1 << theirs[i];
    return rd_rt.threaded && !rd_rt.engine.rec.out->children && !(s->set & open);
}

/* The record that a read returns for a signal that was taken from the model. */
static void describe(int sig, struct signalfd_siginfo *to) {
    siginfo_t info;
    rd_hook_signal_info(sig, &info);
    memset(to, 0, sizeof *to);
    to->ssi_signo = (uint32_t)sig;
    to->ssi_code = info.si_code;
    to->ssi_pid = (uint32_t)info.si_pid;
    to->ssi_uid = info.si_uid;
    to->ssi_int = info.si_value.sival_int;
    to->ssi_ptr = (uintptr_t)info.si_value.sival_ptr;
}

static void copy_out(const struct iovec *v, const char *from, size_t size) {
    for (; size; v++) {
        size_t n = RD_MIN(size, v->iov_len);
        memcpy(v->iov_base, from, n);
        from += n;
        size -= n;
    }
}

ssize_t rd_io_signals_read(struct rd_io_signals *s, const struct iovec *v, size_t room) {
    struct signalfd_siginfo one;
    size_t done = 0;
    struct signalfd_siginfo several[16];
    if (room < sizeof one) {
        errno = EINVAL;
        return -1;
    }
    while (room - done * sizeof one >= sizeof one && done < RD_COUNT(several)) {
        int sig = rd_signal_take(&rd_rt.engine.world, rd_self->tid, s->set);
        if (sig)
            describe(sig, &several[done]);
        else if (from_outside(s) && RD_REAL(read)(s->real, &several[done], sizeof one) == (ssize_t)sizeof one)
            rd_rt.engine.rec.out->waited_outside = 1;
        else
            break;
        done++;
    }
    copy_out(v, (const char *)several, done * sizeof one);
    rd_io_signals_show(rd_self->tid);
    if (!done)
        errno = EAGAIN;
    return done ? (ssize_t)(done * sizeof one) : -1;
}

static int make(const sigset_t *mask, int flags) {
    int real = RD_REAL(signalfd)(-1, mask, flags | SFD_NONBLOCK | SFD_CLOEXEC);
    if (real < 0)
        return real;
    int hidden = fcntl(real, F_DUPFD_CLOEXEC, HIDDEN_FROM);
    if (hidden >= 0) {
        RD_REAL(close)(real);
        real = hidden;
    }
    int kept = (flags & SFD_CLOEXEC ? EFD_CLOEXEC : 0) | (flags & SFD_NONBLOCK ? EFD_NONBLOCK : 0);
    int fd = RD_REAL(eventfd)(0, kept);
    if (fd < 0) {
        RD_REAL(close)(real);
        return fd;
    }
    rd_rt_enter();
    struct rd_io_file *f = rd_io_made(fd, RD_IO_SIGNALS, false);
    f->signals = rd_arena_zero(&rd_rt.arena, sizeof *f->signals);
    *f->signals = (struct rd_io_signals){.set = rd_hook_signal_bits(mask), .fd = fd, .real = real, .next = all};
    all = f->signals;
    rd_io_signalfds = true;
    rd_rt_leave();
    return fd;
}

RD_EXPORT int signalfd(int fd, const sigset_t *mask, int flags) {
    if (!rd_rt_active())
        return RD_REAL(signalfd)(fd, mask, flags);
    if (fd < 0)
        return make(mask, flags);
    struct rd_io_look at = rd_io_look(fd);
    if (!at.file || !at.file->signals)
        return RD_REAL(signalfd)(fd, mask, flags);
    rd_io_touch(RD_OP_IO_CONTROL, at.file, NULL, RD_IO_PC());
    if (RD_REAL(signalfd)(at.file->signals->real, mask, flags) < 0)
        return -1;
    at.file->signals->set = rd_hook_signal_bits(mask);
    return fd;
}
