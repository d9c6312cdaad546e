/*
 * sharing_table.h - the driver's table of the memory that threads share (trace/sharing.h). The driver has one
 * table, and every tested process of the search maps it.
 */
#ifndef RD_DRIVE_SHARING_TABLE_H
#define RD_DRIVE_SHARING_TABLE_H

#include "result/run_result.h"
#include "file/schedule.h"

/* The descriptor of the table, which the first call creates. -1: it cannot be created, so every access is a point.
 */
int rd_sharing_table_fd(void);
/* The beginning of the table. NULL: there is no table. */
struct rd_sharing *rd_sharing_table(void);
/* Empties the table before a new search. */
void rd_sharing_table_reset(void);
/*
 * Returns the memory that is shared in executions that would begin now, as rd_sharing_list() does. The list is
 * valid until the next call.
 */
uint32_t rd_sharing_table_points(const struct rd_shared **to);
/*
 * Adds to a schedule the list of the memory that was shared in the execution of a finding; with `found` NULL, in
 * the replay whose result `r` is. The list is valid until the next call, while `r` is.
 */
void rd_sharing_table_list(struct rd_schedule *to, const struct rd_run_result *r, const struct rd_found *found);

#endif
