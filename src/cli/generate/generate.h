/*
 * generate.h - raddle --generate: writes what is made from the tables of commands and options (cli/commands.h), so
 * that it says what `raddle help` says: man pages, and completions for shells. The build runs it; users have no
 * need to.
 */
#ifndef RD_CLI_GENERATE_GENERATE_H
#define RD_CLI_GENERATE_GENERATE_H

#include "cli/commands.h"

/* Each prints to standard output. */
void rd_generate_man_overview(const char *date);
void rd_generate_man_command(const struct rd_command *c, const char *date);
void rd_generate_bash(void);
void rd_generate_zsh(void);
void rd_generate_fish(void);

/* What can follow an option or a command. */
enum rd_takes_kind {
    RD_TAKES_NONE,     /* the option takes no value */
    RD_TAKES_TEXT,     /* anything */
    RD_TAKES_WORDS,    /* one of the words in rd_takes.words */
    RD_TAKES_LIST,     /* as RD_TAKES_WORDS, or several, separated by commas */
    RD_TAKES_STRATEGY, /* NAME:key=value,... */
    RD_TAKES_FILE,
    RD_TAKES_FOLDER,
    RD_TAKES_PROGRAM, /* a program and its arguments */
    RD_TAKES_COMPILE  /* the arguments of a compiler */
};

struct rd_takes {
    enum rd_takes_kind kind;
    char words[1024]; /* separated by spaces */
};

/* What the name of an option's value on the help page says about it. */
struct rd_takes rd_takes_of_option(const struct rd_option *o);
/* What the synopsis of a command says about its first argument that is no option. */
struct rd_takes rd_takes_of_command(const struct rd_command *c);
/* A command with a synopsis and a summary: one that users type. */
bool rd_generate_is_command(const struct rd_command *c);
/* The words after `raddle help`, or those of `raddle` itself. */
void rd_generate_words(bool pages, char *to, size_t room);
/* Copies the beginning of a help text, up to the first semicolon, bracket or full stop, to label a completion. */
void rd_generate_label(const char *help, char *to, size_t room);
/* Prints the text; each character in `special` gets `before` in front of it. */
void rd_generate_escaped(const char *text, const char *special, const char *before);

#endif
