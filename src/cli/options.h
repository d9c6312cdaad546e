/*
 * options.h - reads the options of all subcommands: each subcommand has a table of its options and calls
 * rd_args_next in a loop. The options end before the first word that does not begin with a dash, and after `--`.
 */
#ifndef RD_CLI_OPTIONS_H
#define RD_CLI_OPTIONS_H

#include "report/format.h"

/* A row of the table; the last row has no name. */
struct rd_option {
    char letter;       /* of the short form; 0: there is none */
    const char *name;  /* without the dashes */
    const char *value; /* the name of the value on the help page; NULL: the option takes no value */
    const char *help;
};

/*
 * The name of a row that stands for several options: --NAME for each format that can write the document. Names and
 * help come from the table of formats (report/format.h); the row gives only the name of the value.
 */
#define RD_OPTION_FORMATS(document) (rd_option_formats[document])
extern const char rd_option_formats[RD_DOCUMENTS][1];

struct rd_default;

struct rd_args {
    char **at;                      /* the words that are not read yet */
    const char *command;            /* the subcommand, for messages */
    const struct rd_format *format; /* chosen by the last option; NULL: that option chose no format */
    /* cli/defaults: where the first words come from, from_count of them from words[0] on; NULL: the command line */
    char **words;
    struct rd_default **from;
    uint32_t from_count;
    struct rd_default *origin; /* of the last option; NULL: it is of the command line */
};

enum { RD_ARGS_END = -1, RD_ARGS_MISTAKE = -2, RD_ARGS_UNKNOWN = -3, RD_ARGS_UNWANTED = -4, RD_ARGS_MISSING = -5 };

/* The row of each command that reads RADDLE_OPTIONS and .raddle. */
#define RD_OPTION_NO_CONFIG \
    { 0, "no-config", NULL, "ignore RADDLE_OPTIONS and files .raddle" }

/*
 * Reads one option and its value. Returns the index of the option in the table; RD_ARGS_END if no option is left,
 * or RD_ARGS_MISTAKE after a message.
 */
int rd_args_next(struct rd_args *a, const struct rd_option *table, const char **value);
/*
 * The same without messages: a mistake is RD_ARGS_UNKNOWN (no such option), RD_ARGS_UNWANTED (the option takes no
 * value) or RD_ARGS_MISSING (it needs one).
 */
int rd_args_try(struct rd_args *a, const struct rd_option *table, const char **value);
/* Do several of the option add up, so that a later one does not replace an earlier one? */
bool rd_option_repeats(const struct rd_option *o);
/* Calls `use` for each option of the table: a row that stands for several options is one call for each of them. */
void rd_options_each(const struct rd_option *table, void (*use)(void *ctx, const struct rd_option *o), void *ctx);
/* Prints a line for each option. */
void rd_options_help(const struct rd_option *table);
/* Prints a row of a help page: what the user types, and what it is for. */
void rd_options_row(const char *left, const char *text);
/* Prints paragraphs, wrapped at words; a line that begins with a space stays as it is. */
void rd_options_text(const char *text);

/* Looks a program up in PATH. */
bool rd_find_in_path(const char *name, char *to, size_t room);

/* Parse the value of an option, whose name is for the message. False after a message: it is no such number. */
bool rd_parse_count(const char *option, const char *text, uint64_t max, uint64_t *to);
bool rd_parse_seconds(const char *option, const char *text, double *to);
/* The index of `text` in a list of words that single spaces separate, or -1 after a message. */
int rd_parse_word(const char *option, const char *text, const char *words);

/* The values of --color and --progress, in the order of the words. */
enum rd_when { RD_WHEN_AUTO, RD_WHEN_ALWAYS, RD_WHEN_NEVER };
#define RD_WHEN_WORDS "auto always never"

/* Prints "raddle: message" on standard error. Returns the exit status for trouble. */
int rd_trouble(const char *format, ...) __attribute__((format(printf, 1, 2)));

enum { RD_EXIT_CLEAN = 0, RD_EXIT_BUG = 1, RD_EXIT_TROUBLE = 2 };

#endif
