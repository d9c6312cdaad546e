/* commands.h - the subcommands: one file each. They get argv after their own name and return the exit status. */
#ifndef RD_CLI_COMMANDS_H
#define RD_CLI_COMMANDS_H

int rd_cmd_run(char **args);
int rd_cmd_replay(char **args);
int rd_cmd_show(char **args);
int rd_cmd_list(char **args);
int rd_cmd_variables(char **args); /* of list */
int rd_cmd_bench(char **args);
int rd_cmd_launch(char **args); /* for gdb only: becomes the program that a file describes */
/* The command of a compiler, its name first ("cc", "c++", or that of one), perhaps with a launcher before it. */
int rd_cmd_cc(char **args);

void rd_help_run(void);
void rd_help_replay(void);
void rd_help_show(void);
void rd_help_list(void);
void rd_help_bench(void);

#endif
