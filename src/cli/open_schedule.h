/* open_schedule.h - a schedule file and the program that it was recorded with. */
#ifndef RD_CLI_OPEN_SCHEDULE_H
#define RD_CLI_OPEN_SCHEDULE_H

#include "drive/process/target.h"
#include "file/schedule.h"

/*
 * Reads a schedule file, changes to the directory of the recording, opens the program and checks that it is the
 * same build. Returns 0, or the exit status after a message.
 */
int rd_open_schedule(struct rd_schedule *s, struct rd_target *t, const char *file);

/*
 * The same for a command that will run the program. A file that this user's Raddle did not write on this machine
 * could name any program with any arguments: it is refused, with what it would run. `program` is the program to run
 * in the place of the one that the file names; it lets such a file pass. NULL: the one that the file names. `call`
 * is the command that takes `--program`, for the message.
 */
int rd_open_schedule_to_run(struct rd_schedule *s, struct rd_target *t, const char *file, const char *program,
                            const char *call);

#endif
