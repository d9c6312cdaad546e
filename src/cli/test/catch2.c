/*
 * catch2.c - Catch2, versions 2 and 3, which list their tests with different options, one name a line. A filter is
 * the name of the test, in which a backslash escapes special characters. Catch2 ignores case, and takes a '*' at
 * the end for a wildcard in spite of the backslash: names that differ only in that are ambiguous. Catch2 leaves
 * hidden tests
 * ("[.]") out of its list, so they are not run.
 */
#include "cli/test/framework.h"

#include <stdlib.h>
#include <string.h>

static void parse(struct rd_test_list *to, const char *text) {
    for (const char *line = text; *line;) {
        size_t n = strcspn(line, "\n"), length = n;
        const char *name = line;
        line += n + (line[n] == '\n');
        if (length > 2 && name[0] == '"' && name[1] == '#' && name[length - 1] == '"')
            name++, length -= 2;
        if (length == 0)
            continue;
        struct rd_test *t = rd_test_list_add(to, name, length);
        char *pattern = calloc(2, length + 1), *p = pattern;
        if (!pattern)
            abort();
        for (size_t i = 0; i < length; i++) {
            if (strchr("\\,[\"*~", name[i]))
                *p++ = '\\';
            *p++ = name[i];
        }
        /* "exclude:" at the beginning would mean something, and so would a dash */
        bool means = strncmp(pattern, "exclude:", 8) == 0 || pattern[0] == '-';
        rd_test_add_arg(t, "%s%s", means ? "\\" : "", pattern);
        free(pattern);
    }
}

static bool is_ambiguous(const struct rd_test_list *all, const struct rd_test *t) {
    bool again = false;
    for (uint32_t i = 0; i < all->count; i++) {
        const struct rd_test *other = &all->at[i];
        again |= other != t && other->program == t->program && strcasecmp(other->name, t->name) == 0;
    }
    return again || !rd_frameworks_plain_name(t->name, "_./ :<>-");
}

const struct rd_framework rd_framework_catch2 = {
    .name = "Catch2",
    .word = "catch2",
    .marks = {"list-test-names-only"},
    .variables = {"XML_OUTPUT_FILE", "TESTBRIDGE_TEST_ONLY", "TEST_TOTAL_SHARDS", "TEST_SHARD_INDEX",
                  "TEST_SHARD_STATUS_FILE"},
    .list_args = {"--list-test-names-only"},
    .counts_in_status = true,
    .hidden_arg = "[.]",
    .lists_selected = true,
    .ran = {"test cases: # |", "All tests passed (# assertions in # test cases)"},
    .none_ran = {"No test cases matched", "No tests ran"},
    .failed = {": FAILED:"},
    .parse = parse,
    .is_ambiguous = is_ambiguous,
};

const struct rd_framework rd_framework_catch3 = {
    .name = "Catch2 (version 3)",
    .word = "catch3",
    .marks = {"A Catch2 test executable", "libCatch2.so"},
    .variables = {"XML_OUTPUT_FILE", "TESTBRIDGE_TEST_ONLY", "TEST_TOTAL_SHARDS", "TEST_SHARD_INDEX",
                  "TEST_SHARD_STATUS_FILE"},
    .list_args = {"--list-tests", "--verbosity", "quiet"},
    .hidden_arg = "[.]",
    .lists_selected = true,
    .ran = {"test cases: # |", "All tests passed (# assertions in # test cases)"},
    .none_ran = {"No test cases matched", "No tests ran"},
    .failed = {": FAILED:"},
    .skipped = "1 skipped",
    .parse = parse,
    .is_ambiguous = is_ambiguous,
};
