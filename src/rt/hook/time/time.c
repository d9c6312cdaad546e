/*
 * time.c - yields, sleeps and clocks. The program's clocks are virtual: they start at a fixed moment, so that all
 * executions see the same time, and they move with the schedule (model/clock.c). A sleep takes no real time.
 */
#include "rt/hook/hook.h"
#include "rt/hook/time/timing.h"

#include <errno.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

enum { EPOCH_S = 1767225600 /* 2026-01-01, 00:00 UTC */, UPTIME_S = 100000 };

/* Sleeps. */
static void wait_for(uint64_t ns, uint64_t pc) {
    rd_rt_op((struct rd_op){.kind = RD_OP_SLEEP, .arg = ns, .pc = pc});
}

uint64_t rd_hook_now(void) {
    if (rd_rt.threaded && rd_rt.engine.world.unjoined) /* the time depends on the steps of other threads */
        rd_rt.engine.rec.out->clock_read = 1;
    return rd_rt.engine.world.clock.now_ns;
}

/* The time of a clock that the program reads. */
static uint64_t now_ns(void) {
    rd_rt_enter();
    rd_hook_now();
    uint64_t ns = rd_clock_read(&rd_rt.engine.world, rd_self->tid);
    rd_spin_forget(&rd_rt.engine.spin, rd_self->tid); /* a loop that reads the clock may end by itself */
    rd_livelock_cycle_break(&rd_rt.engine);
    rd_rt_leave();
    return ns;
}

/* Seconds that the clock shows at the start of the program. */
static uint64_t start_of(clockid_t clock) {
    uint64_t start = 0;
    if (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE || clock == CLOCK_TAI)
        start = EPOCH_S;
    else if (clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW || clock == CLOCK_MONOTONIC_COARSE ||
             clock == CLOCK_BOOTTIME)
        start = UPTIME_S;
    return start;
}

static struct timespec clock_now(clockid_t clock) {
    struct timespec t = rd_timespec_of(now_ns());
    t.tv_sec += (time_t)start_of(clock);
    return t;
}

RD_EXPORT int sched_yield(void) {
    if (!rd_rt_active())
        return RD_REAL(sched_yield)();
    rd_rt_op((struct rd_op){.kind = RD_OP_YIELD, .pc = RD_PC()});
    return 0;
}

/* glibc's older name of sched_yield; its header gives the C name pthread_yield to another symbol. */
RD_EXPORT int old_yield(void) __asm__("pthread_yield");
RD_EXPORT int old_yield(void) {
    if (!rd_rt_active())
        return RD_REAL(sched_yield)();
    rd_rt_op((struct rd_op){.kind = RD_OP_YIELD, .pc = RD_PC()});
    return 0;
}

RD_EXPORT unsigned sleep(unsigned seconds) {
    if (!rd_rt_active())
        return RD_REAL(sleep)(seconds);
    wait_for((uint64_t)seconds * RD_NS, RD_PC());
    return 0;
}

RD_EXPORT int usleep(useconds_t us) {
    if (!rd_rt_active())
        return RD_REAL(usleep)(us);
    wait_for((uint64_t)us * 1000, RD_PC());
    return 0;
}

uint64_t rd_deadline(clockid_t clock, const struct timespec *at) {
    if (at->tv_nsec < 0 || at->tv_nsec >= RD_NS)
        return 0;
    int64_t seconds = at->tv_sec - (int64_t)start_of(clock);
    return seconds < 0 ? 1 : RD_MAX((uint64_t)seconds * RD_NS + (uint64_t)at->tv_nsec, (uint64_t)1);
}

uint64_t rd_deadline_in(uint64_t ns) { return rd_hook_now() + RD_MAX(ns, (uint64_t)1); }

int rd_hook_sleep(const struct timespec *wanted, uint64_t pc) {
    if (!rd_timespec_valid(wanted))
        return EINVAL;
    wait_for(rd_timespec_ns(wanted), pc);
    return 0;
}

RD_EXPORT int nanosleep(const struct timespec *wanted, struct timespec *left) {
    if (!rd_rt_active())
        return RD_REAL(nanosleep)(wanted, left);
    int error = rd_hook_sleep(wanted, RD_PC());
    if (error)
        errno = error;
    return error ? -1 : 0;
}

int rd_hook_clock_sleep(clockid_t clock, int flags, const struct timespec *wanted, uint64_t pc) {
    if (!rd_timespec_valid(wanted))
        return EINVAL;
    uint64_t ns = rd_timespec_ns(wanted);
    if (flags & TIMER_ABSTIME) {
        struct timespec t = clock_now(clock);
        uint64_t at = rd_timespec_ns(&t);
        ns = ns > at ? ns - at : 0;
    }
    wait_for(ns, pc);
    return 0;
}

RD_EXPORT int clock_nanosleep(clockid_t clock, int flags, const struct timespec *wanted, struct timespec *left) {
    return rd_rt_active() ? rd_hook_clock_sleep(clock, flags, wanted, RD_PC())
                          : RD_REAL(clock_nanosleep)(clock, flags, wanted, left);
}

RD_EXPORT int clock_gettime(clockid_t clock, struct timespec *to) {
    if (!rd_rt_active() || clock > CLOCK_TAI) /* negative numbers: the processor time of a thread or process */
        return RD_REAL(clock_gettime)(clock, to);
    *to = clock_now(clock);
    return 0;
}

RD_EXPORT int timespec_get(struct timespec *to, int base) {
    if (base != TIME_UTC)
        return 0;
    return clock_gettime(CLOCK_REALTIME, to) == 0 ? base : 0;
}

RD_EXPORT int gettimeofday(struct timeval *restrict to, void *restrict zone) {
    if (!rd_rt_active())
        return RD_REAL(gettimeofday)(to, zone);
    struct timespec t = clock_now(CLOCK_REALTIME);
    *to = (struct timeval){.tv_sec = t.tv_sec, .tv_usec = t.tv_nsec / 1000};
    return 0;
}

RD_EXPORT time_t time(time_t *to) {
    if (!rd_rt_active())
        return RD_REAL(time)(to);
    time_t t = clock_now(CLOCK_REALTIME).tv_sec;
    if (to)
        *to = t;
    return t;
}

RD_EXPORT clock_t clock(void) {
    if (!rd_rt_active())
        return RD_REAL(clock)();
    static_assert((int)RD_NS % CLOCKS_PER_SEC == 0, "a tick is a whole number of nanoseconds");
    return (clock_t)(now_ns() / (RD_NS / CLOCKS_PER_SEC));
}

/* Processor time: the virtual clock's time, all of it as user time, because computing takes no virtual time. */
RD_EXPORT clock_t times(struct tms *to) {
    if (!rd_rt_active())
        return RD_REAL(times)(to);
    uint64_t ns = now_ns();
    clock_t ticks = (clock_t)(ns / ((uint64_t)RD_NS / (uint64_t)sysconf(_SC_CLK_TCK)));
    if (to)
        *to = (struct tms){.tms_utime = ticks};
    return (clock_t)(UPTIME_S * sysconf(_SC_CLK_TCK)) + ticks;
}

/* The other counters (memory, page faults, context switches) depend on more than the program: they are 0. */
RD_EXPORT int getrusage(__rusage_who_t who, struct rusage *to) {
    bool own = who == RUSAGE_SELF || who == RUSAGE_THREAD;
    if (!rd_rt_active() || (!own && who != RUSAGE_CHILDREN))
        return RD_REAL(getrusage)(who, to);
    uint64_t ns = own ? now_ns() : 0;
    *to = (struct rusage){.ru_utime = {.tv_sec = (time_t)(ns / RD_NS), .tv_usec = (long)(ns % RD_NS / 1000)}};
    return 0;
}
