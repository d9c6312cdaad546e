/* ask_program.h - runs a program without Raddle to read what it prints: the list of its tests. */
#ifndef RD_CLI_TEST_ASK_PROGRAM_H
#define RD_CLI_TEST_ASK_PROGRAM_H

#include "base/error.h"

#include <stddef.h>

/* What a program printed on its standard output and error. Both texts end with a zero, and may hold others. */
struct rd_answer {
    char *text[2];
    size_t size[2];
    int status; /* as waitpid gives it */
};

/*
 * Runs the program with the arguments (args[0] is its name) and an empty standard input, and waits for its end. The
 * program and what it has started are killed after a few seconds, after more output than any list of tests has, and
 * when the user stops the command. Returns 0, or -1 with the reason.
 */
int rd_ask_program(struct rd_answer *a, const char *path, char *const *args, struct rd_error *error);
void rd_answer_free(struct rd_answer *a);

#endif
