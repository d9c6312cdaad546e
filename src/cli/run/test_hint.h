/* test_hint.h - the hint at `raddle test` of a run in which each execution was many tests. */
#ifndef RD_CLI_RUN_TEST_HINT_H
#define RD_CLI_RUN_TEST_HINT_H

#include "drive/session.h"

#include <stdio.h>

/*
 * Prints one line if the last execution ran several tests of a framework that `raddle test` can run one by one, and
 * the search has found a bug or was not finished in its time: a search for each test would come further.
 */
void rd_test_hint(FILE *out, const struct rd_session *s);

#endif
