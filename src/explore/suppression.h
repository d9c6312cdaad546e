/*
 * suppression.h - findings that the user declares known (--suppress), and races that the program declares intended
 * (an annotation, struct rd_annotation).
 */
#ifndef RD_EXPLORE_SUPPRESSION_H
#define RD_EXPLORE_SUPPRESSION_H

#include "channel/channel.h"

/* Why a finding is suppressed: the number of a line, or one of these. */
enum { RD_SUPPRESSION_NONE = -1, RD_SUPPRESSION_INTENDED = -2, RD_SUPPRESSION_KEY = -3 };

/* Returns why the finding of the execution in the channel is known or intended; RD_SUPPRESSION_NONE: it is neither.
 */
int rd_suppression_line(struct rd_channel *c, const struct rd_finding *f);
/* What a list of suppressed findings says of it. */
struct rd_left_out rd_suppression_left_out(struct rd_channel *c, const struct rd_finding *f);
/* Counts a finding that is suppressed by this line, which may be RD_SUPPRESSION_INTENDED. */
void rd_suppression_count(struct rd_summary *s, const struct rd_left_out *f, int line);

#endif
