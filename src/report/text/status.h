/*
 * status.h - what a search is doing, in a few short lines. The copy that is shown was made while the search wrote
 * the original, so its numbers may not fit together: a line leaves out what makes no sense for a moment.
 */
#ifndef RD_REPORT_TEXT_STATUS_H
#define RD_REPORT_TEXT_STATUS_H

#include "result/progress.h"

enum { RD_STATUS_LINES = 3, RD_STATUS_LINE = 256 };

/* What only the reader knows: it has a clock, and has looked before. */
struct rd_pace {
    double elapsed_s;
    double rate;    /* executions a second, lately */
    double quiet_s; /* since there was an order of events or a finding that is new */
    bool stopping;  /* the user has asked for the end */
};

void rd_status(const struct rd_progress *now, const struct rd_pace *p, char lines[RD_STATUS_LINES][RD_STATUS_LINE]);

#endif
