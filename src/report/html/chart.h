/* chart.h - charts of the index of a run, as SVG within the page. */
#ifndef RD_REPORT_HTML_CHART_H
#define RD_REPORT_HTML_CHART_H

#include "report/report.h"
#include "report/run_report.h"

#include <stdio.h>

/* Executions, and orders of events, by the number of preemptions. False: there is nothing to draw. */
bool rd_chart_preemptions(FILE *out, const struct rd_run *run);
/* Orders of events over executions, with the first execution of each finding. False: there is nothing to draw. */
bool rd_chart_progress(FILE *out, const struct rd_run *run, const struct rd_report *findings, uint32_t count);

#endif
