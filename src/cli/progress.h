/* progress.h - a few lines about the search while it runs. */
#ifndef RD_PROGRESS_H
#define RD_PROGRESS_H

#include "trace/channel.h"

/*
 * Before the search. On standard error: a block that is drawn over itself on a terminal, elsewhere a line every few
 * seconds.
 */
void rd_progress_begin(void);
/* Now and then; does nothing when it is not yet time. */
void rd_progress(const struct rd_channel *c);
/* Takes the block away: whatever is printed next begins where it began. */
void rd_progress_end(void);

#endif
