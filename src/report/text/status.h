/*
 * status.h - the state of a running search in a few short lines. The driver copied them while the search
 * wrote, without a lock, so figures may not agree with each other; a figure that is impossible is not shown.
 */
#ifndef RD_REPORT_TEXT_STATUS_H
#define RD_REPORT_TEXT_STATUS_H

#include "result/progress.h"

enum { RD_STATUS_LINES = 3, RD_STATUS_LINE = 256 };

/* Figures that follow from the reader's clock and from its earlier looks at the channel. */
struct rd_pace {
    double elapsed_s;
    double rate;    /* executions per second since the last look */
    double quiet_s; /* since the last new class or finding */
    bool stopping;  /* the user has asked for the end of the search */
};

/* Fills in the lines: phase and time; counts; what is left. */
void rd_status(const struct rd_progress *now, const struct rd_pace *p, char lines[RD_STATUS_LINES][RD_STATUS_LINE]);

#endif
