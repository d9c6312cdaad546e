/*
 * known_findings.h - findings that the user knows (--suppress) or that the program declares as intended
 * (suppression.h). The summary counts each of them once; none is reported.
 */
#ifndef RD_EXPLORE_KNOWN_FINDINGS_H
#define RD_EXPLORE_KNOWN_FINDINGS_H

#include "explore/loop.h"

/* Returns true for a known finding, and counts it. */
bool rd_known_findings_suppress(struct rd_loop *l, const struct rd_finding *f);
/* Counts the known heap errors after which the execution in the channel went on. */
void rd_known_findings_count(struct rd_loop *l);

#endif
