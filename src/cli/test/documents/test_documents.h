/*
 * test_documents.h - the results of raddle test for machines: JSON with the document of each test's run, JUnit,
 * SARIF, what GitHub Actions shows, pages for a browser.
 */
#ifndef RD_CLI_TEST_DOCUMENTS_TEST_DOCUMENTS_H
#define RD_CLI_TEST_DOCUMENTS_TEST_DOCUMENTS_H

#include "cli/test/run_tests.h"
#include "report/report.h"

#include <stdio.h>

/* Opens the files and the folder before the tests run. False after a message. */
bool rd_test_documents_open(const struct rd_test_options *o);
/* Is a document on standard output, which then has nothing else? */
bool rd_test_documents_take_stdout(const struct rd_test_options *o);
/* Writes and closes the files. Returns 0, or the exit status after a message. */
int rd_test_documents_write(const struct rd_test_runs *r);

/* test_sarif.c: one run of SARIF with the results of all tests. */
void rd_test_sarif(FILE *out, const struct rd_test_runs *r);
/*
 * The fingerprint of a result of the test's own log: the identity of the finding, so that a bug of the code which
 * several tests show is one bug; of a failure of the test itself also the test.
 */
void rd_test_fingerprint(const struct rd_test *t, const json_t *result, char to[RD_IDENTITY]);

/*
 * test_github.c: the log of GitHub Actions. From the first call to the second one, which annotates each finding and
 * appends to the summary of the job, GitHub obeys no line of the log. Without --github both do nothing; without the
 * second one, the third ends what the first has begun.
 */
void rd_test_github_begin(const struct rd_test_options *o);
void rd_test_github(const struct rd_test_runs *r);
void rd_test_github_end(const struct rd_test_options *o);

#endif
