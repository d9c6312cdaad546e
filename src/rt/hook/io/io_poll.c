/*
 * io_poll.c - poll, select and epoll: one operation, which becomes enabled when one of the descriptors is ready,
 * then the real call, which does not wait. Their timeouts are deadlines in virtual time.
 */
#include "rt/hook/hook.h"
#include "rt/hook/io/io.h"
#include "rt/hook/time/timing.h"
#include "rt/isolate/syscall_trap.h"

#include <errno.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>

enum { FOREVER = -1, SIGSET = 8 /* bytes of the kernel's sigset_t */ };

/*
 * Performs the operation, which waits for `ns` nanoseconds (FOREVER: without a limit; 0: not at all). *deadline is
 * 0 for the first wait of a call, and kept for the following ones. Returns 0, ETIMEDOUT or EINTR.
 */
static int wait_for(struct rd_io_wait *w, int64_t ns, uint64_t *deadline, uint64_t pc) {
    if (!*deadline && ns > 0)
        *deadline = rd_deadline_in((uint64_t)ns);
    w->never = ns == 0;
    return rd_io_op_many(RD_OP_IO_POLL, w, *deadline, pc);
}

static int64_t of_ms(int ms) { return ms < 0 ? FOREVER : (int64_t)ms * 1000000; }

/* A time that is not valid becomes 0: the real call reports the error. */
static int64_t of_timespec(const struct timespec *t) {
    if (!t)
        return FOREVER;
    if (!rd_timespec_valid(t))
        return 0;
    return t->tv_sec > 1000000000 ? FOREVER : (int64_t)rd_timespec_ns(t);
}

static const struct timespec no_time;

/*
 * Waits, then calls `now`, which does not wait, and repeats both until `now` has a result: a descriptor that is
 * ready does not always give the call a result (an edge-triggered epoll, another thread that was faster).
 */
static int answer_unmasked(struct rd_io_wait *w, int64_t ns, int (*now)(void *ctx), void *ctx, uint64_t pc) {
    uint64_t deadline = 0;
    for (;;) {
        int error = wait_for(w, ns, &deadline, pc);
        if (error == EINTR) {
            errno = error;
            return -1;
        }
        rd_rt_enter();
        rd_io_timers_fire();
        rd_io_signals_show(rd_self->tid);
        int r = now(ctx);
        rd_rt_leave();
        if (r == 0 && ns == 0)
            rd_io_found_nothing(pc);
        if (r != 0 || error || ns == 0)
            return r;
        rd_io_not_yet(pc);
    }
}

/* The same with the signal mask `mask` (NULL: the thread's own) for the duration of the call. */
static int answer(struct rd_io_wait *w, int64_t ns, int (*now)(void *ctx), void *ctx, const sigset_t *mask,
                  uint64_t pc) {
    uint64_t before = 0;
    if (mask)
        before = rd_hook_mask(mask);
    int r = answer_unmasked(w, ns, now, ctx, pc);
    if (mask)
        rd_hook_unmask(before);
    return r;
}

/* ---- poll ---- */

struct poll_call {
    struct pollfd *fds;
    nfds_t count;
    const struct timespec *time;
    const sigset_t *mask;
};

static int poll_now(void *ctx) {
    const struct poll_call *c = ctx;
    bool valid = of_timespec(c->time) != 0 || !c->time || (c->time->tv_sec == 0 && c->time->tv_nsec == 0);
    struct timespec time = valid ? no_time : *c->time; /* a copy: the kernel stores the remaining time */
    return (int)rd_kernel(SYS_ppoll, c->fds, c->count, &time, c->mask, SIGSET);
}

static int do_poll(struct poll_call *c, int64_t ns, uint64_t pc) {
    struct rd_io_wait w = rd_io_room((uint32_t)c->count);
    for (nfds_t i = 0; i < c->count; i++) {
        w.fds[i].fd = c->fds[i].fd;
        w.fds[i].events = c->fds[i].events;
        w.files[i] = rd_io_look(c->fds[i].fd).file;
    }
    return answer(&w, ns, poll_now, c, c->mask, pc);
}

enum { FDS_MAX = 1 << 20 }; /* the default of fs.nr_open: for more than RLIMIT_NOFILE the kernel answers EINVAL */

RD_EXPORT int poll(struct pollfd *fds, nfds_t count, int ms) {
    if (!rd_io_on() || count > FDS_MAX)
        return RD_REAL(poll)(fds, count, ms);
    struct poll_call c = {fds, count, NULL, NULL};
    return do_poll(&c, of_ms(ms), RD_IO_PC());
}

RD_API(int, __poll_chk, struct pollfd *fds, nfds_t count, int ms, size_t room) {
    if (room / sizeof *fds < count)
        return ((int (*)(struct pollfd *, nfds_t, int, size_t))rd_real_get(&rd_real.__poll_chk))(fds, count, ms,
                                                                                                 room);
    if (!rd_io_on() || count > FDS_MAX)
        return RD_REAL(poll)(fds, count, ms);
    struct poll_call c = {fds, count, NULL, NULL};
    return do_poll(&c, of_ms(ms), RD_IO_PC());
}

RD_EXPORT int ppoll(struct pollfd *fds, nfds_t count, const struct timespec *t, const sigset_t *mask) {
    if (!rd_io_on() || count > FDS_MAX)
        return RD_REAL(ppoll)(fds, count, t, mask);
    struct poll_call c = {fds, count, t, mask};
    return do_poll(&c, of_timespec(t), RD_IO_PC());
}

RD_API(int, __ppoll_chk, struct pollfd *fds, nfds_t count, const struct timespec *t, const sigset_t *mask,
       size_t room) {
    if (room / sizeof *fds < count)
        return ((int (*)(struct pollfd *, nfds_t, const struct timespec *, const sigset_t *, size_t))rd_real_get(
            &rd_real.__ppoll_chk))(fds, count, t, mask, room);
    if (!rd_io_on() || count > FDS_MAX)
        return RD_REAL(ppoll)(fds, count, t, mask);
    struct poll_call c = {fds, count, t, mask};
    return do_poll(&c, of_timespec(t), RD_IO_PC());
}

/* ---- select ---- */

enum { BITS = 8 * sizeof(long), WORDS = 1024 / BITS, SETS = 3 };
static_assert((int)WORDS * (int)BITS == FD_SETSIZE && sizeof(fd_set) == WORDS * sizeof(long), "an fd_set");

struct select_call {
    int count;
    fd_set *set[SETS];                /* the program's: for reading, for writing, for exceptional conditions */
    unsigned long given[SETS][WORDS]; /* their contents at the call: the kernel's result replaces them */
    const sigset_t *mask;
};

static int select_now(void *ctx) {
    struct select_call *c = ctx;
    for (unsigned s = 0; s < SETS; s++)
        for (int i = 0; c->set[s] && i * (int)BITS < c->count; i++)
            ((unsigned long *)(void *)c->set[s])[i] = c->given[s][i];
    struct timespec time = no_time;
    const long mask[2] = {(long)c->mask, SIGSET};
    return (int)rd_kernel(SYS_pselect6, c->count, c->set[0], c->set[1], c->set[2], &time, mask);
}

static int do_select(struct select_call *c, int64_t ns, uint64_t pc) {
    static const short events[SETS] = {POLLIN, POLLOUT, POLLPRI};
    struct rd_io_wait w = rd_io_room((uint32_t)c->count);
    w.count = 0;
    rd_rt_enter();
    for (int fd = 0; fd < c->count; fd++) {
        short wanted = 0;
        for (unsigned s = 0; s < SETS; s++) {
            if (!c->set[s])
                continue;
            unsigned long word = ((unsigned long *)(void *)c->set[s])[(unsigned)fd / BITS];
            c->given[s][(unsigned)fd / BITS] = word;
            if (word >> (unsigned)fd % BITS & 1)
                wanted |= events[s];
        }
        if (!wanted)
            continue;
        w.fds[w.count].fd = fd;
        w.fds[w.count].events = wanted;
        w.files[w.count++] = rd_io_look(fd).file;
    }
    rd_rt_leave();
    RD_CHECK(w.count <= (uint32_t)c->count);
    return answer(&w, ns, select_now, c, c->mask, pc);
}

static bool can_select(int count) { return rd_io_on() && count >= 0 && count <= WORDS * (int)BITS; }

static struct select_call select_of(int count, fd_set *in, fd_set *out, fd_set *except, const sigset_t *mask) {
    struct select_call c;
    c.count = count;
    c.set[0] = in;
    c.set[1] = out;
    c.set[2] = except;
    c.mask = mask;
    return c;
}

RD_EXPORT int select(int count, fd_set *in, fd_set *out, fd_set *except, struct timeval *t) {
    bool valid = !t || (t->tv_sec >= 0 && t->tv_usec >= 0 && t->tv_usec < 1000000);
    if (!can_select(count) || !valid)
        return RD_REAL(select)(count, in, out, except, t);
    struct select_call c = select_of(count, in, out, except, NULL);
    struct timespec ts = {t ? t->tv_sec : 0, t ? t->tv_usec * 1000 : 0};
    int64_t ns = of_timespec(t ? &ts : NULL);
    uint64_t begun = rd_rt.engine.world.clock.now_ns;
    int r = do_select(&c, ns, RD_IO_PC());
    if (t && ns > 0) { /* Linux stores the time that is left */
        int64_t left = ns - (int64_t)RD_MIN(rd_hook_now() - begun, (uint64_t)ns);
        t->tv_sec = left / RD_NS;
        t->tv_usec = left % RD_NS / 1000;
    }
    return r;
}

RD_EXPORT int pselect(int count, fd_set *in, fd_set *out, fd_set *except, const struct timespec *t,
                      const sigset_t *mask) {
    bool valid = !t || rd_timespec_valid(t);
    if (!can_select(count) || !valid)
        return RD_REAL(pselect)(count, in, out, except, t, mask);
    struct select_call c = select_of(count, in, out, except, mask);
    return do_select(&c, of_timespec(t), RD_IO_PC());
}

/* ---- epoll ---- */

struct epoll_call {
    int fd, max;
    struct epoll_event *events;
    const sigset_t *mask;
};

static int epoll_now(void *ctx) {
    const struct epoll_call *c = ctx;
    return (int)rd_kernel(SYS_epoll_pwait, c->fd, c->events, c->max, 0, c->mask, SIGSET);
}

static bool can_epoll(int fd, int max, struct rd_io_look *at) {
    if (max <= 0 || !rd_io_on())
        return false;
    *at = rd_io_look(fd);
    return at->file && at->file->kind == RD_IO_EPOLL;
}

static int do_epoll(struct epoll_call *c, struct rd_io_file *file, int64_t ns, uint64_t pc) {
    struct rd_io_wait w = rd_io_room(1);
    w.fds[0].fd = c->fd;
    w.fds[0].events = POLLIN;
    w.files[0] = file;
    return answer(&w, ns, epoll_now, c, c->mask, pc);
}

RD_EXPORT int epoll_wait(int fd, struct epoll_event *events, int max, int ms) {
    struct rd_io_look at;
    if (!can_epoll(fd, max, &at))
        return RD_REAL(epoll_wait)(fd, events, max, ms);
    struct epoll_call c = {fd, max, events, NULL};
    return do_epoll(&c, at.file, of_ms(ms), RD_IO_PC());
}

RD_EXPORT int epoll_pwait(int fd, struct epoll_event *events, int max, int ms, const sigset_t *mask) {
    struct rd_io_look at;
    if (!can_epoll(fd, max, &at))
        return RD_REAL(epoll_pwait)(fd, events, max, ms, mask);
    struct epoll_call c = {fd, max, events, mask};
    return do_epoll(&c, at.file, of_ms(ms), RD_IO_PC());
}

RD_API(int, epoll_pwait2, int fd, struct epoll_event *events, int max, const struct timespec *t,
       const sigset_t *mask) {
    struct rd_io_look at;
    if (!can_epoll(fd, max, &at))
        return ((int (*)(int, struct epoll_event *, int, const struct timespec *, const sigset_t *))rd_real_get(
            &rd_real.epoll_pwait2))(fd, events, max, t, mask);
    struct epoll_call c = {fd, max, events, mask};
    return do_epoll(&c, at.file, of_timespec(t), RD_IO_PC());
}

static void add_member(struct rd_io_file *epoll, int fd, struct rd_io_file *file) {
    rd_rt_enter();
    struct rd_io_member *m = rd_arena_alloc(&rd_rt.arena, sizeof *m);
    *m = (struct rd_io_member){fd, file, epoll->members};
    epoll->members = m;
    rd_io_timers_changed();
    rd_rt_leave();
}

static void remove_member(struct rd_io_file *epoll, int fd) {
    for (struct rd_io_member **m = &epoll->members; *m; m = &(*m)->next)
        if ((*m)->fd == fd) {
            *m = (*m)->next;
            return;
        }
}

RD_EXPORT int epoll_ctl(int epoll, int what, int fd, struct epoll_event *event) {
    struct rd_io_look at = {.file = NULL}, member = {.file = NULL};
    if (rd_rt_active()) {
        at = rd_io_look(epoll);
        member = rd_io_look(fd);
    }
    if (!at.file || at.file->kind != RD_IO_EPOLL)
        return RD_REAL(epoll_ctl)(epoll, what, fd, event);
    rd_io_touch(RD_OP_IO_CONTROL, at.file, member.file, RD_IO_PC());
    int r = (int)rd_kernel(SYS_epoll_ctl, epoll, what, fd, event);
    if (r == 0 && what == EPOLL_CTL_ADD && member.file)
        add_member(at.file, fd, member.file);
    else if (r == 0 && what == EPOLL_CTL_DEL)
        remove_member(at.file, fd);
    return r;
}
