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

struct rd_framework;

struct rd_question {
    const char *path;                     /* of the program */
    char *const *args;                    /* args[0] is its name */
    const struct rd_framework *framework; /* whose variables are not in the environment of the program */
    double end_s;                         /* the moment of rd_clock_s at which the command ends; 0: there is none */
};

/*
 * Runs the program with the arguments and an empty standard input, and waits for its end. The program and what it
 * has started are killed after a few seconds, at the end of the command, after more output than any list of tests
 * has, and when the user stops the command. Returns 0, or -1 with the reason.
 */
int rd_ask_program(struct rd_answer *a, const struct rd_question *q, struct rd_error *error);
void rd_answer_free(struct rd_answer *a);

#endif
