/*
 * status.h - what a search is doing, in a few short lines. The channel is written meanwhile, and nobody waits for
 * that: what makes no sense for a moment is not shown.
 */
#ifndef RD_REPORT_TEXT_STATUS_H
#define RD_REPORT_TEXT_STATUS_H

#include "channel/channel.h"

enum { RD_STATUS_LINES = 3, RD_STATUS_LINE = 256 };

/* What only the reader knows: it has a clock, and has looked before. */
struct rd_pace {
    double elapsed_s;
    double rate;    /* executions a second, lately */
    double quiet_s; /* since there was an order of events or a finding that is new */
    bool stopping;  /* the user has asked for the end */
};

void rd_status(const struct rd_channel *c, const struct rd_pace *p, char lines[RD_STATUS_LINES][RD_STATUS_LINE]);

#endif
