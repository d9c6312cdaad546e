/* suppress.h - findings that are known (--suppress), or meant by the program. */
#ifndef RD_EXPLORE_SUPPRESSION_H
#define RD_EXPLORE_SUPPRESSION_H

#include "channel/channel.h"

bool rd_suppressed(struct rd_channel *c, const struct rd_finding *f);

#endif
