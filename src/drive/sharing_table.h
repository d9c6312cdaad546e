/*
 * sharing.h - the table of memory that threads share (trace/sharing.h), in the driver: one for the search that this
 * process runs, handed to every tested process of it.
 */
#ifndef RD_DRIVE_SHARING_TABLE_H
#define RD_DRIVE_SHARING_TABLE_H

#include "channel/channel.h"
#include "file/schedule.h"

/* The descriptor of the table; -1: there is none, and every access is a point. */
int rd_drive_sharing_fd(void);
/* Its beginning. NULL: there is none. */
struct rd_sharing *rd_drive_sharing(void);
/* A new search begins: nothing is known. */
void rd_drive_sharing_reset(void);
/* What was shared in the execution of a finding (NULL: of the replay in this channel), for its schedule. */
void rd_drive_sharing_list(struct rd_schedule *to, struct rd_channel *c, const struct rd_found *found);

#endif
