/*
 * deadline.c - see deadline.h. The moment of a signal is the moment at which a call first sees it: calls come every
 * few milliseconds.
 */
#include "drive/deadline.h"

#include "channel/channel.h"
#include "drive/real_clock.h"

static const double GIVE_UP_S = 0.1, KILL_S = 0.25, LAST_S = 0.4; /* after the deadline */

static struct {
    const volatile int *interrupted;
    const volatile uint32_t *stop;
    double begun;   /* when the command began; 0: it has not */
    double allowed; /* seconds from then; 0: no limit */
    double end;     /* the deadline; 0: there is none */
    bool signalled; /* a signal came before the end of --time, and `end` is its moment */
} deadline;

void rd_deadline_begin(double allowed, const volatile int *interrupted) {
    deadline.interrupted = interrupted;
    deadline.begun = rd_clock_s();
    deadline.allowed = allowed;
    deadline.end = allowed > 0 ? deadline.begun + allowed : 0;
    deadline.signalled = false;
}

void rd_deadline_follow(const volatile uint32_t *stop) {
    deadline.stop = stop;
    deadline.interrupted = NULL;
}

bool rd_deadline_begun(void) { return deadline.begun > 0; }

uint64_t rd_deadline_elapsed_ns(void) { return (uint64_t)((rd_clock_s() - deadline.begun) * 1e9); }

uint64_t rd_deadline_ns(void) { return (uint64_t)(deadline.end * 1e9); }

/* Seconds since the deadline; less than 0: it has not come. */
static double seconds_past(void) {
    double now = rd_clock_s();
    bool asked = deadline.stop ? *deadline.stop == RD_STOP_SIGNAL : deadline.interrupted && *deadline.interrupted;
    if (!deadline.signalled && asked) {
        deadline.signalled =
            deadline.end == 0 || now < deadline.end; /* a signal after the end of --time changes nothing */
        deadline.end = deadline.signalled ? now : deadline.end;
    }
    return deadline.end > 0 ? now - deadline.end : -1;
}

enum rd_stage rd_deadline_stage(double spare_s) {
    double late = seconds_past();
    late -= deadline.signalled ? RD_MAX(spare_s, 0.0) : spare_s;
    return late < 0           ? RD_STAGE_BEFORE
           : late < GIVE_UP_S ? RD_STAGE_END
           : late < KILL_S    ? RD_STAGE_GIVE_UP
           : late < LAST_S    ? RD_STAGE_KILL
                              : RD_STAGE_LAST;
}

bool rd_deadline_over(void) { return seconds_past() >= 0; }

bool rd_deadline_signalled(void) {
    seconds_past();
    return deadline.signalled;
}

double rd_deadline_seconds(void) { return deadline.allowed; }
