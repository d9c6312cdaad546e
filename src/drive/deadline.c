/* deadline.c - see deadline.h. The moment of a signal is when it is first looked for: every few milliseconds. */
#include "drive/deadline.h"

#include "channel/channel.h"
#include "drive/real_clock.h"

static const double GIVE_UP_S = 0.1, KILL_S = 0.25, LAST_S = 0.4; /* after the end, for each stage */

static struct {
    const volatile int *interrupted;
    const volatile uint32_t *stop;
    double begun, allowed, end; /* 0: not, or no limit */
    bool signalled;
} at;

void rd_deadline_begin(double allowed, const volatile int *interrupted) {
    at.interrupted = interrupted;
    at.begun = rd_clock_s();
    at.allowed = allowed;
    at.end = allowed > 0 ? at.begun + allowed : 0;
    at.signalled = false;
}

void rd_deadline_follow(const volatile uint32_t *stop) {
    at.stop = stop;
    at.interrupted = NULL;
}

bool rd_deadline_begun(void) { return at.begun > 0; }

uint64_t rd_deadline_elapsed_ns(void) { return (uint64_t)((rd_clock_s() - at.begun) * 1e9); }

uint64_t rd_deadline_ns(void) { return (uint64_t)(at.end * 1e9); }

/* Seconds since the end; less than 0: it has not come. */
static double past(void) {
    double now = rd_clock_s();
    bool asked = at.stop ? *at.stop == RD_STOP_SIGNAL : at.interrupted && *at.interrupted;
    if (!at.signalled && asked) {
        at.signalled = at.end == 0 || now < at.end; /* else the time was over before */
        at.end = at.signalled ? now : at.end;
    }
    return at.end > 0 ? now - at.end : -1;
}

enum rd_stage rd_deadline_stage(double spare_s) {
    double since = past();
    since -= at.signalled ? RD_MAX(spare_s, 0.0) : spare_s;
    return since < 0           ? RD_STAGE_BEFORE
           : since < GIVE_UP_S ? RD_STAGE_END
           : since < KILL_S    ? RD_STAGE_GIVE_UP
           : since < LAST_S    ? RD_STAGE_KILL
                               : RD_STAGE_LAST;
}

bool rd_deadline_over(void) { return past() >= 0; }

bool rd_deadline_signalled(void) {
    past();
    return at.signalled;
}

double rd_deadline_seconds(void) { return at.allowed; }
