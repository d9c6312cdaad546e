/*
 * framework.h - the table of test frameworks: how a program that uses one is recognised, how it lists its tests,
 * and which arguments make it run exactly one of them. A new framework is one file with a `struct rd_framework` and
 * one row in frameworks.c.
 *
 * A framework reads patterns, not names: some names need escapes, and some cannot be told from others at all. So
 * the program itself is asked which tests the arguments of an ambiguous name select (rd_frameworks_list), and a
 * test that cannot be selected alone is trouble, never a run of something else.
 */
#ifndef RD_CLI_TEST_FRAMEWORK_H
#define RD_CLI_TEST_FRAMEWORK_H

#include "cli/test/test_list.h"

struct rd_framework {
    const char *name; /* for people */
    const char *word; /* the value of --framework */
    /* Texts, up to a NULL, of which each file of a program with this framework holds at least one. */
    const char *marks[6];
    /* Variables of the environment that change what a test runs or prints, up to a NULL; a '*' ends a beginning. */
    const char *variables[8];
    const char *list_args[5]; /* the arguments that list the tests, up to a NULL; none: it cannot list them */
    const char *hidden_arg;   /* one more: lists the tests that are not in the list, and not run, either; or NULL */
    bool lists_selected;      /* list_args with the arguments of a test list only what these select */
    bool lists_on_stderr;     /* the list may be on standard error */
    bool counts_in_status;    /* the exit status of a listing is the number of tests */
    const char *cannot;       /* why Raddle cannot control a test of this framework; NULL: it can */
    const char *failed[3];    /* what may follow "FILE:LINE" in the message about a failed check, up to a NULL */
    const char *none_ran[3]; /* at the end of the output if no test was selected, up to a NULL; ' ' is any spaces */
    /* At the beginning of a line that tells how many tests a run has: '#' is the number, ' ' any spaces. */
    const char *ran[3];
    const char *skipped; /* is in the output of a test that skipped itself; NULL: there is no such thing */
    /* Adds the tests of a list to `to`, with their arguments. */
    void (*parse)(struct rd_test_list *to, const char *text);
    /* Is the name one that the arguments may not tell from others? NULL: there are none. */
    bool (*is_ambiguous)(const struct rd_test_list *all, const struct rd_test *t);
};

extern const struct rd_framework rd_framework_gtest, rd_framework_catch2, rd_framework_catch3, rd_framework_doctest,
    rd_framework_boost, rd_framework_criterion, rd_framework_cmocka, rd_framework_plain;

extern const struct rd_framework *const rd_frameworks[];
extern const uint32_t rd_framework_count;
#define RD_FRAMEWORK_WORDS "gtest catch2 catch3 doctest boost criterion cmocka plain"

/* The framework of the program: the first one that has a mark in the file, or plain. */
const struct rd_framework *rd_frameworks_find(const char *path);
/*
 * Asks the program for its tests and adds them to `to`. Waits until the moment `end_s` of rd_clock_s at most, if
 * that is not 0. Returns 0, or -1 with the reason.
 */
int rd_frameworks_list(struct rd_test_list *to, struct rd_test_program *p, double end_s, struct rd_error *error);

/* Removes the framework's variables from the environment of this process, which is about to become the program. */
void rd_frameworks_clean_environment(const struct rd_framework *f);
/* Does the output of a run say that the arguments have selected no test? */
bool rd_frameworks_none_ran(const struct rd_framework *f, const char *output);

/* The number of tests that a run had by its output, whose bytes may be anything up to a zero; 0: it does not say
 * so. */
uint32_t rd_frameworks_tests_in(const struct rd_framework *f, const char *output);

/* Is each character of the name a letter, a digit or one of those in `also`? */
bool rd_frameworks_plain_name(const char *name, const char *also);

#endif
