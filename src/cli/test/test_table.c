/* test_table.c - see test_table.h. Names and messages come from the program: they are made safe for a terminal. */
#include "cli/test/test_table.h"

#include "report/text/report_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* NUMBERS: columns of the numbers of a row, with the spaces between columns. */
enum { NAME_LEAST = 12, NUMBERS = 25, CELL = 1024 };

void rd_test_totals(const struct rd_test_list *l, uint32_t totals[RD_TEST_OUTCOMES]) {
    memset(totals, 0, RD_TEST_OUTCOMES * sizeof *totals);
    for (uint32_t i = 0; i < l->count; i++)
        totals[l->at[i].result.outcome]++;
}

int rd_tests_exit_status(const struct rd_test_runs *r) {
    uint32_t totals[RD_TEST_OUTCOMES];
    rd_test_totals(r->list, totals);
    if (totals[RD_TEST_BUG])
        return RD_EXIT_BUG;
    return totals[RD_TEST_TROUBLE] || totals[RD_TEST_NOT_RUN] ? RD_EXIT_TROUBLE : RD_EXIT_CLEAN;
}

static const char *name_of(const struct rd_test_runs *r, const struct rd_test *t, char to[CELL]) {
    char name[CELL];
    return rd_test_make_safe(rd_test_full_name(t, r->several, name, sizeof name), to, CELL);
}

/* The cell about the result: the outcome, and what it means. */
static const char *result_of(const struct rd_test *t, char to[CELL]) {
    const struct rd_test_result *x = &t->result;
    char text[CELL];
    snprintf(text, sizeof text, "%s%s%s", rd_test_outcome_word(x->outcome), *x->words ? ": " : "", x->words);
    return rd_test_make_safe(text, to, CELL);
}

static enum rd_paint paint_of(enum rd_test_outcome o) {
    return o == RD_TEST_BUG ? RD_RED : o == RD_TEST_PASSED || o == RD_TEST_ALONE ? RD_GREEN : RD_YELLOW;
}

/* Prints a text, cut to the columns and filled up with spaces. */
static void cell(FILE *out, const char *text, unsigned columns, const struct rd_look *look) {
    unsigned used = rd_paint_cut(out, text, columns, look);
    fprintf(out, "%*s", (int)(columns - used), "");
}

/* Does the row end with numbers? Otherwise the result may take their columns. */
static bool has_numbers(const struct rd_test *t) { return t->result.executions > 0; }

static void row(FILE *out, const struct rd_test_runs *r, const struct rd_test *t, const unsigned width[2],
                const struct rd_look *look) {
    char text[CELL], executions[32];
    const struct rd_test_result *x = &t->result;
    cell(out, name_of(r, t, text), width[0], look);
    fprintf(out, "  %s", rd_paint(look, paint_of(x->outcome)));
    if (has_numbers(t))
        cell(out, result_of(t, text), width[1], look);
    else
        rd_paint_cut(out, result_of(t, text), look->width ? width[1] + NUMBERS - 2 : CELL, look);
    fputs(rd_paint(look, RD_UNPAINTED), out);
    if (has_numbers(t))
        fprintf(out, "  %10s  %7.2f s", rd_words_number(x->executions, executions), x->seconds);
    fputc('\n', out);
}

/* The widths of the columns for names and results: as wide as needed, and together as the terminal lets them. */
static void find_widths(const struct rd_test_runs *r, const struct rd_look *look, unsigned width[2]) {
    char text[CELL];
    unsigned name = NAME_LEAST, words = 6;
    for (uint32_t i = 0; i < r->list->count; i++) {
        name = RD_MAX(name, rd_paint_width(name_of(r, &r->list->at[i], text)));
        if (has_numbers(&r->list->at[i]))
            words = RD_MAX(words, rd_paint_width(result_of(&r->list->at[i], text)));
    }
    if (look->width) {
        unsigned room = look->width > NUMBERS + 2 * NAME_LEAST ? look->width - NUMBERS : 2 * NAME_LEAST;
        if (name + words > room) {
            unsigned half = room / 2;
            name = words < half ? room - words : RD_MIN(name, RD_MAX(half, room - RD_MIN(words, room)));
            words = RD_MIN(words, room - name);
        }
    }
    width[0] = name;
    width[1] = words;
}

static void print_check(FILE *out, const char *check) {
    char line[CELL], shown[CELL];
    while (*check) {
        size_t n = strcspn(check, "\n");
        snprintf(line, sizeof line, "%.*s", (int)n, check);
        fprintf(out, "  | %s\n", rd_test_make_safe(line, shown, CELL));
        check += n + (check[n] == '\n');
    }
}

/* One finding of a test: what, where, and what to type. */
static void print_finding(FILE *out, const struct rd_test_runs *r, const struct rd_test *t, const json_t *f,
                          const struct rd_look *look) {
    char name[CELL], message[CELL], command[RD_COMMAND];
    const char *schedule = rd_test_json_text(f, "schedule"), *file = rd_test_json_text(f, "file");
    rd_test_make_safe(rd_test_json_text(f, "message"), message, CELL);
    const char *check = strcmp(rd_test_json_text(f, "kind"), "exit-status") == 0 ? t->result.check : NULL;
    fprintf(out, "\n%s%s%s: %s\n", rd_paint(look, RD_RED), name_of(r, t, name), rd_paint(look, RD_UNPAINTED),
            check ? "a check of the test failed" : message);
    if (check)
        print_check(out, check);
    else if (*file)
        fprintf(out, "  at       %s:%lld\n", file, (long long)json_integer_value(json_object_get(f, "line")));
    if (!*schedule)
        return;
    const struct rd_report report = {.schedule_path = schedule};
    fprintf(out, "  report:  %s\n", rd_words_command(&report, "show", command));
    fprintf(out, "  replay:  %s\n", rd_words_command(&report, "replay", command));
}

static void print_findings(FILE *out, const struct rd_test_runs *r, const struct rd_look *look) {
    static const char *const lists[] = {"findings", "warnings"};
    for (uint32_t i = 0; i < r->list->count; i++) {
        const struct rd_test *t = &r->list->at[i];
        const json_t *f;
        size_t k;
        for (unsigned list = 0; list < RD_COUNT(lists); list++)
            json_array_foreach(json_object_get(t->result.run, lists[list]), k, f) print_finding(out, r, t, f, look);
    }
}

/* Messages that the table had to cut are printed in full below it. */
static void print_troubles(FILE *out, const struct rd_test_runs *r, const unsigned width[2],
                           const struct rd_look *look) {
    char name[CELL], text[CELL];
    for (uint32_t i = 0; i < r->list->count; i++) {
        const struct rd_test *t = &r->list->at[i];
        if (t->result.outcome == RD_TEST_TROUBLE && look->width &&
            rd_paint_width(result_of(t, text)) > width[1] + NUMBERS - 2)
            fprintf(out, "\n%s%s%s: %s\n", rd_paint(look, RD_YELLOW), name_of(r, t, name),
                    rd_paint(look, RD_UNPAINTED), text);
    }
}

void rd_test_print_totals(FILE *out, const struct rd_test_runs *r, const struct rd_look *look) {
    static const enum rd_test_outcome order[] = {RD_TEST_BUG,     RD_TEST_TROUBLE,  RD_TEST_PASSED, RD_TEST_ALONE,
                                                 RD_TEST_SKIPPED, RD_TEST_DISABLED, RD_TEST_NOT_RUN};
    static const char *const words[] = {"with a bug", "with trouble", "passed", "without threads",
                                        "skipped",    "disabled",     "not run"};
    uint32_t totals[RD_TEST_OUTCOMES];
    uint64_t executions = 0;
    char number[32];
    const char *comma = "";
    rd_test_totals(r->list, totals);
    for (uint32_t i = 0; i < r->list->count; i++)
        executions += r->list->at[i].result.executions;
    fprintf(out, "%u test%s: ", r->list->count, r->list->count == 1 ? "" : "s");
    for (unsigned i = 0; i < RD_COUNT(order); i++) {
        if (!totals[order[i]])
            continue;
        fprintf(out, "%s%s%u %s%s", comma, rd_paint(look, paint_of(order[i])), totals[order[i]], words[i],
                rd_paint(look, RD_UNPAINTED));
        comma = ", ";
    }
    fprintf(out, "; %s execution%s in %.1f s%s\n", rd_words_number(executions, number), executions == 1 ? "" : "s",
            r->seconds, r->stopped ? ", stopped by a signal" : "");
}

void rd_test_table(FILE *to, const struct rd_test_runs *r, const struct rd_look *look) {
    unsigned width[2];
    const struct rd_given_option *given;
    FILE *out = rd_wrap_open(to, NULL); /* a table is not wrapped */
    find_widths(r, look, width);
    cell(out, "test", width[0], look);
    fputs("  ", out);
    cell(out, "result", width[1], look);
    fprintf(out, "  %10s  %9s\n", "executions", "time");
    for (uint32_t i = 0; i < r->list->count; i++)
        row(out, r, &r->list->at[i], width, look);
    print_findings(out, r, look); /* commands to copy are not wrapped, either */
    rd_wrap_close(out);
    out = rd_wrap_open(to, look);
    print_troubles(out, r, width, look);
    fputc('\n', out);
    rd_test_print_totals(out, r, look);
    uint32_t given_count = rd_defaults_given(&r->options->defaults, &given);
    rd_print_given_options(out, given, given_count);
    rd_wrap_close(out);
}
