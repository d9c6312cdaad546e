/* make_schedule.h - the schedule of an execution, as a file stores it. */
#ifndef RD_DRIVE_MAKE_SCHEDULE_H
#define RD_DRIVE_MAKE_SCHEDULE_H

#include "file/schedule.h"
#include "drive/process/target.h"
#include "result/run_result.h"

/*
 * The schedule of a finding or an ending in the result, or (found NULL) of the result's last execution. It borrows
 * everything from target and result, and is valid as long as these, until the next call.
 */
void rd_schedule_make(struct rd_schedule *to, const struct rd_target *t, struct rd_run_result *r,
                      const struct rd_found *found);
/*
 * Writes a schedule file. What is an accident of the moment at which the clock found a thread that hangs is left
 * out, so that two recordings of one execution are the same bytes.
 */
int rd_schedule_store(const struct rd_schedule *s, const char *path, struct rd_error *error);

#endif
