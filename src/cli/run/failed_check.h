/*
 * failed_check.h - finds the message of a test framework about a failed check in the output of a program. After a
 * failed check the program ends with a wrong exit status; the place of that finding, the end of main, does not
 * help.
 */
#ifndef RD_CLI_RUN_FAILED_CHECK_H
#define RD_CLI_RUN_FAILED_CHECK_H

#include "trace/finding.h"

/*
 * Puts file, line and text of the first failed check into a finding of a wrong exit status. Knows the messages of
 * GoogleTest, Catch2, doctest, Boost.Test and cmocka. Returns false and leaves the finding as it is if the output
 * has no such message.
 */
bool rd_failed_check_take(struct rd_finding *f, const char *output, size_t size);

#endif
