/* live_status.h - a few lines about the search while it runs. */
#ifndef RD_CLI_RUN_LIVE_STATUS_H
#define RD_CLI_RUN_LIVE_STATUS_H

#include "result/progress.h"

/*
 * Before the search. On standard error: a block that is drawn over itself on a terminal, elsewhere a line every few
 * seconds.
 */
void rd_live_status_begin(void);
/* Now and then; does nothing when it is not yet time. */
void rd_live_status(const struct rd_progress *p);
/* Takes the block away: whatever is printed next begins where it began. */
void rd_live_status_end(void);

#endif
