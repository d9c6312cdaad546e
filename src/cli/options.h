/*
 * options.h - one way to read options for all subcommands: a table of them, and a loop that goes through argv.
 * Options end at the first word that is none, or at `--`.
 */
#ifndef RD_CLI_OPTIONS_H
#define RD_CLI_OPTIONS_H

#include "report/format.h"

struct rd_option {
    char letter;       /* 0: none */
    const char *name;  /* without the dashes */
    const char *value; /* what its value is called; NULL: it takes none */
    const char *help;
};

/*
 * The name of a row that stands for one option --NAME for each format that can write the document. Names and help
 * come from the table of formats; the row says only what the value is called.
 */
#define RD_OPTION_FORMATS(document) (rd_option_formats[document])
extern const char rd_option_formats[RD_DOCUMENTS][1];

struct rd_args {
    char **at; /* what is left */
    const char *command;
    const struct rd_format *format; /* that the last option has chosen; NULL: that option was no format */
};

/* The index of the next option in the table, -1 at the end of the options, -2 after a message about a mistake. */
int rd_args_next(struct rd_args *a, const struct rd_option *table, const char **value);
void rd_options_help(const struct rd_option *table);

/* Numbers with a message when they are none. */
bool rd_parse_count(const char *option, const char *text, uint64_t max, uint64_t *to);
bool rd_parse_seconds(const char *option, const char *text, double *to);
/* The index of `text` in a list of words separated by spaces, or -1 after a message. */
int rd_parse_word(const char *option, const char *text, const char *words);

/* "raddle: message" on standard error; the exit status for trouble. */
int rd_trouble(const char *format, ...) __attribute__((format(printf, 1, 2)));

enum { RD_EXIT_CLEAN = 0, RD_EXIT_BUG = 1, RD_EXIT_TROUBLE = 2 };

#endif
