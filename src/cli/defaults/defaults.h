/*
 * defaults.h - options that are not on the command line: of a file .raddle, and of RADDLE_OPTIONS. They become
 * words before those of the command line, so a later one replaces an earlier one: the lines of the file before its
 * first section, matching sections, RADDLE_OPTIONS, the command line.
 */
#ifndef RD_CLI_DEFAULTS_DEFAULTS_H
#define RD_CLI_DEFAULTS_DEFAULTS_H

#include "cli/options.h"
#include "report/text/given_options.h"

struct rd_default {
    struct rd_given_option option;
    char *word;       /* "--name", "--name=value" */
    bool counts;      /* the command reads it, and nothing replaces it */
    bool takes_value; /* in a table of the commands */
    bool repeats;     /* a later one is added, and replaces nothing */
    bool on_line;     /* the command line has the option, or RADDLE_OPTIONS after a line of the file */
    bool was_checked; /* raddle test has checked the value */
};

struct rd_defaults {
    struct rd_default *at; /* in the order in which they count; they live as long as the process */
    uint32_t count, room;
    bool sections_later; /* raddle test: each test has its own, so rd_defaults_begin leaves sections out */
};

/*
 * Reads the options for the command of `a`, at its first word, and puts those that are in `table` before its words:
 * an option that only another command has is passed over. Nothing is read if the command line has --no-config, asks
 * for help or has a mistake, or if RADDLE_CONFIG is "none". False after a message.
 */
bool rd_defaults_begin(struct rd_defaults *d, struct rd_args *a, const struct rd_option *table);
/* Does the option count for a program or test with the name? Options without a section count for all. */
bool rd_default_is_for(const struct rd_default *x, const char *name);
/* The options that count. Returns their number; the list lives as long as the process. */
uint32_t rd_defaults_given(const struct rd_defaults *d, const struct rd_given_option **list);

#endif
