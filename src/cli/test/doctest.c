/*
 * doctest.c - doctest. Its list as XML says which tests are skipped, and has no line that a test could be taken
 * for. A filter has wildcards, and a comma between patterns: '?' stands for each such character. Test cases may
 * share a name in different suites or files, so these are part of the filter where a name is there twice; a
 * template's instantiations have names of their own. The name here is "SUITE/NAME", or "NAME" outside suites.
 * Subcases are not listed: a test case runs all of its own.
 */
#include "cli/test/framework.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *text;
    char c;
} entities[] = {{"&quot;", '"'}, {"&apos;", '\''}, {"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}};

enum { NAME, SUITE, FILE_NAME, SKIPPED, ATTRIBUTES };
static const char *const attribute_names[ATTRIBUTES] = {"name", "testsuite", "filename", "skipped"};

/* The text between the quotes. The caller frees it. */
static char *unescaped(const char *at, const char *end) {
    char *to = calloc(1, (size_t)(end - at) + 1), *p = to;
    if (!to)
        abort();
    while (at < end) {
        unsigned i = 0;
        while (i < RD_COUNT(entities) && strncmp(at, entities[i].text, strlen(entities[i].text)) != 0)
            i++;
        *p++ = i < RD_COUNT(entities) ? entities[i].c : *at;
        at += i < RD_COUNT(entities) ? strlen(entities[i].text) : 1;
    }
    return to;
}

/*
 * Reads the attributes of an element, from the first one on; those that are not there stay NULL. Values are skipped
 * from quote to quote: doctest leaves '>' and "/>" in them as they are. Returns what follows the element, or NULL
 * if that is not there.
 */
static const char *read_attributes(const char *at, char *values[ATTRIBUTES]) {
    static const char space[] = " \t\r\n";
    for (;;) {
        at += strspn(at, space);
        if (*at == '/' || *at == '>')
            return at + 1;
        size_t n = strcspn(at, "=/>\"");
        const char *value = at + n + 2, *end = at[n] == '=' && at[n + 1] == '"' ? strchr(value, '"') : NULL;
        if (!end)
            return NULL;
        for (unsigned i = 0; i < ATTRIBUTES; i++)
            if (strlen(attribute_names[i]) == n && memcmp(at, attribute_names[i], n) == 0 && !values[i])
                values[i] = unescaped(value, end);
        at = end + 1;
    }
}

/* The name as a pattern that matches it. */
static char *pattern_of(const char *name) {
    char *pattern = strdup(name);
    if (!pattern)
        abort();
    for (char *c = pattern; *c; c++)
        if (strchr("*?,\\\"", *c))
            *c = '?';
    return pattern;
}

static void add_filter(struct rd_test *t, const char *option, const char *value) {
    char *pattern = pattern_of(value);
    rd_test_add_arg(t, "--dt-%s=%s", option, pattern);
    free(pattern);
}

static void add(struct rd_test_list *to, char *const v[ATTRIBUTES]) {
    bool in_suite = v[SUITE] && v[SUITE][0];
    char *full = NULL;
    if (asprintf(&full, "%s%s%s", in_suite ? v[SUITE] : "", in_suite ? "/" : "", v[NAME]) < 0)
        abort();
    struct rd_test *t = rd_test_list_add(to, full, strlen(full));
    free(full);
    t->disabled = v[SKIPPED] && strcmp(v[SKIPPED], "true") == 0;
    add_filter(t, "test-case", v[NAME]);
    rd_test_add_arg(t, "--dt-case-sensitive=true");
    if (in_suite)
        add_filter(t, "test-suite", v[SUITE]);
    else
        rd_test_add_arg(t, "--dt-test-suite-exclude=?*"); /* tests of this name in suites are others */
    if (v[FILE_NAME] && v[FILE_NAME][0])
        add_filter(t, "source-file", v[FILE_NAME]);
}

static void parse(struct rd_test_list *to, const char *text) {
    static const char element[] = "<TestCase ";
    for (const char *at = text; at && (at = strstr(at, element));) {
        char *values[ATTRIBUTES] = {NULL};
        at = read_attributes(at + sizeof element - 1, values);
        if (at && values[NAME])
            add(to, values);
        else if (!at)
            to->unread = "its list has a <TestCase> that does not end";
        for (unsigned i = 0; i < ATTRIBUTES; i++)
            free(values[i]);
    }
}

static bool is_ambiguous(const struct rd_test_list *all, const struct rd_test *t) {
    bool again = false;
    for (uint32_t i = 0; i < all->count; i++) {
        const struct rd_test *other = &all->at[i];
        again |= other != t && other->program == t->program && strcmp(other->name, t->name) == 0;
    }
    return again || !rd_frameworks_plain_name(t->name, "_./ :<>-");
}

const struct rd_framework rd_framework_doctest = {
    .name = "doctest",
    .word = "doctest",
    .marks = {"[doctest] ", "libdoctest.so"},
    .list_args = {"--dt-list-test-cases", "--dt-reporters=xml", "--dt-no-skip=true"},
    .lists_selected = true,
    .ran = {"[doctest] test cases: # |"},
    .none_ran = {"[doctest] test cases: 0 |"},
    .failed = {": ERROR:", ": FATAL ERROR:"},
    .parse = parse,
    .is_ambiguous = is_ambiguous,
};
