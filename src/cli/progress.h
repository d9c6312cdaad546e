/* progress.h - a line about the search while it runs. */
#ifndef RD_PROGRESS_H
#define RD_PROGRESS_H

#include "trace/channel.h"

/* On standard error: over the last one on a terminal, one every few seconds elsewhere. */
void rd_progress(const struct rd_channel *c);
/* Takes the line away. */
void rd_progress_end(void);

#endif
