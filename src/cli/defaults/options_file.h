/* options_file.h - the file .raddle of a project: where it is searched, who may write it, and its lines. */
#ifndef RD_CLI_DEFAULTS_OPTIONS_FILE_H
#define RD_CLI_DEFAULTS_OPTIONS_FILE_H

#include "base/base.h"

/* A line of the file that has an option. */
struct rd_options_line {
    const char *file;    /* the name for messages */
    const char *folder;  /* the directory of the file; "": the current directory */
    const char *section; /* the pattern of [test PATTERN]; NULL: the line is before the first section */
    unsigned line;
    const char *name, *value; /* NULL: no value */
};

/*
 * Reads the nearest file and calls `use` for each line that has an option. False after a message, or if `use`
 * returned false.
 */
bool rd_options_file_read(bool (*use)(void *ctx, const struct rd_options_line *line), void *ctx);

#endif
