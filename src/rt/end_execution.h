/*
 * end_execution.h - the ways in which an execution ends: by itself, by a verdict of the engine, by a finding, by a
 * signal, or refused. Each completes the outcome in the channel first; then the execution is over, by the end of
 * its process or, in a snapshot, by going back to the explorer.
 */
#ifndef RD_RT_END_EXECUTION_H
#define RD_RT_END_EXECUTION_H

#include "trace/types.h"

#include <signal.h>
#include <stdbool.h>

/* Completes the outcome in the channel. pre: rd_rt.ending is set: no thread goes on after it */
void rd_rt_finish_outcome(void);
/* The last of the program's own code has run: completes the outcome. No effect if a verdict stands already. */
void rd_rt_end(void);
/* Ends the execution with the verdict that stands in the outcome. */
_Noreturn void rd_rt_over(void);
/* Ends the execution with this finding. */
_Noreturn void rd_rt_found(const struct rd_finding *f);
/* Ends the execution as one that cannot be run under control: `what` says why. */
_Noreturn void rd_rt_refuse(const char *what);

/* ---- fatal signals and the watchdog's ---- */

/* Installs the handlers, and the signal stack of the first thread. */
void rd_finding_init(void);
/* Gives the calling kernel thread, which runs thread `tid`, a signal stack of its own. */
void rd_finding_thread(rd_tid tid);
/* Returns whether the program has no handler of its own for the signal. */
bool rd_finding_owns(int sig);
/* Returns whether the action is what the program has as the default: SIG_DFL, or the runtime's in its place. */
bool rd_finding_is_default(const struct sigaction *a);
/* Sets a fault's signal to the default: it is a finding again. */
void rd_finding_default(int sig);
/* The handler of signals that end a program. */
void rd_finding_fatal(int sig, siginfo_t *info, void *context);

#endif
