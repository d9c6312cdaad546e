/* coverage_csv.h - writes the three files of --coverage. docs/strategies.md describes their columns. */
#ifndef RD_REPORT_COVERAGE_CSV_H
#define RD_REPORT_COVERAGE_CSV_H

#include "result/run_result.h"

#include <stdio.h>

/* One row for each execution. A long search keeps every 2nd, 4th … execution, and always the last one. */
void rd_coverage_executions(FILE *out, const struct rd_run_result *result);
/* One row for each number of preemptions. */
void rd_coverage_bounds(FILE *out, const struct rd_run_result *result);
/* One row for each class of the first RD_ORDERS_MAX: how many executions had it. */
void rd_coverage_orders(FILE *out, const struct rd_run_result *result);

#endif
