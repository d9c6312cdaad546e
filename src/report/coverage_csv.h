/* coverage_csv.h - what --coverage writes. See docs/strategies.md for the columns. */
#ifndef RD_REPORT_COVERAGE_CSV_H
#define RD_REPORT_COVERAGE_CSV_H

#include "result/run_result.h"

#include <stdio.h>

/* One row an execution; of a long search every 2nd, 4th … of them, and the last. */
void rd_coverage_executions(FILE *out, const struct rd_run_result *result);
/* One row for each number of preemptions. */
void rd_coverage_bounds(FILE *out, const struct rd_run_result *result);

#endif
