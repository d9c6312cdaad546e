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

/* The value of an attribute of the element `tag`, which ends at `end`. The caller frees it. NULL: it has none. */
static char *attribute(const char *tag, const char *end, const char *name) {
    char wanted[32];
    int n = snprintf(wanted, sizeof wanted, " %s=\"", name);
    const char *at = memmem(tag, (size_t)(end - tag), wanted, (size_t)n);
    char *to = at ? calloc(1, (size_t)(end - at)) : NULL, *p = to;
    for (at += n; to && at < end && *at != '"';) {
        unsigned i = 0;
        while (i < RD_COUNT(entities) && strncmp(at, entities[i].text, strlen(entities[i].text)) != 0)
            i++;
        *p++ = i < RD_COUNT(entities) ? entities[i].c : *at;
        at += i < RD_COUNT(entities) ? strlen(entities[i].text) : 1;
    }
    return to;
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

static void parse(struct rd_test_list *to, const char *text) {
    for (const char *tag = text; (tag = strstr(tag, "<TestCase ")); tag++) {
        const char *end = strstr(tag, "/>");
        if (!end)
            return;
        char *name = attribute(tag, end, "name"), *skipped = attribute(tag, end, "skipped"),
             *suite = attribute(tag, end, "testsuite"), *file = attribute(tag, end, "filename");
        if (name) {
            char *full = NULL;
            if (asprintf(&full, "%s%s%s", suite ? suite : "", suite && *suite ? "/" : "", name) < 0)
                abort();
            struct rd_test *t = rd_test_list_add(to, full, strlen(full));
            free(full);
            t->disabled = skipped && strcmp(skipped, "true") == 0;
            add_filter(t, "test-case", name);
            rd_test_add_arg(t, "--dt-case-sensitive=true");
            if (suite && *suite)
                add_filter(t, "test-suite", suite);
            if (file && *file)
                add_filter(t, "source-file", file);
        }
        free(name);
        free(skipped);
        free(suite);
        free(file);
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
    .failed = {": ERROR:", ": FATAL ERROR:"},
    .parse = parse,
    .is_ambiguous = is_ambiguous,
};
