/* live_status.h - shows the state of a search on standard error while it runs. */
#ifndef RD_CLI_RUN_LIVE_STATUS_H
#define RD_CLI_RUN_LIVE_STATUS_H

#include "result/progress.h"

/*
 * Called before the search. On a terminal the status is a block of lines that each update draws over; elsewhere it
 * is one line every few seconds.
 */
void rd_live_status_begin(void);
/* Called about every 20 ms with the progress of the search; prints only when the next update is due. */
void rd_live_status(const struct rd_progress *p);
/* Clears the block from the terminal, so that the report begins where the block began. */
void rd_live_status_end(void);

#endif
