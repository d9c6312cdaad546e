/* section_options.h - the options that the sections of a file .raddle give to a test. */
#ifndef RD_CLI_TEST_SECTION_OPTIONS_H
#define RD_CLI_TEST_SECTION_OPTIONS_H

#include "cli/test/test_options.h"

/*
 * Finds the options of the sections whose patterns match the test's name or the program's, for t->own, and checks
 * their values. Returns 0, or the exit status after a message.
 */
int rd_section_options_find(struct rd_test_options *o, struct rd_test *t);

#endif
