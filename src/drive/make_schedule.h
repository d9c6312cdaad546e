/* make_schedule.h - the schedule of an execution, as a file stores it. */
#ifndef RD_DRIVE_MAKE_SCHEDULE_H
#define RD_DRIVE_MAKE_SCHEDULE_H

#include "file/schedule.h"
#include "drive/process/target.h"
#include "result/run_result.h"

/*
 * Makes the schedule of a finding or an ending in the result; with `found` NULL, that of the result's last
 * execution. The schedule borrows all its data from target, result and static tables: it is valid until the next
 * call, while target and result are.
 */
void rd_schedule_make(struct rd_schedule *to, const struct rd_target *t, struct rd_run_result *r,
                      const struct rd_found *found);
/*
 * Writes a schedule file. For a hang that the watchdog found, it leaves out where in the code the thread was at
 * that moment, so that two recordings of one execution have the same bytes. Returns 0, or -1 with a message.
 */
int rd_schedule_store(const struct rd_schedule *s, const char *path, struct rd_error *error);

#endif
