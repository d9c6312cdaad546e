/* test_pages.h - the pages for a browser: those of each test, which its `raddle run` writes, and the index of all.
 */
#ifndef RD_CLI_TEST_DOCUMENTS_TEST_PAGES_H
#define RD_CLI_TEST_DOCUMENTS_TEST_PAGES_H

#include "cli/test/run_tests.h"

#include <stdio.h>

/* A run of the test has ended: moves its pages to the test's folder, or removes them if its result does not count.
 */
void rd_test_pages_take(struct rd_test *t, bool counts);

/* Makes the folder and opens its index before the tests run. False after a message. */
bool rd_test_pages_open(const char *folder);
/* Writes and closes the index. Returns 0, or the exit status after a message. */
int rd_test_pages_write(const struct rd_test_runs *r);

/* test_index.c: the index of all tests. */
void rd_test_index(FILE *out, const struct rd_test_runs *r);

#endif
