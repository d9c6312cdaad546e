/*
 * gtest.c - GoogleTest. Its list has a line "Suite." for each suite and below it an indented line for each test; a
 * parameter's value follows "  # ". A filter has wildcards, ':' between patterns and '-' before the patterns that
 * exclude tests. It has no escapes, so '?' stands for each special character. Only names that RegisterTest has made
 * at run time contain special characters.
 */
#include "cli/test/framework.h"

#include <stdlib.h>
#include <string.h>

static size_t name_length(const char *line, size_t n) {
    const char *comment = memmem(line, n, "  # ", 4);
    return comment ? (size_t)(comment - line) : n;
}

static bool is_disabled(const char *name) {
    return strncmp(name, "DISABLED_", 9) == 0 || strstr(name, "/DISABLED_") || strstr(name, ".DISABLED_");
}

static void add(struct rd_test_list *to, const char *suite, size_t suite_length, const char *name, size_t length) {
    char *full = calloc(1, suite_length + length + 1);
    if (!full)
        abort();
    memcpy(full, suite, suite_length);
    memcpy(full + suite_length, name, length);
    struct rd_test *t = rd_test_list_add(to, full, suite_length + length);
    t->disabled = is_disabled(full);
    for (char *c = full; *c; c++)
        if (strchr("*?:-", *c))
            *c = '?';
    rd_test_add_arg(t, "--gtest_filter=%s", full);
    rd_test_add_arg(t, "--gtest_color=no");
    free(full);
}

static void parse(struct rd_test_list *to, const char *text) {
    const char *suite = NULL;
    size_t suite_length = 0;
    for (const char *line = text; *line;) {
        size_t n = strcspn(line, "\n"), length = name_length(line, n);
        bool test = strncmp(line, "  ", 2) == 0;
        if (test && suite && length > 2)
            add(to, suite, suite_length, line + 2, length - 2);
        else if (!test && length > 1 && line[length - 1] == '.')
            suite = line, suite_length = length;
        else if (!test)
            suite = NULL;
        line += n + (line[n] == '\n');
    }
}

static bool is_ambiguous(const struct rd_test_list *all, const struct rd_test *t) {
    (void)all;
    return !rd_frameworks_plain_name(t->name, "_./");
}

const struct rd_framework rd_framework_gtest = {
    .name = "GoogleTest",
    .word = "gtest",
    .marks = {"gtest_list_tests", "libgtest.so", "libgtest_main.so", "_ZN7testing14InitGoogleTest"},
    .variables = {"GTEST_*", "TESTBRIDGE_TEST_ONLY", "XML_OUTPUT_FILE", "TEST_PREMATURE_EXIT_FILE"},
    .list_args = {"--gtest_list_tests"},
    .lists_selected = true,
    .failed = {": Failure"},
    .none_ran = {"[==========] 0 tests from 0 test", "[==========] Running 0 tests from 0 test"},
    .ran = {"[==========] Running # tests from"},
    .skipped = "[  SKIPPED ] 1 test",
    .parse = parse,
    .is_ambiguous = is_ambiguous,
};
