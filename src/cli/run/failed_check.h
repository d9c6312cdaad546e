/*
 * failed_check.h - finds in what a program has printed the message of a test framework about a check that failed.
 * Such a check ends the program with a wrong exit status, whose own place, the end of main, says nothing.
 */
#ifndef RD_CLI_RUN_FAILED_CHECK_H
#define RD_CLI_RUN_FAILED_CHECK_H

#include "trace/finding.h"

/*
 * Puts file, line and text of the first failed check into a finding that is a wrong exit status. False, and nothing
 * is changed: no framework that is known has printed one. GoogleTest, Catch2, doctest, Boost.Test and cmocka are
 * known.
 */
bool rd_failed_check_take(struct rd_finding *f, const char *output, size_t size);

#endif
