/* test_list.h - the tests of a command: their names, the arguments that run each of them alone, and their results.
 */
#ifndef RD_CLI_TEST_TEST_LIST_H
#define RD_CLI_TEST_TEST_LIST_H

#include "base/error.h"
#include "cli/test/test_result.h"

struct rd_default;
struct rd_framework;

/* A program that the user has named. */
struct rd_test_program {
    const char *word;  /* as the user wrote it */
    const char *path;  /* of the file */
    const char *label; /* its name without the directory */
    char **args;       /* further arguments of every test; NULL at the end */
    const struct rd_framework *framework;
};

/* The number of words in a list that ends with a NULL; a NULL is an empty list. */
size_t rd_test_count_words(char *const *words);

enum { RD_TEST_ARGS = 8 };

struct rd_test {
    char *name;  /* as the framework lists it */
    char *suite; /* a part of the name that only arguments need, or NULL */
    const struct rd_test_program *program;
    char *args[RD_TEST_ARGS]; /* select the test; NULL at the end */
    bool disabled;            /* by the framework: it is not run */
    const char *unfit;        /* why it cannot be run alone; NULL: it can */
    char *unfit_text;         /* the same, if it was made for this test */
    char *folder;             /* a name for folders of its own */
    char *dir;                /* for its schedules */
    char *pages, *new_pages;  /* folders for its pages, and for those of a run that has not ended; NULL: none */
    bool has_pages;           /* of the result */
    struct rd_default **own;  /* options of sections, which it alone has; NULL at the end. NULL: none */
    double time_s;            /* of them: the limit of its time; 0: none */
    bool keep_going;          /* of them */
    struct rd_test_result result;
};

struct rd_test_list {
    struct rd_test *at;
    uint32_t count, room;
    const char *unread; /* why a part of the framework's list could not be read; NULL: all of it was */
};

/* Adds a test; the name is copied. */
struct rd_test *rd_test_list_add(struct rd_test_list *l, const char *name, size_t length);
/* Adds an argument: the format's text. */
__attribute__((format(printf, 2, 3))) void rd_test_add_arg(struct rd_test *t, const char *format, ...);
void rd_test_list_free(struct rd_test_list *l);

/* "program: test" if the command has several programs, else the name of the test. */
const char *rd_test_full_name(const struct rd_test *t, bool several, char *to, size_t room);

/* Copies a text as a terminal may show it: the program may have put anything into it. Returns `to`. */
const char *rd_test_make_safe(const char *text, char *to, size_t room);

/* A shell pattern over names, or with a '!' before it one that excludes. */
struct rd_test_choice {
    const char *const *patterns;
    uint32_t pattern_count;
    uint32_t shard, shards; /* from 1; 0: no shards */
};

/*
 * Keeps the tests that the patterns choose, then those of the shard: of the tests that are run, and of those that
 * are not, each shard has the same number, or one more.
 */
void rd_test_list_choose(struct rd_test_list *l, const struct rd_test_choice *c);

#endif
