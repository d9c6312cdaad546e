/*
 * interrupt.h - signals that end a command before its time. Ctrl-C, SIGTERM and SIGHUP ask the command to end in
 * good order, with its report; a second Ctrl-C kills the command and every tested process at once. Ctrl-Z stops all
 * of them, and `fg` continues them.
 */
#ifndef RD_CLI_INTERRUPT_H
#define RD_CLI_INTERRUPT_H

#include "base/base.h"

/* Installs the handlers. `at_once`: the command has no results to report, and the first signal kills it. */
void rd_interrupt_install(bool at_once);
/*
 * The processes of the group are raddle commands of their own, which stop their tested processes before themselves
 * and have a second to end in good order.
 */
void rd_interrupt_for_commands(void);
/* A variable that becomes 1 when a signal has asked the command to end. */
const volatile int *rd_interrupt_requested(void);
/* Text to write to standard error before the process is stopped or killed (it clears the live status); NULL: none.
 */
void rd_interrupt_write_first(const char *text);

#endif
