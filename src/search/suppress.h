/* suppress.h - findings that are known (--suppress), or meant by the program. */
#ifndef RD_SEARCH_SUPPRESS_H
#define RD_SEARCH_SUPPRESS_H

#include "trace/channel.h"

bool rd_suppressed(struct rd_channel *c, const struct rd_finding *f);

#endif
