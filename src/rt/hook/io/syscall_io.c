/*
 * syscall_io.c - input and output by system call number: each call goes to the hook of libc's function of that
 * name; results are the kernel's (-errno). io_uring, whose requests complete without a call that a hook could see,
 * is answered with ENOSYS, as by a kernel without it: libraries then use other calls.
 */
#include "rt/hook/io/io.h"
#include "rt/hook/io/syscall_io.h"
#include "rt/raw.h"
#include "rt/isolate/syscall_trap.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/select.h>
#include <sys/sendfile.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#define P(i) ((void *)a[i])
#define I(i) ((int)a[i])
#define U(i) ((unsigned)a[i])
#define S(i) ((size_t)a[i])
#define CALL(number, call)  \
    case number:            \
        if (result)         \
            *result = call; \
        return true

static bool transfer(long number, const long a[6], long *result) {
    switch (number) {
        CALL(SYS_read, read(I(0), P(1), S(2)));
        CALL(SYS_write, write(I(0), P(1), S(2)));
        CALL(SYS_readv, readv(I(0), P(1), I(2)));
        CALL(SYS_writev, writev(I(0), P(1), I(2)));
        CALL(SYS_sendto, sendto(I(0), P(1), S(2), I(3), P(4), (socklen_t)a[5]));
        CALL(SYS_recvfrom, recvfrom(I(0), P(1), S(2), I(3), P(4), P(5)));
        CALL(SYS_sendmsg, sendmsg(I(0), P(1), I(2)));
        CALL(SYS_recvmsg, recvmsg(I(0), P(1), I(2)));
        CALL(SYS_sendmmsg, sendmmsg(I(0), P(1), U(2), I(3)));
        CALL(SYS_recvmmsg, recvmmsg(I(0), P(1), U(2), I(3), P(4)));
        CALL(SYS_preadv2, preadv2(I(0), P(1), I(2), a[3], I(5)));
        CALL(SYS_pwritev2, pwritev2(I(0), P(1), I(2), a[3], I(5)));
        CALL(SYS_sendfile, sendfile(I(0), I(1), P(2), S(3)));
        CALL(SYS_splice, splice(I(0), P(1), I(2), P(3), S(4), U(5)));
        CALL(SYS_tee, tee(I(0), I(1), S(2), U(3)));
        CALL(SYS_vmsplice, vmsplice(I(0), P(1), S(2), U(3)));
    default:
        return false;
    }
}

/* The kernel's pselect6 takes a pointer to the mask and its size. */
static const sigset_t *select_mask(const long *arg) { return arg ? (const sigset_t *)arg[0] : NULL; }

static bool waits(long number, const long a[6], long *result) {
    switch (number) {
        CALL(SYS_ppoll, ppoll(P(0), (nfds_t)a[1], P(2), P(3)));
        CALL(SYS_pselect6, pselect(I(0), P(1), P(2), P(3), P(4), select_mask(P(5))));
        CALL(SYS_epoll_pwait, epoll_pwait(I(0), P(1), I(2), I(3), P(4)));
        CALL(SYS_epoll_pwait2, epoll_pwait2(I(0), P(1), I(2), P(3), P(4)));
        CALL(SYS_epoll_ctl, epoll_ctl(I(0), I(1), I(2), P(3)));
        CALL(SYS_accept, accept(I(0), P(1), P(2)));
        CALL(SYS_accept4, accept4(I(0), P(1), P(2), I(3)));
        CALL(SYS_connect, connect(I(0), P(1), (socklen_t)a[2]));
#ifdef SYS_poll /* newer architectures, such as aarch64, have only the newer calls */
        CALL(SYS_poll, poll(P(0), (nfds_t)a[1], I(2)));
        CALL(SYS_select, select(I(0), P(1), P(2), P(3), P(4)));
        CALL(SYS_epoll_wait, epoll_wait(I(0), P(1), I(2), I(3)));
        CALL(SYS_pause, pause());
#endif
        CALL(SYS_rt_sigtimedwait, a[2] ? sigtimedwait(P(0), P(1), P(2)) : sigwaitinfo(P(0), P(1)));
    default:
        return false;
    }
}

static bool descriptors(long number, const long a[6], long *result) {
    switch (number) {
        CALL(SYS_openat, openat(I(0), P(1), I(2), U(3)));
        CALL(SYS_close, close(I(0)));
        CALL(SYS_dup, dup(I(0)));
        CALL(SYS_dup3, dup3(I(0), I(1), I(2)));
        CALL(SYS_pipe2, pipe2(P(0), I(1)));
        CALL(SYS_socket, socket(I(0), I(1), I(2)));
        CALL(SYS_socketpair, socketpair(I(0), I(1), I(2), P(3)));
        CALL(SYS_bind, bind(I(0), P(1), (socklen_t)a[2]));
        CALL(SYS_listen, listen(I(0), I(1)));
        CALL(SYS_shutdown, shutdown(I(0), I(1)));
        CALL(SYS_eventfd2, eventfd(U(0), I(1)));
        CALL(SYS_epoll_create1, epoll_create1(I(0)));
        CALL(SYS_signalfd4, signalfd(I(0), P(1), I(3)));
        CALL(SYS_timerfd_create, timerfd_create(I(0), I(1)));
        CALL(SYS_timerfd_settime, timerfd_settime(I(0), I(1), P(2), P(3)));
        CALL(SYS_timerfd_gettime, timerfd_gettime(I(0), P(1)));
#ifdef SYS_open
        CALL(SYS_open, open(P(0), I(1), U(2)));
        CALL(SYS_dup2, dup2(I(0), I(1)));
        CALL(SYS_pipe, pipe(P(0)));
        CALL(SYS_eventfd, eventfd(U(0), 0));
        CALL(SYS_epoll_create, epoll_create(I(0)));
        CALL(SYS_signalfd, signalfd(I(0), P(1), 0));
#endif
    default:
        return false;
    }
}

bool rd_hook_syscall_io_has(long number) {
    static const long none[6];
    return rd_trap_is_missing(number) || transfer(number, none, NULL) || waits(number, none, NULL) ||
           descriptors(number, none, NULL);
}

bool rd_hook_syscall_io(long number, const long a[6], uint64_t pc, long *result) {
    if (rd_trap_is_missing(number)) {
        *result = -ENOSYS;
        return true;
    }
    RD_IO_VIA(pc);
    if (!transfer(number, a, result) && !waits(number, a, result) && !descriptors(number, a, result))
        return false;
    *result = *result == -1 ? -errno : *result;
    return true;
}
