/* test_options.h - the options of raddle test: its own, and those of raddle run, which each test gets. */
#ifndef RD_CLI_TEST_TEST_OPTIONS_H
#define RD_CLI_TEST_TEST_OPTIONS_H

#include "cli/defaults/defaults.h"
#include "cli/options.h"
#include "cli/test/test_list.h"

enum { RD_TEST_PASSED_ON = 256, RD_TEST_PATTERNS = 256 };

/* Documents that are one file, with the results of all tests. */
enum rd_test_document { RD_TEST_JSON, RD_TEST_JUNIT, RD_TEST_SARIF, RD_TEST_DOCUMENTS };

struct rd_test_options {
    double time_s;    /* of the whole command; 0: no limit */
    uint32_t at_once; /* tests that run at the same time */
    bool at_once_given;
    bool counts; /* -n: each test has a limit of its own */
    bool list, quiet, keep_going, help;
    int colour, progress; /* enum rd_when */
    const char *out;
    const char *documents[RD_TEST_DOCUMENTS]; /* paths; NULL: it is not wanted */
    const char *html;                         /* the folder for pages; NULL: none */
    bool github;
    const char *framework;
    const char *patterns[RD_TEST_PATTERNS];
    struct rd_test_choice choice;
    char *pass[RD_TEST_PASSED_ON];                   /* words for `raddle run` */
    struct rd_default *pass_from[RD_TEST_PASSED_ON]; /* where each comes from; NULL: the command line */
    uint32_t pass_count;
    uint32_t pass_before_sections; /* the first of them, before which those of a section count less */
    struct rd_defaults defaults;
};

extern const struct rd_option rd_test_option_table[];

/* Reads the options. Returns 0, or the exit status after a message. */
int rd_test_options_read(struct rd_test_options *o, struct rd_args *a);
/* The option of `raddle run` that a section can give to a test; NULL: it has no such option. */
const struct rd_option *rd_test_option_passed_on(const char *name);

#endif
