/* test_progress.h - the line that tells which tests run. On no terminal, a line for each test that has ended. */
#ifndef RD_CLI_TEST_TEST_PROGRESS_H
#define RD_CLI_TEST_TEST_PROGRESS_H

#include "cli/test/run_tests.h"

void rd_test_progress_begin(const struct rd_test_runs *r);
/* Called every few milliseconds, with some of the tests that run. */
void rd_test_progress(const struct rd_test_runs *r, const struct rd_test *const *now, uint32_t count);
void rd_test_progress_ended(const struct rd_test_runs *r, const struct rd_test *t);
void rd_test_progress_end(void);

#endif
