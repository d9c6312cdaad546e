/* known_findings.h - findings that the user knows (--suppress) or the program means: they are only counted, each
 * once. */
#ifndef RD_EXPLORE_KNOWN_FINDINGS_H
#define RD_EXPLORE_KNOWN_FINDINGS_H

#include "explore/loop.h"

/* Is this finding of a detector one? Then it is counted. */
bool rd_known_suppress(struct rd_loop *l, const struct rd_finding *f);
/* Counts those that the execution in the channel went on after. */
void rd_known_count(struct rd_loop *l);

#endif
