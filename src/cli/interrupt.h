/*
 * interrupt.h - how a command ends before its time. Ctrl-C, SIGTERM and a hangup ask it to end in good order; a
 * second Ctrl-C kills it at once, with all that it has started. Ctrl-Z stops and continues all of it.
 */
#ifndef RD_CLI_INTERRUPT_H
#define RD_CLI_INTERRUPT_H

#include "base/base.h"

/* Installs the handlers. `at_once`: there is nothing to report, the first signal kills. */
void rd_stop_install(bool at_once);
/* Not 0: the command is to end. */
const volatile int *rd_stop_wanted(void);
/* What is written to standard error before the process is stopped or killed; NULL: nothing. */
void rd_stop_first(const char *text);

#endif
