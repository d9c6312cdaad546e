/*
 * program_symbols.h - what the driver reads from the symbols and the debug information of the program before it
 * runs it: the tested process has no access to them.
 */
#ifndef RD_CLI_PROGRAM_SYMBOLS_H
#define RD_CLI_PROGRAM_SYMBOLS_H

#include "drive/process/target.h"
#include "symbols/symbols.h"
#include "trace/profile.h"

/* The symbols of one program. NULL after a message: the path is too long. pre: those of the last call are closed.
 */
struct rd_symbols *rd_program_symbols_open(const char *program);
/* Does rd_target_open, and reads from the debug information whether main() returns a value. */
int rd_program_symbols_open_target(struct rd_target *t, char **args, struct rd_error *error);
/* Fills in the global and static variables of a profile (the `globals` slot of struct rd_session). */
void rd_program_symbols_globals(struct rd_profile *p, const char *program);
/* Fills in the members of the target that tell the race detector about code it does not see. */
void rd_program_symbols_for_races(struct rd_target *t);

#endif
