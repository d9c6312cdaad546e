/*
 * clock.c - virtual time. It moves with the schedule: a little with every reading, and by the whole duration with
 * a sleep, so no execution ever waits for real time. A loop that reads the clock until a moment has come must end
 * soon, so a thread that keeps reading the clock without a sleep moves it by larger and larger amounts: the first 8
 * readings by a microsecond each, the next 8 by two microseconds, and so on up to about a second.
 */
#include "model/primitives.h"

enum { TICK_NS = 1000, READINGS = 8, DOUBLINGS_MAX = 20 };

void rd_clock_moved(struct rd_world *w) {
    if (RD_UNLIKELY(w->alarm_at && w->clock.now_ns >= w->alarm_at))
        w->alarm(w->io_ctx);
}

static void tick(struct rd_world *w, rd_tid tid) {
    uint32_t doublings = w->threads[tid].clock_readings++ / READINGS;
    w->clock.now_ns += (uint64_t)TICK_NS << RD_MIN(doublings, (uint32_t)DOUBLINGS_MAX);
    RD_ASSERT(tid < w->count && w->threads[tid].state == RD_T_READY);
    rd_clock_moved(w);
}

uint64_t rd_clock_read(struct rd_world *w, rd_tid tid) {
    tick(w, tid);
    return w->clock.now_ns;
}

/* A loop of yields waits for another thread, which may be in a timed wait: so time must pass with each yield. */
RD_MODEL_PERFORM(rd_clock_yield) {
    (void)op;
    (void)way;
    (void)r;
    tick(w, tid);
}

void rd_clock_sleep(struct rd_world *w, uint64_t ns) {
    w->clock.now_ns += ns;
    rd_clock_moved(w);
}

RD_MODEL_PERFORM(rd_clock_sleep_op) {
    (void)way;
    (void)r;
    w->threads[tid].clock_readings = 0;
    rd_clock_sleep(w, op->arg);
}
