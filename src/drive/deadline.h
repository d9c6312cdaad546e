/*
 * deadline.h - the one moment at which a command is to be over, whatever the tested program does. It is the end of
 * --time, or the moment of a signal that asks for the end, whichever comes first. Everything in the driver that
 * waits for a tested process keeps to it, and the search is told the same moment (config.deadline_ns).
 *
 * After that moment the running execution has a little time to end by itself; then it is told to, then it is
 * killed, then the process of the search is. What was found by then is in the channel. All of that, and the report,
 * fit into one second.
 */
#ifndef RD_DRIVE_DEADLINE_H
#define RD_DRIVE_DEADLINE_H

#include "base/base.h"

enum rd_stage {
    RD_STAGE_BEFORE,  /* there is time left */
    RD_STAGE_END,     /* the search ends with the running execution */
    RD_STAGE_GIVE_UP, /* the execution is told to end at once */
    RD_STAGE_KILL,    /* its process is killed, unless the search is in there, too */
    RD_STAGE_LAST,    /* every process is killed */
};

/* Begins now and ends after so many seconds; 0: no limit. `interrupted` is not 0 once a signal asks for the end. */
void rd_deadline_begin(double seconds, const volatile int *interrupted);
/* In a process of the driver's own (side_process.h): it is `stop`, in shared memory, that says whether one did. */
void rd_deadline_follow(const volatile uint32_t *stop);
/* Was it begun? */
bool rd_deadline_begun(void);
/* Nanoseconds since then. */
uint64_t rd_deadline_elapsed_ns(void);
/* The moment on the monotonic clock; 0: there is none. */
uint64_t rd_deadline_ns(void);
/*
 * `spare_s`: the stages come so much later; a replay that confirms a finding may begin when the search is over.
 * Less than 0: so much earlier, to leave time for what is yet to be done; a signal leaves none.
 */
enum rd_stage rd_deadline_stage(double spare_s);
/* Has the end come? */
bool rd_deadline_over(void);
/* Was it a signal that asked for it? */
bool rd_deadline_signalled(void);
/* What --time allows; 0: no limit. */
double rd_deadline_seconds(void);

#endif
