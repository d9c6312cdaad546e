/* given_options.h - the options of a command that were not on its command line, for its reports. */
#ifndef RD_REPORT_TEXT_GIVEN_OPTIONS_H
#define RD_REPORT_TEXT_GIVEN_OPTIONS_H

#include "base/base.h"

#include <stdio.h>

struct rd_given_option {
    const char *from;    /* "RADDLE_OPTIONS", or the file .raddle */
    const char *section; /* of the file: the pattern of [test PATTERN]; NULL: none */
    const char *name;    /* without the dashes */
    const char *value;   /* NULL: none */
    unsigned line;       /* in the file; 0: it comes from no file */
};

/* Prints one line that says which options came from where; nothing if there are none. */
void rd_print_given_options(FILE *out, const struct rd_given_option *list, uint32_t count);

#endif
