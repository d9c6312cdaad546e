/* test_documents.h - the results of raddle test for machines: JSON with the document of each test's run, and JUnit.
 */
#ifndef RD_CLI_TEST_TEST_DOCUMENTS_H
#define RD_CLI_TEST_TEST_DOCUMENTS_H

#include "cli/test/run_tests.h"

#include <stdio.h>

struct rd_test_document {
    const char *path; /* NULL: no document is wanted */
    FILE *file;
};

enum rd_test_document_kind { RD_TEST_JSON, RD_TEST_JUNIT };

/* Opens the file before the tests run. False after a message. */
bool rd_test_document_open(struct rd_test_document *d, const char *path);
/* Writes and closes it. Returns 0, or the exit status after a message. */
int rd_test_document_write(struct rd_test_document *d, enum rd_test_document_kind kind,
                           const struct rd_test_runs *r);

#endif
