/*
 * end_execution.h - the ways in which an execution ends: the program exits, the engine gives a verdict, a hook
 * reports a finding, a fatal signal or the watchdog's comes, or the runtime refuses the program. Each function
 * completes the outcome in the channel first. Then its process ends or, in a snapshot, control goes back to the
 * explorer.
 */
#ifndef RD_RT_END_EXECUTION_H
#define RD_RT_END_EXECUTION_H

#include "trace/types.h"

#include <signal.h>
#include <stdbool.h>

/* Completes the outcome in the channel. pre: no thread of the program takes another step, unless an exec fails */
void rd_rt_finish_outcome(void);
/* The last of the program's own code has run: completes the outcome. No effect if the execution is ending already.
 */
void rd_rt_end(void);
/* Ends the execution with the verdict that the outcome has. */
_Noreturn void rd_rt_over(void);
/* Ends the execution with this finding. */
_Noreturn void rd_rt_found(const struct rd_finding *f);
/* Ends the execution because Raddle cannot control the program; `reason` is the message for the user. */
_Noreturn void rd_rt_refuse(const char *reason);

/* ---- fatal signals, and the watchdog's signal ---- */

/* Installs the handlers, and the signal stack of the first thread. */
void rd_finding_init(void);
/* Gives the calling kernel thread, which runs thread `tid`, a signal stack of its own. */
void rd_finding_thread(rd_tid tid);
/* Returns whether the program has no handler of its own for the signal. */
bool rd_finding_owns(int sig);
/* Returns whether the program sees this action as the default: SIG_DFL, or a handler that the runtime put in its
 * place. */
bool rd_finding_is_default(const struct sigaction *a);
/* Sets the action of a fault's signal to the default: the fault is a finding again. */
void rd_finding_default(int sig);
/* The handler of signals that end a program. */
void rd_finding_fatal(int sig, siginfo_t *info, void *context);

#endif
