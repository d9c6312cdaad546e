/*
 * run_index.c - the index of a run: its findings, each with a link to its page, what the run proves, charts of its
 * coverage. Findings and claim are in the words of the text report.
 */
#include "report/html/run_index.h"

#include "report/html/chart.h"
#include "report/html/html_text.h"
#include "report/text/report_text.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void rd_html_page_name(const struct rd_report *r, char *to, size_t room) {
    const char *path = r->schedule_path ? r->schedule_path : "finding", *slash = strrchr(path, '/');
    const char *name = slash ? slash + 1 : path;
    size_t n = strlen(name);
    if (n > 6 && strcmp(name + n - 6, ".sched") == 0)
        n -= 6;
    snprintf(to, room, "%.*s.html", (int)n, name);
}

void rd_html_address(FILE *out, const char *folder, const char *name) {
    fputs("./", out);
    if (folder)
        fprintf(out, "%s/", folder);
    for (const unsigned char *p = (const unsigned char *)name; *p; p++)
        if (isalnum(*p) || strchr("-._~", *p))
            fputc(*p, out);
        else
            fprintf(out, "%%%02X", *p);
}

/* The first line of the finding in the text report. The caller frees it. */
static char *headline_of(const struct rd_report *r) {
    static char *text; /* of a local variable gcc 12 believes that the result points into it */
    static size_t size;
    const struct rd_look plain = {0};
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        abort();
    rd_print_finding(memory, r, &plain);
    if (fclose(memory) != 0)
        abort();
    text[strcspn(text, "\n")] = 0;
    return text;
}

static void write_finding(FILE *out, const struct rd_report *r) {
    char page[512], number[32];
    struct rd_where w;
    char *line = headline_of(r);
    bool warning = r->warning || rd_is_unreliable(&r->schedule->finding);
    rd_html_page_name(r, page, sizeof page);
    rd_facts_where(r, &w);
    fprintf(out, "<li%s><a href=\"", warning ? " class=\"warning\"" : "");
    rd_html_address(out, NULL, page);
    fputs("\">", out);
    rd_html_text(out, line);
    fputs("</a>\n<p>", out);
    if (w.function[0] || w.line) {
        rd_html_textf(out, "%s%s", w.function[0] ? "in " : "", w.function);
        if (w.line)
            rd_html_textf(out, " at %s:%d", w.file, w.line);
        fputs("; ", out);
    }
    uint32_t preemptions = rd_schedule_preemptions(r->schedule);
    fprintf(out, "%s steps, %u preemption%s", rd_words_number(r->schedule->step_count, number), preemptions,
            preemptions == 1 ? "" : "s");
    if (r->execution)
        fprintf(out, ", found in execution %s", rd_words_number(r->execution, number));
    fputs("</p>\n", out);
    if (r->schedule_path) {
        char command[RD_COMMAND];
        rd_html_command(out, "replay", rd_words_command(r, "replay", command));
    }
    fputs("</li>\n", out);
    free(line);
}

static void write_findings(FILE *out, const struct rd_report *findings, uint32_t count) {
    if (!count)
        return;
    fputs("<section id=\"findings\" aria-labelledby=\"h-findings\"><h2 id=\"h-findings\">Findings</h2>\n<ol "
          "class=\"found\">\n",
          out);
    for (uint32_t i = 0; i < count; i++)
        write_finding(out, &findings[i]);
    fputs("</ol></section>\n", out);
}

/* The end of the text report. */
static void write_summary(FILE *out, const struct rd_run *run) {
    static char *text;
    static size_t size;
    const struct rd_look plain = {.statistics = true};
    char *save = NULL;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        abort();
    if (run->error)
        fprintf(memory, "%s\n", run->error);
    else if (run->summary->end != RD_END_TROUBLE)
        rd_print_summary(memory, run, &plain);
    if (fclose(memory) != 0)
        abort();
    fputs("<section id=\"claim\" aria-labelledby=\"h-claim\"><h2 id=\"h-claim\">What the run proves</h2>\n", out);
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        size_t indent = strspn(line, " ");
        fprintf(out, "<p class=\"i%zu\">", RD_MIN(indent / 2, (size_t)4));
        rd_html_text(out, line + indent);
        fputs("</p>\n", out);
    }
    fputs("</section>\n", out);
    free(text);
}

static void write_charts(FILE *out, const struct rd_run *run, const struct rd_report *findings, uint32_t count) {
    fputs("<section id=\"coverage\" aria-labelledby=\"h-coverage\"><h2 id=\"h-coverage\">Coverage</h2>\n"
          "<div class=\"charts\">\n",
          out);
    bool any = rd_chart_preemptions(out, run);
    any |= rd_chart_progress(out, run, findings, count);
    fprintf(out, "</div>%s</section>\n", any ? "" : "<p>No execution came to its end.</p>");
}

/* The result in a few words, for the title and the first line. */
static void words_of_result(const struct rd_run *run, char *to, size_t room) {
    char warnings[64] = "";
    if (run->warnings)
        snprintf(warnings, sizeof warnings, ", %llu warning%s", (unsigned long long)run->warnings,
                 run->warnings == 1 ? "" : "s");
    if (run->findings)
        snprintf(to, room, "%llu bug%s found%s", (unsigned long long)run->findings, run->findings == 1 ? "" : "s",
                 warnings);
    else if (run->summary->end == RD_END_TROUBLE)
        snprintf(to, room, "the search ended with trouble%s", warnings);
    else
        snprintf(to, room, "no bug found%s", warnings);
}

void rd_html_run_index(FILE *out, const struct rd_run *run, const struct rd_report *findings, uint32_t count,
                       const struct rd_look *look) {
    char result[128], title[512], number[32];
    const struct rd_summary *s = run->summary;
    (void)look;
    words_of_result(run, result, sizeof result);
    snprintf(title, sizeof title, "%s: %s", result, run->program);
    rd_html_begin(out, title);
    rd_html_top(out, run->program);
    fprintf(out, "<main>\n<section id=\"finding\" class=\"%s\"><h1>",
            run->findings                                          ? "bug"
            : run->warnings || run->summary->end == RD_END_TROUBLE ? "warning"
                                                                   : "passed");
    rd_html_text(out, result);
    fprintf(out, "</h1>\n<p>%s execution%s", rd_words_number(s->executions, number), s->executions == 1 ? "" : "s");
    fprintf(out, ", %s different order%s of events, %.2f s, strategy ", rd_words_number(s->classes, number),
            s->classes == 1 ? "" : "s", run->elapsed_s);
    rd_html_text(out, run->strategy);
    fputs("</p></section>\n", out);
    write_findings(out, findings, count);
    write_summary(out, run);
    write_charts(out, run, findings, count);
    fputs("</main>\n", out);
    rd_html_end(out);
}
