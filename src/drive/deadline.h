/*
 * deadline.h - the deadline of a command: the moment at which it has to end, whatever the tested program does. It
 * is the end of --time, or the moment of a signal that asks for the end, whichever comes first. The driver keeps to
 * it wherever it waits for a tested process, and the search knows the same moment (config.deadline_ns).
 *
 * After the deadline the running execution has a little time to end by itself; then it is told to end; then its
 * process is killed, and at last the process of the search. The findings up to then are in the channel. All these
 * stages and the report together take less than one second.
 */
#ifndef RD_DRIVE_DEADLINE_H
#define RD_DRIVE_DEADLINE_H

#include "base/base.h"

enum rd_stage {
    RD_STAGE_BEFORE,  /* the deadline has not come */
    RD_STAGE_END,     /* the search ends with the running execution */
    RD_STAGE_GIVE_UP, /* the execution is told to end at once */
    RD_STAGE_KILL,    /* the process of the execution is killed, unless the search runs in the same process */
    RD_STAGE_LAST,    /* every process is killed */
};

/*
 * The command begins now and has `seconds` until its deadline; 0: no limit. *interrupted becomes nonzero when a
 * signal asks for the end.
 */
void rd_deadline_begin(double seconds, const volatile int *interrupted);
/*
 * For a side process of the driver (side_process.h), which gets no signals: from now on `stop`, in shared memory,
 * tells whether a signal has asked for the end.
 */
void rd_deadline_follow(const volatile uint32_t *stop);
/* Was rd_deadline_begin called? */
bool rd_deadline_begun(void);
/* Nanoseconds since rd_deadline_begin. */
uint64_t rd_deadline_elapsed_ns(void);
/* The deadline on the monotonic clock; 0: there is none. */
uint64_t rd_deadline_ns(void);
/*
 * The stage of a process whose own deadline is `spare_s` later than that of the command; a replay that confirms a
 * finding may begin when the search is over. Less than 0: so much earlier, which leaves time for work after that
 * process; after a signal no time is left for that.
 */
enum rd_stage rd_deadline_stage(double spare_s);
/* Has the deadline come? */
bool rd_deadline_over(void);
/* Did the deadline come by a signal? */
bool rd_deadline_signalled(void);
/* The value of --time; 0: no limit. */
double rd_deadline_seconds(void);

#endif
