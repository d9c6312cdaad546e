/* test_list.c - see test_list.h. */
#include "cli/test/test_list.h"

#include "base/safe_text.h"

#include <fnmatch.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t rd_test_count_words(char *const *words) {
    size_t n = 0;
    while (words && words[n])
        n++;
    return n;
}

struct rd_test *rd_test_list_add(struct rd_test_list *l, const char *name, size_t length) {
    if (l->count == l->room) {
        l->room = l->room ? l->room * 2 : 64;
        l->at = realloc(l->at, l->room * sizeof *l->at);
        if (!l->at)
            abort();
    }
    struct rd_test *t = &l->at[l->count++];
    *t = (struct rd_test){.name = strndup(name, length)};
    if (!t->name)
        abort();
    return t;
}

void rd_test_add_arg(struct rd_test *t, const char *format, ...) {
    uint32_t i = 0;
    va_list values;
    while (t->args[i])
        i++;
    RD_CHECK(i + 1 < RD_TEST_ARGS);
    va_start(values, format);
    if (vasprintf(&t->args[i], format, values) < 0)
        abort();
    va_end(values);
}

static void free_test(struct rd_test *t) {
    for (uint32_t i = 0; t->args[i]; i++)
        free(t->args[i]);
    rd_test_result_free(&t->result);
    free(t->name);
    free(t->suite);
    free(t->unfit_text);
    free(t->folder);
    free(t->dir);
    free(t->pages);
    free(t->new_pages);
    free(t->own);
}

void rd_test_list_free(struct rd_test_list *l) {
    for (uint32_t i = 0; i < l->count; i++)
        free_test(&l->at[i]);
    free(l->at);
    *l = (struct rd_test_list){0};
}

const char *rd_test_full_name(const struct rd_test *t, bool several, char *to, size_t room) {
    if (several && t->program)
        snprintf(to, room, "%s: %s", t->program->label, t->name);
    else
        snprintf(to, room, "%s", t->name);
    return to;
}

const char *rd_test_make_safe(const char *text, char *to, size_t room) {
    size_t used = 0;
    for (size_t left = strlen(text); left > 0;) {
        char shown[RD_SAFE_CHAR];
        size_t n = rd_safe_char(text, left, RD_BAD_BYTE_SHOWN, shown), length = strlen(shown);
        if (used + length >= room)
            break;
        memcpy(to + used, shown, length);
        used += length;
        text += n;
        left -= n;
    }
    to[used] = 0;
    return to;
}

/* A pattern matches the name of the test, or "program: test". */
static bool matches(const char *pattern, const struct rd_test *t) {
    char *full = NULL;
    if (fnmatch(pattern, t->name, 0) == 0)
        return true;
    if (!t->program)
        return false;
    if (asprintf(&full, "%s: %s", t->program->label, t->name) < 0)
        abort();
    bool same = fnmatch(pattern, full, 0) == 0;
    free(full);
    return same;
}

/* Is the test chosen: by one of the patterns that choose, if there are any, and by none that excludes? */
static bool chosen(const struct rd_test_choice *c, const struct rd_test *t) {
    bool asked = false, in = false;
    for (uint32_t i = 0; i < c->pattern_count; i++) {
        const char *pattern = c->patterns[i];
        if (pattern[0] == '!' && matches(pattern + 1, t))
            return false;
        asked |= pattern[0] != '!';
        in |= pattern[0] != '!' && matches(pattern, t);
    }
    return in || !asked;
}

void rd_test_list_choose(struct rd_test_list *l, const struct rd_test_choice *c) {
    uint32_t kept = 0, turn[2] = {0, 0};
    for (uint32_t i = 0; i < l->count; i++) {
        struct rd_test *t = &l->at[i];
        bool in = chosen(c, t);
        if (in && c->shards)
            in = turn[t->disabled]++ % c->shards == c->shard - 1;
        if (in)
            l->at[kept++] = *t;
        else
            free_test(t);
    }
    l->count = kept;
}
