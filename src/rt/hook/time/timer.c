/*
 * timer.c - timers that send a signal: alarm, setitimer, timer_create. They follow the virtual clock: a timer
 * expires when the clock has come to its moment, or when no thread is enabled and the timer is the next event. A
 * timer of the kernel would expire at any moment, and in a search with many executions in one process perhaps in a
 * later execution.
 *
 * Until there is a second thread the kernel's timers are used, because they have to end waits in the kernel. At the
 * checkpoint the timers that are set then start again here, with their whole duration.
 *
 * A timer does not expire if its signal would end the program: such a timer guards against hangs, which Raddle
 * finds by other means. Timers of processor time never expire, because computing takes no virtual time. A timer
 * that creates a thread (SIGEV_THREAD) is left to libc, see unseen_activity.c.
 */
#include "rt/hook/time/timer.h"

#include "rt/process/child_table.h"
#include "rt/hook/hook.h"
#include "rt/hook/time/timing.h"
#include "rt/io/open_file.h"
#include "rt/access/shared_access.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

enum { ITIMERS = 3, TIMERS_MAX = 256 };
static_assert(ITIMER_REAL == 0 && ITIMER_VIRTUAL == 1 && ITIMER_PROF == 2,
              "indexes of the first elements of `timers`");
static_assert(TIMERS_MAX - ITIMERS == 253, "the message of unused() contains the number");

struct signal_timer {
    timer_t id;            /* the program's, of timer_create */
    union sigval value;    /* sigev_value */
    uint64_t expires;      /* virtual time; before the checkpoint: the duration; 0: the timer is not set */
    uint64_t interval;     /* virtual nanoseconds between further expirations; 0: there are none */
    int notify, sig, code; /* sigev_notify; si_signo and si_code of its signal */
    clockid_t clock;
    rd_tid to; /* the thread that gets the signal; RD_TID_NONE: the process */
    bool used;
};

static struct signal_timer timers[TIMERS_MAX] =
    {/* the first are those of setitimer, indexed by ITIMER_REAL, ITIMER_VIRTUAL and ITIMER_PROF */
     {.used = true, .notify = SIGEV_SIGNAL, .sig = SIGALRM, .code = SI_KERNEL, .to = RD_TID_NONE},
     {.used = true, .notify = SIGEV_NONE},
     {.used = true, .notify = SIGEV_NONE}};
static uint32_t count = ITIMERS; /* elements of `timers` that were ever used */

/* Returns whether timers follow the virtual clock: the program is past the checkpoint. */
static bool virtual(void) { return rd_rt_active() && rd_rt.threaded; }

static uint64_t now(void) { return rd_rt.engine.world.clock.now_ns; }

/* Returns whether the program would notice that the timer expires: it has a handler, or the signal is blocked. */
static bool matters(const struct signal_timer *t) {
    struct sigaction a;
    if (!t->used || !t->expires || t->notify == SIGEV_NONE || rd_signal_action(t->sig, &a) != 0)
        return false;
    bool handled = a.sa_handler != SIG_DFL && a.sa_handler != SIG_IGN;
    return handled || (a.sa_handler == SIG_DFL && rd_signal_blocked(t->sig));
}

/* The virtual time of the next expiration of a timer that `counts` (NULL: of any timer); 0: there is none. */
static uint64_t next_of(bool (*counts)(const struct signal_timer *t)) {
    uint64_t first = 0;
    for (uint32_t i = 0; i < count; i++)
        if (timers[i].used && timers[i].expires && (!counts || counts(&timers[i])))
            first = first ? RD_MIN(first, timers[i].expires) : timers[i].expires;
    return first;
}

uint64_t rd_timers_next(void) { return next_of(matters); }

/* Lets all timers expire that are due (rd_world.alarm). */
static void fire(void *ctx) {
    (void)ctx;
    RD_CHECK(count <= TIMERS_MAX);
    for (uint32_t i = 0; i < count; i++) {
        struct signal_timer *t = &timers[i];
        if (!t->used || !t->expires || t->expires > now())
            continue;
        bool heard = matters(t);
        t->expires = t->interval ? t->expires + ((now() - t->expires) / t->interval + 1) * t->interval : 0;
        if (!heard)
            continue;
        rd_rt.engine.rec.out->clock_read = 1; /* the moment depends on the steps of other threads */
        rd_rt.engine.rec.out->unseen |= RD_UNSEEN_TIMER;
        rd_signal_comes(t->to, t->sig, t->code, t->value);
    }
    rd_rt.engine.world.alarm_at = next_of(NULL);
}

bool rd_timers_pass(uint64_t to) {
    struct rd_world *w = &rd_rt.engine.world;
    w->clock.now_ns = RD_MAX(w->clock.now_ns, to);
    fire(NULL);
    return true;
}

/* The timer was set or deleted. */
static void changed(const struct signal_timer *t) {
    struct rd_world *w = &rd_rt.engine.world;
    w->alarm = fire;
    w->alarm_at = next_of(NULL);
    if (t->notify != SIGEV_NONE && t->expires)
        rd_io_expect_signals();
    if (rd_rt.threaded)
        rd_timers_note();
}

void rd_timers_note(void) {
    if (!rd_timers_next())
        return;
    rd_rt.engine.rec.out->unseen |= RD_UNSEEN_TIMER;
    rd_sharing_all(); /* its handler may run between any two accesses */
}

/* Switches the kernel's timer off; returns whether it was still to expire. */
static bool take_over(uint32_t i) {
    RD_CHECK(!rd_rt.threaded); /* after the checkpoint no timer is the kernel's */
    static const struct itimerval never;
    static const struct itimerspec never_ns;
    struct itimerval was = never;
    struct itimerspec was_ns = never_ns;
    if (i < ITIMERS)
        RD_REAL(setitimer)((__itimer_which_t)i, &never, &was);
    else
        RD_REAL(timer_settime)(timers[i].id, 0, &never_ns, &was_ns);
    return was.it_value.tv_sec || was.it_value.tv_usec || was_ns.it_value.tv_sec || was_ns.it_value.tv_nsec;
}

void rd_timers_begin(void) {
    for (uint32_t i = 0; i < count; i++) {
        struct signal_timer *t = &timers[i];
        if (!t->used || !t->expires)
            continue;
        t->expires = take_over(i) ? rd_deadline_in(t->expires) : 0;
        changed(t);
    }
}

/* ---- alarm and setitimer ---- */

static uint64_t ns_of(const struct timeval *t) { return (uint64_t)t->tv_sec * RD_NS + (uint64_t)t->tv_usec * 1000; }
static struct timeval span(uint64_t ns) {
    return (struct timeval){.tv_sec = (time_t)(ns / RD_NS), .tv_usec = (suseconds_t)(ns % RD_NS / 1000)};
}
static uint64_t left(const struct signal_timer *t) {
    return t->expires ? RD_MAX(t->expires, now() + 1000) - now()
                      : 0; /* at least 1 µs: 0 means that it is not set */
}

/* Sets the timer to expire in `ns` virtual nanoseconds; 0: not at all. */
static void set(struct signal_timer *t, uint64_t ns, uint64_t interval) {
    rd_rt_enter();
    t->interval = interval;
    t->expires = ns && rd_rt.threaded ? rd_deadline_in(ns) : ns;
    if (rd_rt.threaded)
        changed(t);
    rd_rt_leave();
}

static bool valid(const struct timeval *t) { return t->tv_sec >= 0 && t->tv_usec >= 0 && t->tv_usec < 1000000; }

RD_EXPORT int getitimer(__itimer_which_t which, struct itimerval *to) {
    if (!virtual() || (unsigned)which >= ITIMERS)
        return RD_REAL(getitimer)(which, to);
    *to = (struct itimerval){span(timers[which].interval), span(left(&timers[which]))};
    return 0;
}

RD_EXPORT int setitimer(__itimer_which_t which, const struct itimerval *to, struct itimerval *old) {
    if (!rd_rt_active() || (unsigned)which >= ITIMERS || !to)
        return RD_REAL(setitimer)(which, to, old);
    if (!valid(&to->it_value) || !valid(&to->it_interval)) {
        errno = EINVAL;
        return -1;
    }
    int r = 0;
    if (!rd_rt.threaded)
        r = RD_REAL(setitimer)(which, to, old);
    else if (old)
        getitimer(which, old);
    set(&timers[which], ns_of(&to->it_value), ns_of(&to->it_interval));
    return r;
}

RD_EXPORT unsigned alarm(unsigned seconds) {
    if (!rd_rt_active())
        return RD_REAL(alarm)(seconds);
    uint64_t before = (left(&timers[ITIMER_REAL]) + RD_NS - 1) / RD_NS;
    if (!rd_rt.threaded)
        before = RD_REAL(alarm)(seconds);
    set(&timers[ITIMER_REAL], (uint64_t)seconds * RD_NS, 0);
    return (unsigned)before;
}

RD_EXPORT useconds_t ualarm(useconds_t us, useconds_t interval) {
    struct itimerval to = {span((uint64_t)interval * 1000), span((uint64_t)us * 1000)}, old = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &to, &old);
    return (useconds_t)(ns_of(&old.it_value) / 1000);
}

/* ---- timer_create ---- */

static struct signal_timer *find(timer_t id) {
    for (uint32_t i = ITIMERS; rd_rt_active() && i < count; i++)
        if (timers[i].used && timers[i].id == id)
            return &timers[i];
    return NULL;
}

static struct signal_timer *unused(void) {
    for (uint32_t i = ITIMERS; i < count; i++)
        if (!timers[i].used)
            return &timers[i];
    if (count == TIMERS_MAX) {
        rd_rt_enter();
        rd_rt_refuse("the program makes more than 253 timers with timer_create()");
    }
    return &timers[count++];
}

/* Returns whether the clock measures elapsed time, and not processor time. */
static bool counts_time(clockid_t clock) {
    return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC || clock == CLOCK_BOOTTIME || clock == CLOCK_TAI;
}

RD_EXPORT int timer_create(clockid_t clock, struct sigevent *restrict event, timer_t *restrict id) {
    bool thread = event && event->sigev_notify == SIGEV_THREAD;
    if (!rd_rt_active() || thread)
        return RD_REAL(timer_create)(clock, event, id);
    struct signal_timer *t = unused();
    timer_t real;
    if (!rd_rt.threaded && RD_REAL(timer_create)(clock, event, &real) != 0)
        return -1;
    if (event && (event->sigev_signo < 1 || event->sigev_signo > SIGRTMAX) && event->sigev_notify != SIGEV_NONE) {
        errno = EINVAL;
        return -1;
    }
    *t = (struct signal_timer){.used = true, .clock = clock, .code = SI_TIMER, .to = RD_TID_NONE};
    t->id = rd_rt.threaded ? (timer_t)t : real;
    t->notify = !counts_time(clock) ? SIGEV_NONE : event ? event->sigev_notify : SIGEV_SIGNAL;
    t->sig = event ? event->sigev_signo : SIGALRM;
    if (event)
        t->value = event->sigev_value;
    if (event && event->sigev_notify == SIGEV_THREAD_ID)
        t->to = (rd_tid)(event->_sigev_un._tid - RD_PID);
    *id = t->id;
    return 0;
}

static struct itimerspec current(const struct signal_timer *t) {
    return (struct itimerspec){rd_timespec_of(t->interval), rd_timespec_of(left(t))};
}

RD_EXPORT int timer_settime(timer_t id, int flags, const struct itimerspec *restrict to,
                            struct itimerspec *restrict old) {
    struct signal_timer *t = find(id);
    if (!t)
        return RD_REAL(timer_settime)(id, flags, to, old);
    if (!rd_timespec_valid(&to->it_value) || !rd_timespec_valid(&to->it_interval)) {
        errno = EINVAL;
        return -1;
    }
    uint64_t ns = rd_timespec_ns(&to->it_value), at = rd_deadline(t->clock, &to->it_value);
    if (ns && flags & TIMER_ABSTIME)
        ns = at > now() ? at - now() : 1;
    int r = 0;
    struct itimerspec in = {to->it_interval, rd_timespec_of(ns)};
    if (!rd_rt.threaded) /* `in` is relative: an absolute time of the virtual clock would mean another moment */
        r = RD_REAL(timer_settime)(id, 0, &in, old);
    else if (old)
        *old = current(t);
    set(t, ns, rd_timespec_ns(&to->it_interval));
    return r;
}

RD_EXPORT int timer_gettime(timer_t id, struct itimerspec *to) {
    struct signal_timer *t = find(id);
    if (!t || !rd_rt.threaded)
        return RD_REAL(timer_gettime)(id, to);
    *to = current(t);
    return 0;
}

/* At most one signal of a timer is pending; further expirations meanwhile are not counted. */
RD_EXPORT int timer_getoverrun(timer_t id) {
    return find(id) && rd_rt.threaded ? 0 : RD_REAL(timer_getoverrun)(id);
}

RD_EXPORT int timer_delete(timer_t id) {
    struct signal_timer *t = find(id);
    if (!t)
        return RD_REAL(timer_delete)(id);
    int r = rd_rt.threaded ? 0 : RD_REAL(timer_delete)(id);
    set(t, 0, 0);
    t->used = false;
    return r;
}
