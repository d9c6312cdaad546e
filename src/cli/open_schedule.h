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

#endif
