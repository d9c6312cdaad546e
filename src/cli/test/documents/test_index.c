/*
 * test_index.c - the page with all tests: the bugs, each with a link to its page, and a table of the tests, with
 * links to the index of each run. Like every page it is one file that needs no network. Names and messages come
 * from the program: they are written as text (report/html/html_text.h).
 */
#include "cli/test/documents/test_pages.h"
#include "cli/test/test_table.h"
#include "report/html/html_text.h"
#include "report/html/run_index.h"
#include "report/text/report_text.h"

#include <stdlib.h>
#include <string.h>

enum { NAME = 4096 };

static const char *class_of(enum rd_test_outcome o) {
    return o == RD_TEST_BUG                               ? "bug"
           : o == RD_TEST_TROUBLE || o == RD_TEST_NOT_RUN ? "warning"
           : o == RD_TEST_PASSED || o == RD_TEST_ALONE    ? "passed"
                                                          : "off";
}

/* ---- the bugs ---- */

/* The kind of a finding in words, as in the report for people; "" where the message says it. */
static const char *kind_words(const char *name) {
    for (unsigned kind = RD_NO_FINDING + 1; kind < RD_FINDING_KINDS; kind++)
        if (kind != RD_EXIT_STATUS && strcmp(rd_finding_name(kind), name) == 0)
            return rd_words_kind(kind);
    return "";
}

static void write_finding(FILE *out, const struct rd_test_runs *r, const struct rd_test *t, const json_t *f,
                          bool warning) {
    char name[NAME], page[512], command[RD_COMMAND];
    const char *schedule = rd_test_json_text(f, "schedule"), *file = rd_test_json_text(f, "file");
    const struct rd_report report = {.schedule_path = *schedule ? schedule : NULL};
    bool linked = t->has_pages && *schedule;
    rd_html_page_name(&report, page, sizeof page);
    fprintf(out, "<li%s>", warning ? " class=\"warning\"" : "");
    if (linked) {
        fputs("<a href=\"", out);
        rd_html_address(out, t->folder, page);
        fputs("\">", out);
    }
    const char *kind = kind_words(rd_test_json_text(f, "kind"));
    rd_html_textf(out, "%s: %s%s", rd_test_full_name(t, r->several, name, sizeof name), kind, *kind ? ": " : "");
    rd_html_text(out, rd_test_json_text(f, "message"));
    fputs(linked ? "</a>\n" : "\n", out);
    if (*file) {
        fputs("<p>", out);
        rd_html_textf(out, "at %s:%lld", file, (long long)json_integer_value(json_object_get(f, "line")));
        fputs("</p>\n", out);
    }
    if (*schedule)
        rd_html_command(out, "replay", rd_words_command(&report, "replay", command));
    fputs("</li>\n", out);
}

static void write_findings(FILE *out, const struct rd_test_runs *r) {
    static const char *const lists[] = {"findings", "warnings"};
    bool any = false;
    for (uint32_t i = 0; i < r->list->count; i++)
        for (unsigned list = 0; list < RD_COUNT(lists); list++) {
            const json_t *f;
            size_t k;
            json_array_foreach(json_object_get(r->list->at[i].result.run, lists[list]), k, f) {
                fputs(any ? ""
                          : "<section id=\"findings\" aria-labelledby=\"h-findings\"><h2 id=\"h-findings\">Findings"
                            "</h2>\n<ol class=\"found\">\n",
                      out);
                any = true;
                write_finding(out, r, &r->list->at[i], f, list == 1);
            }
        }
    fputs(any ? "</ol></section>\n" : "", out);
}

/* ---- the tests ---- */

static void write_test(FILE *out, const struct rd_test_runs *r, const struct rd_test *t) {
    char name[NAME], number[32];
    const struct rd_test_result *x = &t->result;
    fprintf(out, "<tr class=\"%s\"><th scope=\"row\">", class_of(x->outcome));
    if (t->has_pages) {
        fputs("<a href=\"", out);
        rd_html_address(out, t->folder, "index.html");
        fputs("\">", out);
    }
    rd_html_text(out, rd_test_full_name(t, r->several, name, sizeof name));
    fprintf(out, "%s</th><td class=\"result\">%s</td><td>", t->has_pages ? "</a>" : "",
            rd_test_outcome_word(x->outcome));
    rd_html_text(out, x->words);
    if (x->executions)
        fprintf(out, "</td><td class=\"n\">%s</td><td class=\"n\">%.2f&#8239;s</td></tr>\n",
                rd_words_number(x->executions, number), x->seconds);
    else
        fputs("</td><td></td><td></td></tr>\n", out);
}

static void write_tests(FILE *out, const struct rd_test_runs *r) {
    fputs("<section id=\"tests\" aria-labelledby=\"h-tests\"><h2 id=\"h-tests\">Tests</h2>\n<div class=\"wide\">"
          "<table class=\"tests\"><thead><tr><th scope=\"col\">test</th><th scope=\"col\" colspan=\"2\">result</th>"
          "<th scope=\"col\" class=\"n\">executions</th><th scope=\"col\" "
          "class=\"n\">time</th></tr></thead>\n<tbody>\n",
          out);
    for (uint32_t i = 0; i < r->list->count; i++)
        write_test(out, r, &r->list->at[i]);
    fputs("</tbody></table></div></section>\n", out);
}

/* ---- the page ---- */

/* The result in a few words, for the title and the first line. Returns the class of the outcome. */
static const char *words_of_result(const struct rd_test_runs *r, char *to, size_t room) {
    uint32_t totals[RD_TEST_OUTCOMES];
    rd_test_totals(r->list, totals);
    enum rd_test_outcome worst = totals[RD_TEST_BUG]       ? RD_TEST_BUG
                                 : totals[RD_TEST_TROUBLE] ? RD_TEST_TROUBLE
                                 : totals[RD_TEST_NOT_RUN] ? RD_TEST_NOT_RUN
                                                           : RD_TEST_PASSED;
    static const char *const words[RD_TEST_OUTCOMES] = {
        [RD_TEST_BUG] = "with a bug", [RD_TEST_TROUBLE] = "with trouble", [RD_TEST_NOT_RUN] = "not run"};
    if (worst == RD_TEST_PASSED)
        snprintf(to, room, "no bug found");
    else
        snprintf(to, room, "%u test%s %s", totals[worst], totals[worst] == 1 ? "" : "s", words[worst]);
    return class_of(worst);
}

/* The options that are not on the command line. */
static void write_options(FILE *out, const struct rd_test_runs *r) {
    static char *text; /* of a local variable gcc 12 believes that the result points into it */
    static size_t size;
    const struct rd_given_option *given;
    uint32_t count = rd_defaults_given(&r->options->defaults, &given);
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        abort();
    rd_print_given_options(memory, given, count);
    if (fclose(memory) != 0)
        abort();
    if (*text) {
        fputs("<p>", out);
        rd_html_text(out, text);
        fputs("</p>", out);
    }
    free(text);
}

void rd_test_index(FILE *out, const struct rd_test_runs *r) {
    const struct rd_look plain = {0};
    static char *totals, *programs,
        *title; /* of local variables gcc 12 believes that the results point into them */
    static size_t size;
    char result[128];
    const char *class = words_of_result(r, result, sizeof result);
    FILE *memory = open_memstream(&totals, &size);
    if (!memory)
        abort();
    rd_test_print_totals(memory, r, &plain);
    if (fclose(memory) != 0 || !(memory = open_memstream(&programs, &size)))
        abort();
    for (uint32_t i = 0; i < r->program_count; i++)
        fprintf(memory, "%s%s", i ? " " : "", r->programs[i].word);
    if (fclose(memory) != 0 || asprintf(&title, "%s: %s", result, programs) < 0)
        abort();
    rd_html_begin(out, title);
    rd_html_top(out, programs);
    fprintf(out, "<main>\n<section id=\"finding\" class=\"%s\"><h1>", class);
    rd_html_text(out, result);
    fputs("</h1>\n<p>", out);
    rd_html_text(out, totals);
    fputs("</p>", out);
    write_options(out, r);
    fputs("</section>\n", out);
    write_findings(out, r);
    write_tests(out, r);
    fputs("</main>\n", out);
    rd_html_end(out);
    free(totals);
    free(programs);
    free(title);
}
