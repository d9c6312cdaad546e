/* test_documents.h - the results of raddle test for machines: one JSON document with that of each test's run. */
#ifndef RD_CLI_TEST_TEST_DOCUMENTS_H
#define RD_CLI_TEST_TEST_DOCUMENTS_H

#include "cli/test/run_tests.h"

#include <stdio.h>

struct rd_test_document {
    const char *path; /* NULL: no document is wanted */
    FILE *file;
};

/* Opens the file before the tests run. False after a message. */
bool rd_test_document_open(struct rd_test_document *d, const char *path);
/* Writes and closes it. Returns 0, or the exit status after a message. */
int rd_test_document_write(struct rd_test_document *d, const struct rd_test_runs *r);

#endif
