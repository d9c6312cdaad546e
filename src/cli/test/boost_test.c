/*
 * boost_test.c - Boost.Test. Its list is a tree, four spaces for each level; a '*' follows the name of an enabled
 * suite or test, then perhaps ": " and a description. A test is selected by its path. Boost replaces characters in
 * the names of templates and data tests that mean something in a path, but programs can make test cases by hand.
 */
#include "cli/test/framework.h"

#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 32, INDENT = 4, ROOM = 4096 };

struct tree_line {
    const char *name;
    size_t length;
    unsigned depth;
    bool enabled;
};

/* Reads a line of the tree, and moves *text to the next one. False: it is none. */
static bool read_line(const char **text, struct tree_line *l) {
    const char *at = *text;
    size_t n = strcspn(at, "\n"), spaces = strspn(at, " ");
    *text += n + (at[n] == '\n');
    if (spaces >= n || spaces % INDENT != 0)
        return false;
    const char *on = memmem(at, n, "*: ", 3), *off = memmem(at + spaces, n - spaces, " : ", 3);
    const char *mark = on && (!off || on < off) ? on : off ? off : at + n - 1;
    if ((*mark != '*' && *mark != ' ') || mark == at + spaces)
        return false;
    *l = (struct tree_line){at + spaces, (size_t)(mark - at) - spaces, (unsigned)(spaces / INDENT), *mark == '*'};
    return true;
}

static void parse(struct rd_test_list *to, const char *text) {
    char path[ROOM];
    size_t used[DEPTH_MAX + 1] = {0}; /* of the path, before the name at each depth */
    bool enabled[DEPTH_MAX + 1] = {true};
    unsigned depth = 0;
    struct tree_line now, next;
    bool more = false;
    while (*text && !(more = read_line(&text, &now)))
        continue;
    while (more) {
        bool there = false;
        while (*text && !(there = read_line(&text, &next)))
            continue;
        if (now.depth > depth + 1 || now.depth >= DEPTH_MAX || used[now.depth] + now.length + 2 > ROOM) {
            to->unread =
                "a line of its list is no child of the lines before it, in more than 32 suites, or too long";
            return;
        }
        depth = now.depth;
        memcpy(path + used[depth], now.name, now.length);
        size_t end = used[depth] + now.length;
        enabled[depth + 1] = enabled[depth] && now.enabled;
        if (there && next.depth > depth) {
            path[end] = '/';
            used[depth + 1] = end + 1;
        } else {
            struct rd_test *t = rd_test_list_add(to, path, end);
            t->disabled = !enabled[depth + 1];
            rd_test_add_arg(t, "--run_test=%s", t->name);
            rd_test_add_arg(t, "--color_output=no");
            rd_test_add_arg(t, "--catch_system_errors=no"); /* a crash is Raddle's to report, with its place */
        }
        now = next;
        more = there;
    }
}

static bool is_ambiguous(const struct rd_test_list *all, const struct rd_test *t) {
    bool again = false;
    for (uint32_t i = 0; i < all->count; i++) {
        const struct rd_test *other = &all->at[i];
        again |= other != t && other->program == t->program && strcmp(other->name, t->name) == 0;
    }
    return again || strpbrk(t->name, ",:@!*");
}

const struct rd_framework rd_framework_boost = {
    .name = "Boost.Test",
    .word = "boost",
    .marks = {"BOOST_TEST_RUN_FILTERS", "libboost_unit_test_framework"},
    .variables = {"BOOST_TEST_*"},
    .list_args = {"--list_content"},
    .lists_on_stderr = true,
    .ran = {"Running # test cases"},
    .none_ran = {"Test setup error: no test cases matching filter"},
    .failed = {": error: in \"", ": fatal error: in \""},
    .parse = parse,
    .is_ambiguous = is_ambiguous,
};
