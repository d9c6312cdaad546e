/* test_table.h - what raddle test prints for people: the table, the bugs, the totals. */
#ifndef RD_CLI_TEST_TEST_TABLE_H
#define RD_CLI_TEST_TEST_TABLE_H

#include "cli/test/run_tests.h"
#include "report/report.h"

void rd_test_table(FILE *out, const struct rd_test_runs *r, const struct rd_look *look);

/* How many tests have each outcome. */
void rd_test_totals(const struct rd_test_list *l, uint32_t totals[RD_TEST_OUTCOMES]);
/* Prints them as one line, with the executions and the time of the command. */
void rd_test_print_totals(FILE *out, const struct rd_test_runs *r, const struct rd_look *look);
/* The exit status of the command, unless a document could not be written. */
int rd_tests_exit_status(const struct rd_test_runs *r);

#endif
