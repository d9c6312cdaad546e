/*
 * comparison.c - see comparison.h. Tests are matched by their names, findings of a run by their identities. Tests
 * with one name are told apart by the file name of their program where a document has several programs, and by
 * their order.
 */
#include "cli/compare/comparison.h"

#include "base/safe_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FORMAT = 1 };

struct comparison {
    const struct rd_result_document *a, *b;
    json_t *fresh, *gone, *still, *coverage, *differences, *trouble; /* lists */
    bool bug, failed; /* B has a bug that A has not; B has trouble that A has not */
};

/* ---- values of the documents ---- */

static json_int_t number(const json_t *object, const char *key) {
    return json_integer_value(json_object_get(object, key));
}

static bool is(const json_t *object, const char *key) { return json_is_true(json_object_get(object, key)); }

static const char *text(const json_t *object, const char *key) {
    const char *t = json_string_value(json_object_get(object, key));
    return t ? t : "";
}

static json_t *name_of(const struct rd_result_run *r) {
    return rd_json_shared(r ? json_object_get(r->test, "name") : NULL);
}

/* Was every schedule of the whole program covered? */
static bool is_complete(const json_t *run) {
    return is(run, "complete") && is(json_object_get(run, "bounds"), "complete");
}

/* The result of a test, or that of a run, is no result: it says nothing about the program. */
static bool is_trouble(const struct rd_result_run *r) {
    if (!r->test)
        return number(r->run, "exit_status") == 2;
    return strcmp(text(r->test, "result"), "trouble") == 0 || strcmp(text(r->test, "result"), "not_run") == 0;
}

/* A text for JSON with what is UTF-8 in some bytes. */
static json_t *valid_text(const char *bytes) {
    json_t *value;
    size_t left = strlen(bytes), used = 0;
    char *to = malloc(3 * left + 1);
    if (!to)
        abort();
    while (left > 0) {
        unsigned n = rd_utf8_length(bytes, left);
        memcpy(to + used, n ? bytes : "\xef\xbf\xbd", n ? n : 3);
        used += n ? n : 3;
        bytes += RD_MAX(n, 1u);
        left -= RD_MAX(n, 1u);
    }
    value = rd_json_made(json_stringn(to, used));
    free(to);
    return value;
}

/* ---- findings ---- */

/* The findings of a run by their identities, bugs before warnings; of equal ones the first. */
static json_t *by_identity(const json_t *run) {
    static const char *const lists[] = {"findings", "warnings"};
    json_t *map = rd_json_made(json_object()), *f;
    size_t i;
    for (unsigned k = 0; k < RD_COUNT(lists); k++)
        json_array_foreach(json_object_get(run, lists[k]), i, f) if (!json_object_get(map, text(f, "id")))
            rd_json_put(map, text(f, "id"), json_incref(f));
    return map;
}

static json_t *entry_of(const struct rd_result_run *r, const json_t *a, const json_t *b) {
    json_t *entry = rd_json_made(json_object());
    rd_json_put(entry, "test", name_of(r));
    rd_json_put(entry, "a", rd_json_shared(a));
    rd_json_put(entry, "b", rd_json_shared(b));
    return entry;
}

/* Were the two runs asked to look for the same in the same program? Its build may differ. */
static bool same_question(const struct rd_result_run *a, const struct rd_result_run *b) {
    json_t *differences = rd_json_made(json_array()), *test = name_of(b), *d;
    bool same = true;
    size_t i;
    rd_settings_compare(differences, test, a->run, b->run);
    json_array_foreach(differences, i, d) same &= strcmp(text(d, "what"), "options") != 0 &&
                                                  strcmp(text(d, "what"), "arguments") != 0 &&
                                                  strcmp(text(d, "what"), "environment") != 0;
    json_decref(test);
    json_decref(differences);
    return same;
}

/* Why B has not what A has found, and whether that says that it is gone. `b` NULL: B has no such test. */
static json_t *why_gone(const struct rd_result_run *a, const struct rd_result_run *b, bool *certain) {
    *certain = false;
    if (!b)
        return json_string("B has no such test");
    if (!b->run)
        return json_sprintf("B did not run the test (result: %s)", text(b->test, "result"));
    RD_CHECK(a); /* a finding of its is gone */
    bool complete = is_complete(b->run) && !is_trouble(b), same = same_question(a, b);
    long long suppressed = number(b->run, "suppressed"), executions = number(b->run, "executions");
    char ran[96], left[96] = "";
    snprintf(ran, sizeof ran, "B ran %lld execution%s and is not complete", executions, executions == 1 ? "" : "s");
    if (suppressed)
        snprintf(left, sizeof left, "; it suppressed %lld finding%s", suppressed, suppressed == 1 ? "" : "s");
    *certain = complete && same && !suppressed;
    return json_sprintf("%s%s%s", complete ? "B is complete" : ran,
                        same ? "" : "; it was run with other options or arguments", left);
}

/* One of the runs may be missing (NULL, or a test that was not run). */
static void compare_findings(struct comparison *c, const struct rd_result_run *a, const struct rd_result_run *b) {
    json_t *in_a = by_identity(a ? a->run : NULL), *in_b = by_identity(b ? b->run : NULL), *f, *why = NULL;
    const char *id;
    bool certain = false;
    json_object_foreach(in_b, id, f) {
        const json_t *before = json_object_get(in_a, id);
        bool became_bug = before && is(before, "warning") && !is(f, "warning");
        c->bug |= !is(f, "warning") && (!before || became_bug);
        rd_json_add(before && !became_bug ? c->still : c->fresh, entry_of(b, before, f));
    }
    json_object_foreach(in_a, id, f) {
        if (json_object_get(in_b, id))
            continue;
        json_t *entry = entry_of(a, f, NULL);
        if (!why)
            why = why_gone(a, b, &certain);
        rd_json_put(entry, "certain", json_boolean(certain));
        rd_json_put(entry, "why", rd_json_shared(why));
        rd_json_add(c->gone, entry);
    }
    json_decref(why);
    json_decref(in_a);
    json_decref(in_b);
}

/* ---- coverage ---- */

/* How much was run and what is proved; null: there is no such run. */
static json_t *coverage_of(const struct rd_result_run *r) {
    static const char *const keys[] = {"executions", "distinct_orders", "finished", "guarantee", "bounds", "error"};
    if (!r)
        return json_null();
    json_t *side = rd_json_made(json_object());
    if (r->test) {
        rd_json_put(side, "result", rd_json_shared(json_object_get(r->test, "result")));
        rd_json_put(side, "text", rd_json_shared(json_object_get(r->test, "text")));
        rd_json_put(side, "executions", rd_json_shared(json_object_get(r->test, "executions")));
    }
    if (!r->run)
        return side;
    rd_json_put(side, "complete", json_boolean(is_complete(r->run)));
    for (unsigned i = 0; i < RD_COUNT(keys); i++)
        if (json_object_get(r->run, keys[i]))
            rd_json_put(side, keys[i], rd_json_shared(json_object_get(r->run, keys[i])));
    return side;
}

static void note_trouble(struct comparison *c, const struct rd_result_run *a, const struct rd_result_run *b) {
    if (!is_trouble(b) || (b->test && a && is_trouble(a)))
        return;
    const char *error = text(b->run, "error");
    json_t *entry = rd_json_made(json_object());
    c->failed = true;
    rd_json_put(entry, "test", name_of(b));
    rd_json_put(entry, "result", rd_json_shared(json_object_get(b->test, "result")));
    rd_json_put(entry, "text",
                b->test ? rd_json_shared(json_object_get(b->test, "text"))
                        : json_string(*error ? error : text(b->run, "guarantee")));
    rd_json_add(c->trouble, entry);
}

/* Compares two runs, one of which may be missing. */
static void compare_runs(struct comparison *c, const struct rd_result_run *a, const struct rd_result_run *b) {
    json_t *entry = rd_json_made(json_object()), *test = name_of(b ? b : a);
    compare_findings(c, a, b);
    if (b)
        note_trouble(c, a, b);
    if (a && b && a->run && b->run)
        rd_settings_compare(c->differences, test, a->run, b->run);
    rd_json_put(entry, "test", test);
    rd_json_put(entry, "a", coverage_of(a));
    rd_json_put(entry, "b", coverage_of(b));
    rd_json_add(c->coverage, entry);
}

/* ---- tests ---- */

/* Has the document tests of several programs? */
static bool has_programs(const struct rd_result_document *d) {
    for (size_t i = 1; i < d->count; i++)
        if (strcmp(text(d->at[i].test, "program"), text(d->at[0].test, "program")) != 0)
            return true;
    return false;
}

/* Numbers that tell which test of the document it is, as a text; of equal ones also which of them. Freed by caller.
 */
static char *key_of(const struct rd_result_run *r, bool programs, json_t *seen) {
    const char *name = text(r->test, "name"), *program = programs ? text(r->test, "program") : "";
    const char *slash = strrchr(program, '/');
    char *same, *key;
    if (asprintf(&same, "%zu %s %s", strlen(name), name, slash ? slash + 1 : program) < 0)
        abort();
    long long before = number(seen, same);
    if (asprintf(&key, "%lld %s", before, same) < 0)
        abort();
    rd_json_put(seen, same, json_integer(before + 1));
    free(same);
    return key;
}

static void compare_tests(struct comparison *c) {
    bool programs = has_programs(c->a) || has_programs(c->b);
    bool *matched = calloc(c->a->count + 1, sizeof *matched);
    json_t *seen = rd_json_made(json_object()), *index = rd_json_made(json_object());
    if (!matched)
        abort();
    for (size_t i = 0; i < c->a->count; i++) {
        char *key = key_of(&c->a->at[i], programs, seen);
        rd_json_put(index, key, json_integer((json_int_t)i));
        free(key);
    }
    json_object_clear(seen);
    for (size_t i = 0; i < c->b->count; i++) {
        char *key = key_of(&c->b->at[i], programs, seen);
        const json_t *at = json_object_get(index, key);
        size_t k = at ? (size_t)json_integer_value(at) : 0;
        free(key);
        if (at)
            matched[k] = true;
        compare_runs(c, at ? &c->a->at[k] : NULL, &c->b->at[i]);
    }
    for (size_t i = 0; i < c->a->count; i++)
        if (!matched[i])
            compare_runs(c, &c->a->at[i], NULL);
    free(matched);
    json_decref(seen);
    json_decref(index);
}

/* ---- the document ---- */

static json_t *document_of(const struct rd_result_document *d) {
    json_t *to = rd_json_made(json_object());
    json_int_t executions = 0, findings = 0, warnings = 0;
    for (size_t i = 0; i < d->count; i++) {
        json_int_t more = number(d->tests ? d->at[i].test : d->at[i].run, "executions");
        executions = more > INT64_MAX - executions ? INT64_MAX : executions + more;
        findings += (json_int_t)json_array_size(json_object_get(d->at[i].run, "findings"));
        warnings += (json_int_t)json_array_size(json_object_get(d->at[i].run, "warnings"));
    }
    rd_json_put(to, "path", valid_text(d->path));
    rd_json_put(to, "program", rd_json_shared(json_object_get(d->root, "program")));
    rd_json_put(to, "tests", d->tests ? json_integer((json_int_t)d->count) : json_null());
    rd_json_put(to, "executions", json_integer(executions));
    rd_json_put(to, "findings", json_integer(findings));
    rd_json_put(to, "warnings", json_integer(warnings));
    return to;
}

json_t *rd_comparison(const struct rd_result_document *a, const struct rd_result_document *b) {
    struct comparison c = {.a = a, .b = b};
    json_t *to = rd_json_made(json_object());
    json_t **const lists[] = {&c.fresh, &c.gone, &c.still, &c.coverage, &c.differences, &c.trouble};
    for (unsigned i = 0; i < RD_COUNT(lists); i++)
        *lists[i] = rd_json_made(json_array());
    if (b->tests)
        compare_tests(&c);
    else
        compare_runs(&c, &a->at[0], &b->at[0]);
    rd_json_put(to, "format", json_integer(FORMAT));
    rd_json_put(to, "raddle", json_string(RADDLE_VERSION));
    rd_json_put(to, "command", json_string("compare"));
    rd_json_put(to, "of", json_string(b->tests ? "test" : "run"));
    rd_json_put(to, "exit_status", json_integer(c.bug ? 1 : c.failed ? 2 : 0));
    rd_json_put(to, "a", document_of(a));
    rd_json_put(to, "b", document_of(b));
    rd_json_put(to, "new", c.fresh);
    rd_json_put(to, "still", c.still);
    rd_json_put(to, "gone", c.gone);
    rd_json_put(to, "trouble", c.trouble);
    rd_json_put(to, "coverage", c.coverage);
    rd_json_put(to, "differences", c.differences);
    return to;
}
