/*
 * clock.c - virtual time. It moves with the schedule: a little with every operation and every reading, and by
 * the whole duration with a sleep, so no test ever waits. A loop that only waits for a moment to come must end
 * soon, so readings in a row without an operation in between move the clock by doubling amounts.
 */
#include "model/model.h"

enum { TICK_NS = 1000, STREAK_MAX = 30 };

uint64_t rd_clock_read(struct rd_world *w, rd_tid tid) {
    struct rd_clock *c = &w->clock;
    bool again = c->reader == tid && c->ops == w->ops;
    c->streak = again ? RD_MIN(c->streak + 1, (uint32_t)STREAK_MAX) : 0;
    c->reader = tid;
    c->ops = w->ops;
    /* the first readings in a row are a measurement, not a wait */
    c->now_ns += (uint64_t)TICK_NS << (c->streak > 8 ? c->streak - 8 : 0);
    return c->now_ns;
}

void rd_clock_sleep(struct rd_world *w, uint64_t ns) { w->clock.now_ns += ns; }

RD_MODEL_PERFORM(rd_clock_sleep_op) {
    (void)tid;
    (void)way;
    (void)r;
    rd_clock_sleep(w, op->arg);
}
