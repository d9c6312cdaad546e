/*
 * suppression.h - findings that the user declares known (--suppress), and races that the program declares intended
 * (an annotation, struct rd_annotation).
 */
#ifndef RD_EXPLORE_SUPPRESSION_H
#define RD_EXPLORE_SUPPRESSION_H

#include "channel/channel.h"

/* Returns true if the finding is known or intended. */
bool rd_suppression_covers(struct rd_channel *c, const struct rd_finding *f);

#endif
