/*
 * criterion.c - Criterion. Its list has a line "suite: 2 tests" for each suite, and below it a branch of a tree for
 * each test. Criterion runs each test in a new process, which it starts from its own file, and has no option
 * against that: the threads of a test are in a process that Raddle does not control. So the tests are listed only
 * to say so.
 */
#include "cli/test/framework.h"

#include <stdlib.h>
#include <string.h>

static void parse(struct rd_test_list *to, const char *text) {
    static const char off[] = " (skipped)";
    char suite[512] = "", full[1024];
    for (const char *line = text; *line;) {
        size_t n = strcspn(line, "\n");
        const char *colon = memmem(line, n, ": ", 2), *dashes;
        bool branch = strncmp(line, "├── ", 10) == 0 || strncmp(line, "└── ", 10) == 0 ||
                      strncmp(line, "|-- ", 4) == 0 || strncmp(line, "`-- ", 4) == 0;
        if (branch && suite[0]) {
            dashes = memchr(line, ' ', n) + 1;
            size_t length = n - (size_t)(dashes - line);
            bool skipped =
                length > sizeof off - 1 && memcmp(dashes + length - (sizeof off - 1), off, sizeof off - 1) == 0;
            length -= skipped ? sizeof off - 1 : 0;
            snprintf(full, sizeof full, "%s/%.*s", suite, (int)length, dashes);
            struct rd_test *t = rd_test_list_add(to, full, strlen(full));
            t->disabled = skipped;
            rd_test_add_arg(t, "--filter=%s", full);
        } else if (!branch && colon) {
            snprintf(suite, sizeof suite, "%.*s", (int)(colon - line), line);
        }
        line += n + (line[n] == '\n');
    }
}

const struct rd_framework rd_framework_criterion = {
    .name = "Criterion",
    .word = "criterion",
    .marks = {"libcriterion.so", "criterion_run_all_tests", "CRITERION_TEST_PATTERN"},
    .list_args = {"--list", "--encoding=C"},
    .cannot = "Criterion runs it in another process, which raddle does not control",
    .parse = parse,
};
