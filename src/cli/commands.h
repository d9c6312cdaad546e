/*
 * commands.h - the subcommands, one file each, and the table of them (commands.c), from which `raddle help`, the
 * man pages and the completions of shells are made.
 */
#ifndef RD_CLI_COMMANDS_H
#define RD_CLI_COMMANDS_H

#include "cli/options.h"

/* A subcommand or a page of `raddle help`; some names are both. */
struct rd_command {
    const char *name;
    /* Gets the words of argv after the name; returns the exit status of the process. NULL: it is only a page. */
    int (*run)(char **args);
    const char *arguments;           /* what follows the name in a synopsis; NULL: it is only a page, or internal */
    const char *summary;             /* a few words for the list of commands; NULL: it is not in that list */
    const char *description;         /* the text of the page; NULL: there is no page */
    const struct rd_option *options; /* listed after the description; NULL: none */
    void (*details)(void);           /* prints what follows the options; NULL: nothing */
};

extern const struct rd_command rd_command_run, rd_command_replay, rd_command_show, rd_command_list,
    rd_command_variables, rd_command_test, rd_command_compare, rd_command_bench, rd_command_cc, rd_command_cxx,
    rd_command_generate;

extern const struct rd_command *const rd_commands[];
extern const uint32_t rd_command_count;

/* The command or page with this name; NULL: there is none. */
const struct rd_command *rd_command_find(const char *name);
/* Prints the page of a command. */
void rd_command_help(const struct rd_command *c);

/* The words of the command from its beginning, which main() has cut off; they live as long as the process. */
const char **rd_command_words(const char *name, char **args);

int rd_cmd_run(char **args);
int rd_cmd_test(char **args);
int rd_cmd_variables(char **args); /* raddle list variables */
/* For debuggers only (debug/debug_replay.c): become the program that the file args[0] describes; print the steps of
   the schedule file args[0] for the commands in gdb, with args[1], unless it is NULL, in the place of its program.
 */
int rd_cmd_launch(char **args);
int rd_cmd_steps(char **args);
int rd_cmd_gdb(char **args); /* raddle-gdb: args[0] is its own name */
/* `args` begins with the compiler ("cc", "c++", "gcc-12"), which may have a launcher such as ccache before it. */
int rd_cmd_cc(char **args);

#endif
