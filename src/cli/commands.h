/*
 * commands.h - the subcommands, one file each. A subcommand gets the words of argv after its own name and returns
 * the exit status of the process.
 */
#ifndef RD_CLI_COMMANDS_H
#define RD_CLI_COMMANDS_H

int rd_cmd_run(char **args);
int rd_cmd_replay(char **args);
int rd_cmd_show(char **args);
int rd_cmd_list(char **args);
int rd_cmd_variables(char **args); /* raddle list variables */
int rd_cmd_bench(char **args);
int rd_cmd_launch(char **args); /* for gdb only (gdb.c): becomes the program that the file args[0] describes */
/* `args` begins with the compiler ("cc", "c++", "gcc-12"), which may have a launcher such as ccache before it. */
int rd_cmd_cc(char **args);

/* Each prints the help page of a subcommand. */
void rd_help_run(void);
void rd_help_replay(void);
void rd_help_show(void);
void rd_help_list(void);
void rd_help_bench(void);

#endif
