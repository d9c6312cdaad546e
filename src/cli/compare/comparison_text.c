/*
 * comparison_text.c - a comparison for people: new findings first, then those that are still there and gone, the
 * coverage, the settings that differ, and the numbers of findings.
 *
 * All texts come from files. Newlines in them are escaped here, so that no text can look like a line of the
 * comparison; the rest of what a terminal may not get is escaped by the stream (rd_wrap_open).
 */
#include "base/safe_text.h"
#include "cli/compare/comparison.h"
#include "report/text/report_text.h"

#include <string.h>

enum { TEXT_MOST = 2000, BUILD_DIGITS = 12, ARGUMENTS_MOST = 40, ROWS_MOST = 50 };

struct printer {
    FILE *out;
    const struct rd_look *look;
};

static const json_t *get(const json_t *object, const char *key) { return json_object_get(object, key); }

/* Writes at most `most` bytes of a text, on one line. */
static void put_most(FILE *out, const json_t *value, size_t most) {
    const char *s = json_string_value(value);
    size_t left = json_string_length(value), written = 0;
    while (left > 0 && written < most) {
        char shown[RD_SAFE_CHAR];
        size_t n = rd_safe_char(s, left, RD_BAD_BYTE_SHOWN, shown);
        fputs(shown, out);
        written += strlen(shown);
        s += n;
        left -= n;
    }
    if (left > 0 && most == TEXT_MOST)
        fputs(" ...", out);
}

static void put(FILE *out, const json_t *value) { put_most(out, value, TEXT_MOST); }

static void put_number(FILE *out, const json_t *value, const char *noun) {
    char number[32];
    uint64_t n = (uint64_t)json_integer_value(value);
    fprintf(out, "%s %s%s", rd_words_number(n, number), noun, n == 1 ? "" : "s");
}

static void put_document(FILE *out, const char *name, const json_t *d) {
    fprintf(out, "%s: ", name);
    put(out, get(d, "path"));
    fputs(": ", out);
    if (json_is_string(get(d, "program"))) {
        put(out, get(d, "program"));
        fputs(", ", out);
    } else {
        put_number(out, get(d, "tests"), "test");
        fputs(", ", out);
    }
    put_number(out, get(d, "executions"), "execution");
    fputs(", ", out);
    put_number(out, get(d, "findings"), "bug");
    fputs(", ", out);
    put_number(out, get(d, "warnings"), "warning");
    fputc('\n', out);
}

/* ---- findings ---- */

static void put_finding(FILE *out, const json_t *f, const json_t *before) {
    const char *kind = json_string_value(get(f, "kind"));
    bool warning = json_is_true(get(f, "warning"));
    fputs(warning ? "  warning, " : "  ", out);
    for (const char *c = kind; *c; c++) {
        char shown[RD_SAFE_CHAR];
        if (*c == '-')
            fputc(' ', out);
        else if ((unsigned char)*c < 0x80 && rd_safe_char(c, 1, RD_BAD_BYTE_SHOWN, shown))
            fputs(shown, out);
    }
    fputs(": ", out);
    put(out, get(f, "message"));
    if (before && json_is_true(get(before, "warning")) != warning)
        fputs(warning ? " (a bug in A)" : " (a warning in A)", out);
    fputc('\n', out);
    if (json_is_string(get(f, "file"))) {
        fputs("    at:       ", out);
        put(out, get(f, "file"));
        fprintf(out, ":%lld", (long long)json_integer_value(get(f, "line")));
        if (json_is_string(get(f, "function"))) {
            fputs(" in ", out);
            put(out, get(f, "function"));
            fputs("()", out);
        }
        fputc('\n', out);
    }
    if (json_string_length(get(f, "schedule"))) {
        fputs("    schedule: ", out);
        put(out, get(f, "schedule"));
        fputc('\n', out);
    }
}

/* The line before the findings of a test, or of the run, with a text after the colon if there is one. */
static void put_heading(const struct printer *p, const char *words, enum rd_paint paint, const json_t *entry,
                        const json_t *text) {
    fprintf(p->out, "\n%s%s%s", rd_paint(p->look, paint), words, rd_paint(p->look, RD_UNPAINTED));
    if (json_is_string(get(entry, "test"))) {
        fputs(", in ", p->out);
        put(p->out, get(entry, "test"));
    }
    fputc(':', p->out);
    if (json_string_length(text)) {
        fputc(' ', p->out);
        put(p->out, text);
    }
    fputc('\n', p->out);
}

/* Has the entry another heading than the one before it? */
static bool begins_group(const json_t *list, size_t i) {
    const json_t *entry = json_array_get(list, i), *before = json_array_get(list, i - 1);
    return i == 0 || (!json_is_null(get(entry, "test")) && !json_equal(get(entry, "test"), get(before, "test"))) ||
           (get(entry, "why") && !json_equal(get(entry, "why"), get(before, "why")));
}

static void print_findings(const struct printer *p, const json_t *list, const char *words, enum rd_paint paint) {
    const json_t *entry;
    size_t i;
    json_array_foreach(list, i, entry) {
        const json_t *why = get(entry, "why");
        if (begins_group(list, i))
            put_heading(p, !why || json_is_true(get(entry, "certain")) ? words : "gone, or not found this time",
                        paint, entry, why);
        if (why)
            put_finding(p->out, get(entry, "a"), NULL);
        else
            put_finding(p->out, get(entry, "b"), get(entry, "a"));
    }
}

/* ---- coverage ---- */

/* A number of each run side by side; null: there is none. */
static void put_row(FILE *out, const char *words, const json_t *a, const json_t *b) {
    char number[32];
    fprintf(out, "  %-34s", words);
    for (unsigned i = 0; i < 2; i++) {
        const json_t *v = i ? b : a;
        if (json_is_boolean(v))
            fprintf(out, "  %14s", json_is_true(v) ? "yes" : "no");
        else
            fprintf(out, "  %14s",
                    json_is_integer(v) ? rd_words_number((uint64_t)json_integer_value(v), number) : "-");
    }
    fputc('\n', out);
}

static void print_claim(FILE *out, const char *name, const json_t *side) {
    fprintf(out, "  %s: ", name);
    put(out, get(side, "guarantee"));
    fputc('\n', out);
    if (json_string_length(get(side, "error"))) {
        fprintf(out, "  %s ended in trouble: ", name);
        put(out, get(side, "error"));
        fputc('\n', out);
    }
}

static void print_run_coverage(const struct printer *p, const json_t *coverage) {
    static const struct {
        const char *key, *words;
    } bounds[] = {{"preemptions", "all schedules up to preemptions"},
                  {"delays", "all schedules up to delays"},
                  {"depth", "all schedules up to depth"}};
    const json_t *a = get(coverage, "a"), *b = get(coverage, "b");
    fprintf(p->out, "\n%-36s  %14s  %14s\n", "coverage", "A", "B");
    put_row(p->out, "executions", get(a, "executions"), get(b, "executions"));
    put_row(p->out, "different orders of events", get(a, "distinct_orders"), get(b, "distinct_orders"));
    put_row(p->out, "complete: every schedule", get(a, "complete"), get(b, "complete"));
    for (unsigned i = 0; i < RD_COUNT(bounds); i++) {
        const json_t *in_a = get(get(a, "bounds"), bounds[i].key), *in_b = get(get(b, "bounds"), bounds[i].key);
        if (json_is_integer(in_a) || json_is_integer(in_b))
            put_row(p->out, bounds[i].words, in_a, in_b);
    }
    bool same = json_equal(get(a, "guarantee"), get(b, "guarantee")) && !get(a, "error") && !get(b, "error");
    print_claim(p->out, same ? "both" : "A", a);
    if (!same)
        print_claim(p->out, "B", b);
}

static void print_test_side(FILE *out, const char *name, const json_t *side) {
    fprintf(out, "    %s: ", name);
    if (!json_is_object(side)) {
        fputs("no such test\n", out);
        return;
    }
    put(out, get(side, "result"));
    if (json_string_length(get(side, "text"))) {
        fputs(": ", out);
        put(out, get(side, "text"));
    }
    fputs("; ", out);
    put_number(out, get(side, "executions"), "execution");
    if (get(side, "distinct_orders")) {
        fputs(", ", out);
        put_number(out, get(side, "distinct_orders"), "different order");
    }
    fputc('\n', out);
}

/* The tests whose results differ, and how many have the same result. */
static void print_test_coverage(const struct printer *p, const json_t *list) {
    const json_t *entry;
    size_t i, rows = 0, same = 0;
    fputs("\ncoverage\n", p->out);
    json_array_foreach(list, i, entry) {
        const json_t *a = get(entry, "a"), *b = get(entry, "b");
        if (json_is_object(a) && json_is_object(b) && json_equal(get(a, "result"), get(b, "result")) &&
            json_equal(get(a, "text"), get(b, "text"))) {
            same++;
            continue;
        }
        if (rows++ >= ROWS_MOST)
            continue;
        fputs("  ", p->out);
        put(p->out, get(entry, "test"));
        fputc('\n', p->out);
        print_test_side(p->out, "A", a);
        print_test_side(p->out, "B", b);
    }
    if (rows > ROWS_MOST)
        fprintf(p->out, "  ... and %zu more tests with other results\n", rows - ROWS_MOST);
    fprintf(p->out, "  %zu test%s with the same result\n", same, same == 1 ? "" : "s");
}

/* ---- settings ---- */

static void put_words(FILE *out, const json_t *list) {
    const json_t *word;
    size_t i;
    json_array_foreach(list, i, word) {
        if (i == ARGUMENTS_MOST) {
            fputs(" ...", out);
            break;
        }
        fputs(i ? " '" : "'", out);
        put(out, word);
        fputc('\'', out);
    }
    if (json_array_size(list) == 0)
        fputs("none", out);
}

static void put_setting(FILE *out, const json_t *value, bool build) {
    if (json_is_array(value))
        put_words(out, value);
    else if (json_is_string(value))
        put_most(out, value, build ? BUILD_DIGITS : TEXT_MOST);
    else if (json_is_integer(value))
        fprintf(out, "%lld", (long long)json_integer_value(value));
    else
        fputs("none", out);
}

static void print_difference(const struct printer *p, const json_t *d) {
    const char *what = json_string_value(get(d, "what"));
    bool only = strcmp(what, "options") == 0 || strcmp(what, "environment") == 0;
    const char *id_a = json_string_value(get(d, "a")), *id_b = json_string_value(get(d, "b"));
    bool build = strcmp(what, "build") == 0 && !(id_a && id_b && strncmp(id_a, id_b, BUILD_DIGITS) == 0);
    fprintf(p->out, "  %s", what);
    if (json_is_string(get(d, "test"))) {
        json_int_t more = json_integer_value(get(d, "runs")) - 1;
        fputs(" of ", p->out);
        put(p->out, get(d, "test"));
        if (more > 0)
            fprintf(p->out, " and %lld more", (long long)more);
    }
    fputs(only ? ": only A " : ": A ", p->out);
    put_setting(p->out, get(d, "a"), build);
    fputs(only ? ", only B " : ", B ", p->out);
    put_setting(p->out, get(d, "b"), build);
    fputc('\n', p->out);
}

/* ---- everything ---- */

static void print_trouble(const struct printer *p, const json_t *list) {
    const json_t *entry;
    size_t i;
    json_array_foreach(list, i, entry) {
        bool left_out =
            json_is_string(get(entry, "result")) && strcmp(json_string_value(get(entry, "result")), "not_run") == 0;
        put_heading(p, left_out ? "not run in B" : "trouble in B", RD_YELLOW, entry, get(entry, "text"));
    }
}

static size_t count_warnings(const json_t *list) {
    const json_t *entry;
    size_t i, n = 0;
    json_array_foreach(list, i, entry) n += json_is_true(get(get(entry, "b"), "warning"));
    return n;
}

static void print_numbers(const struct printer *p, const json_t *c) {
    size_t warnings = count_warnings(get(c, "new")), bugs = json_array_size(get(c, "new")) - warnings;
    fprintf(p->out, "\n%s%zu new bug%s%s, %zu new warning%s, %zu still there, %zu gone\n",
            rd_paint(p->look, bugs ? RD_RED : RD_GREEN), bugs, bugs == 1 ? "" : "s",
            rd_paint(p->look, RD_UNPAINTED), warnings, warnings == 1 ? "" : "s", json_array_size(get(c, "still")),
            json_array_size(get(c, "gone")));
}

void rd_comparison_print(FILE *to, const json_t *c, const struct rd_look *look) {
    const json_t *differences = get(c, "differences"), *d;
    struct printer p = {.out = rd_wrap_open(to, NULL), .look = look}; /* paths to copy are not wrapped */
    size_t i;
    put_document(p.out, "A", get(c, "a"));
    put_document(p.out, "B", get(c, "b"));
    print_findings(&p, get(c, "new"), "new", RD_RED);
    print_findings(&p, get(c, "still"), "still there", RD_YELLOW);
    print_findings(&p, get(c, "gone"), "gone", RD_GREEN);
    rd_wrap_close(p.out);
    p.out = rd_wrap_open(to, look);
    print_trouble(&p, get(c, "trouble"));
    if (strcmp(json_string_value(get(c, "of")), "run") == 0)
        print_run_coverage(&p, json_array_get(get(c, "coverage"), 0));
    else
        print_test_coverage(&p, get(c, "coverage"));
    if (json_array_size(differences))
        fputs("\nwhat differs between A and B\n", p.out);
    json_array_foreach(differences, i, d) print_difference(&p, d);
    print_numbers(&p, c);
    rd_wrap_close(p.out);
}
