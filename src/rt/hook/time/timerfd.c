/*
 * timerfd.c - timers that are descriptors. They follow the virtual clock, so the program's descriptor is an
 * eventfd: it counts expirations, is read and polled like a timerfd, and rd_io_timers_fire writes to it when the
 * virtual clock has come to the moment. A thread that waits for it has that moment as its deadline.
 */
#include "rt/hook/hook.h"
#include "rt/hook/io/io.h"
#include "rt/hook/time/timing.h"
#include "rt/isolate/syscall_trap.h"

#include <errno.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>

enum { TIMERS_MAX = 1024 };
static_assert(sizeof(eventfd_t) == sizeof(uint64_t), "the count that a read of a timerfd gives");

static struct rd_io_timer *timers[TIMERS_MAX];

static uint64_t now(void) { return rd_rt.engine.world.clock.now_ns; }

void rd_io_timers_fire(void) {
    RD_CHECK(rd_io_timers <= TIMERS_MAX);
    for (uint32_t i = 0; i < rd_io_timers; i++) {
        struct rd_io_timer *t = timers[i];
        if (!t->expires || t->expires > now())
            continue;
        uint64_t count = t->interval ? (now() - t->expires) / t->interval + 1 : 1;
        t->expires = t->interval ? t->expires + count * t->interval : 0;
        rd_kernel(SYS_write, t->fd, &count, sizeof count);
    }
}

RD_EXPORT int timerfd_create(int clock, int flags) {
    if (!rd_rt_active())
        return RD_REAL(timerfd_create)(clock, flags);
    int fd = RD_REAL(timerfd_create)(clock, flags); /* lets the kernel check the arguments */
    if (fd < 0)
        return fd;
    RD_REAL(close)(fd);
    int kept = (flags & TFD_CLOEXEC ? EFD_CLOEXEC : 0) | (flags & TFD_NONBLOCK ? EFD_NONBLOCK : 0);
    fd = RD_REAL(eventfd)(0, kept);
    if (fd < 0)
        return fd;
    rd_rt_enter();
    if (rd_io_timers == TIMERS_MAX)
        rd_rt_refuse("the program makes more than 1024 timers with timerfd_create()");
    struct rd_io_file *f = rd_io_made(fd, RD_IO_TIMER, true);
    f->timer = rd_arena_zero(&rd_rt.arena, sizeof *f->timer);
    f->timer->clock = clock;
    f->timer->fd = fd;
    timers[rd_io_timers++] = f->timer;
    rd_rt_leave();
    return fd;
}

static void current(const struct rd_io_timer *t, struct itimerspec *to) {
    to->it_interval = rd_timespec_of(t->interval);
    to->it_value = rd_timespec_of(t->expires > rd_hook_now() ? t->expires - now() : 0);
}

RD_EXPORT int timerfd_settime(int fd, int flags, const struct itimerspec *to, struct itimerspec *old) {
    struct rd_io_look at = {.file = NULL};
    if (rd_rt_active())
        at = rd_io_look(fd);
    if (!at.file || !at.file->timer)
        return RD_REAL(timerfd_settime)(fd, flags, to, old);
    if (!rd_timespec_valid(&to->it_value) || !rd_timespec_valid(&to->it_interval)) {
        errno = EINVAL;
        return -1;
    }
    struct rd_io_timer *t = at.file->timer;
    rd_io_touch(RD_OP_IO_CONTROL, at.file, NULL, RD_IO_PC());
    rd_rt_enter();
    rd_io_timers_fire();
    if (old)
        current(t, old);
    eventfd_t stale; /* setting a timerfd resets the count of expirations that were not read */
    struct pollfd p = {.fd = fd, .events = POLLIN};
    if (RD_REAL(poll)(&p, 1, 0) > 0)
        (void)!RD_REAL(read)(fd, &stale, sizeof stale);
    t->interval = rd_timespec_ns(&to->it_interval);
    if (rd_timespec_ns(&to->it_value) == 0)
        t->expires = 0;
    else
        t->expires = flags & TFD_TIMER_ABSTIME ? rd_deadline(t->clock, &to->it_value)
                                               : rd_deadline_in(rd_timespec_ns(&to->it_value));
    rd_io_timers_changed();
    rd_rt_leave();
    return 0;
}

RD_EXPORT int timerfd_gettime(int fd, struct itimerspec *to) {
    struct rd_io_look at = {.file = NULL};
    if (rd_rt_active())
        at = rd_io_look(fd);
    if (!at.file || !at.file->timer)
        return RD_REAL(timerfd_gettime)(fd, to);
    rd_rt_enter();
    rd_io_timers_fire();
    current(at.file->timer, to);
    rd_rt_leave();
    return 0;
}
