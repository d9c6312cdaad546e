/*
 * result_document.h - a JSON document of `raddle run` or of `raddle test`, read from a file and checked.
 *
 * The file may hold anything. After a successful read every key that docs/json.md and docs/test-frameworks.md
 * promise and that a comparison uses is there, with its type; texts are valid UTF-8, but may hold any character,
 * zero included.
 */
#ifndef RD_CLI_COMPARE_RESULT_DOCUMENT_H
#define RD_CLI_COMPARE_RESULT_DOCUMENT_H

#include "base/base.h"

#include <jansson.h>

/* One run: the whole document, or a test of it. The values belong to the document. */
struct rd_result_run {
    const json_t *test; /* the entry of the test; NULL: the document is that of one run */
    const json_t *run;  /* the document of the run; NULL: the test was not run */
};

struct rd_result_document {
    const char *path;
    json_t *root;
    bool tests; /* of `raddle test` */
    size_t count;
    struct rd_result_run *at;
};

/* Reads and checks the document. False after a message that names the file. */
bool rd_result_document_read(struct rd_result_document *d, const char *path);
void rd_result_document_free(struct rd_result_document *d);

#endif
