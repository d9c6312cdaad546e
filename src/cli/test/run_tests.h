/* run_tests.h - runs the tests, several at once, each by a `raddle run` of its own, and shares the time among them.
 */
#ifndef RD_CLI_TEST_RUN_TESTS_H
#define RD_CLI_TEST_RUN_TESTS_H

#include "cli/test/test_options.h"

struct rd_test_runs {
    const struct rd_test_options *options;
    struct rd_test_list *list;
    const struct rd_test_program *programs;
    uint32_t program_count;
    bool several;         /* programs: the table names them */
    const char **command; /* its words */
    double began, seconds;
    uint32_t done, bugs, troubles; /* tests that have ended, and how */
    uint32_t to_run;
    bool stopped; /* by a signal */
};

/* Runs all tests that are not disabled and fills in their results. */
void rd_run_tests(struct rd_test_runs *r);

#endif
