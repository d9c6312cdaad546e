/*
 * html.c - the output format HTML: one execution as a page for a browser. The page is one file that needs no other
 * file and no network, so it can be mailed, attached to a ticket, and opened in ten years.
 *
 * What the text report says stands in the page as text, in the same words: the parts of the text format are printed
 * into memory and marked up here. The steps are data (page_data.c) that the script of the page draws as a timeline.
 * Without a script, and on paper, a table shows the steps that the text report shows (page_table.c).
 */
#include "report/format.h"
#include "report/html/html_text.h"
#include "report/html/page.h"
#include "report/html/run_index.h"
#include "report/row_selection.h"
#include "report/text/report_text.h"

#include <stdlib.h>
#include <string.h>

enum { ROWS = 32 }; /* steps that are shown at first, if the caller has no wish */

static const struct rd_look plain = {.unicode = true};

typedef void part_printer(FILE *out, const struct rd_report *r, const struct rd_look *look);

/* A part of the text report. The caller frees it. */
static char *text_of(part_printer *print, const struct rd_report *r) {
    static char *text; /* of a local variable gcc 12 believes that the result points into it */
    static size_t size;
    FILE *memory = open_memstream(&text, &size);
    if (!memory)
        abort();
    print(memory, r, &plain);
    if (fclose(memory) != 0)
        abort();
    return text;
}

/* Is it a line of source, "  >    37 | code"? Returns the position of the code, or NULL. */
static const char *code_in(const char *line, bool *here) {
    const char *p = line;
    if (strncmp(p, "  ", 2) != 0)
        return NULL;
    *here = p[2] == '>';
    p += 2 + *here;
    size_t blanks = strspn(p, " "), digits = strspn(p + blanks, "0123456789");
    p += blanks + digits;
    return blanks > !*here && digits && strncmp(p, " | ", 3) == 0 ? p + 3 : NULL;
}

/*
 * Writes the lines of a part as paragraphs, indented as in the text, and lines of source as such. `skip`: a heading
 * that the page has already.
 */
static void write_lines(FILE *out, char *text, const char *skip, uint32_t steps) {
    char *save = NULL;
    bool in_source = false, here;
    for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        if (strcmp(line, skip) == 0)
            continue;
        const char *code = code_in(line, &here);
        if (in_source != (code != NULL))
            fputs(code ? "<pre class=\"source\">" : "</pre>\n", out);
        in_source = code != NULL;
        if (code) {
            fprintf(out, "<span class=\"%s\"><i>%d</i>", here ? "line here" : "line", atoi(line + 3));
            rd_html_text(out, code);
            fputs("\n</span>", out);
            continue;
        }
        size_t indent = strspn(line, " ");
        fprintf(out, "<p class=\"i%zu\">", RD_MIN(indent / 2, (size_t)4));
        rd_html_rich_text(out, line + indent, steps);
        fputs("</p>\n", out);
    }
    if (in_source)
        fputs("</pre>\n", out);
}

static void write_section(FILE *out, const char *id, const char *title, const char *skip, part_printer *print,
                          const struct rd_report *r) {
    char *text = text_of(print, r);
    if (*text) {
        fprintf(out, "<section id=\"%s\" aria-labelledby=\"h-%s\"><h2 id=\"h-%s\">%s</h2>\n", id, id, id, title);
        write_lines(out, text, skip, r->schedule->step_count);
        fputs("</section>\n", out);
    }
    free(text);
}

/* The parts whose lines stay as they are, in a box. */
static void write_box(FILE *out, const char *id, const char *title, part_printer *print,
                      const struct rd_report *r) {
    char *text = text_of(print, r), *body = text;
    while (*body == '\n')
        body++;
    char *end = *body ? strchr(body, '\n') : NULL; /* the heading of the text */
    if (end) {
        fprintf(out, "<section id=\"%s\" aria-labelledby=\"h-%s\"><h2 id=\"h-%s\">%s</h2>\n<pre class=\"box\">", id,
                id, id, title);
        rd_html_rich_text(out, end + 1, r->schedule->step_count);
        fputs("</pre></section>\n", out);
    }
    free(text);
}

void rd_html_begin(FILE *out, const char *title) {
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
          "script-src 'unsafe-inline'; img-src data:\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n<link rel=\"icon\" href=\"data:,\">\n<title>",
          out);
    rd_html_text(out, title);
    fprintf(out, "</title>\n<style>\n%s</style></head>\n<body>\n", rd_page_css);
}

void rd_html_top(FILE *out, const char *program) {
    fputs("<header class=\"top\"><span class=\"brand\">raddle</span><span class=\"program\">", out);
    rd_html_text(out, program);
    fputs("</span><button type=\"button\" id=\"theme\" class=\"js\" aria-label=\"colours: as the system has them\">"
          "auto</button></header>\n",
          out);
}

void rd_html_end(FILE *out) { fprintf(out, "<script>\n%s</script>\n</body></html>\n", rd_page_js); }

void rd_html_command(FILE *out, const char *what, const char *command) {
    fprintf(out, "<div class=\"command\"><span class=\"what\">%s</span><code>", what);
    rd_html_text(out, command);
    fputs("</code><button type=\"button\" class=\"copy js\">copy</button></div>\n", out);
}

/* The first line of the finding is the title of the page. */
static void write_finding(FILE *out, const struct rd_report *r) {
    char *text = text_of(rd_print_finding, r), *end = strchr(text, '\n');
    const struct rd_finding *f = &r->schedule->finding;
    bool warning = r->warning || rd_is_unreliable(f);
    fprintf(out, "<section id=\"finding\" class=\"%s\">\n<h1>",
            f->kind == RD_NO_FINDING ? "passed"
            : warning                ? "warning"
                                     : "bug");
    if (end)
        *end = 0;
    rd_html_rich_text(out, text, r->schedule->step_count);
    fputs("</h1>\n", out);
    if (end)
        write_lines(out, end + 1, "", r->schedule->step_count);
    fputs("</section>\n", out);
    free(text);
}

static void write_timeline(FILE *out, const struct rd_report *r, const uint8_t *rows) {
    const struct rd_schedule *s = r->schedule;
    bool used[RD_TID_MAX];
    uint32_t threads = rd_facts_threads_used(r, used), preemptions = rd_schedule_preemptions(s);
    char steps[32], number[32];
    fputs("<section id=\"execution\" aria-labelledby=\"h-execution\"><h2 id=\"h-execution\">", out);
    if (r->execution)
        fprintf(out, "Execution %s%s", rd_words_number(r->execution, number),
                rd_why_simpler(s) ? ", made simpler" : "");
    else
        fputs("The execution", out);
    fprintf(out,
            "</h2>\n<p class=\"facts\">%s step%s, %u thread%s, %u preemption%s. "
            "<b class=\"m\">&rsaquo;</b> another thread goes on; <b class=\"m pre\">!</b> a preemption: the thread "
            "before could have gone on; <b class=\"m pre\">*</b> the end</p>\n",
            rd_words_number(s->step_count, steps), s->step_count == 1 ? "" : "s", threads, threads == 1 ? "" : "s",
            preemptions, preemptions == 1 ? "" : "s");
    fputs("<div id=\"app\" class=\"js\"></div>\n", out);
    rd_page_table(out, r, rows);
    fputs("</section>\n", out);
}

static void write_commands(FILE *out, const struct rd_report *r) {
    char command[RD_COMMAND];
    if (!r->schedule_path)
        return;
    fputs("<section id=\"commands\" aria-labelledby=\"h-commands\"><h2 id=\"h-commands\">Run it again</h2>\n", out);
    rd_html_command(out, "replay", rd_words_command(r, "replay", command));
    rd_html_command(out, "debug", rd_words_command(r, "replay --gdb", command));
    fputs("</section>\n", out);
}

static void write_execution(FILE *out, const struct rd_report *r, const struct rd_look *look) {
    const struct rd_schedule *s = r->schedule;
    char title[400];
    bool found = s->finding.kind != RD_NO_FINDING;
    const char *program = s->program ? rd_words_path(r, s->program) : "";
    uint8_t *rows = calloc(s->step_count + 1u, 1);
    if (!rows)
        abort();
    uint32_t wanted = look ? look->rows_max : ROWS;
    rd_row_selection_choose(r, s->step_count > RD_PAGE_STEPS_MAX && !wanted ? RD_PAGE_STEPS_KEPT : wanted, rows);
    snprintf(title, sizeof title, "%s: %s", found ? rd_words_kind(s->finding.kind) : "execution", program);
    rd_html_begin(out, title);
    rd_html_top(out, program);
    fputs("<main>\n", out);
    write_finding(out, r);
    write_section(out, "why", "Why", "why", rd_print_why, r);
    write_section(out, "blocks", "Memory", "", rd_print_blocks, r);
    write_timeline(out, r, rows);
    write_box(out, "threads", "Where every thread was", rd_print_threads, r);
    write_box(out, "output", "The program's output", rd_print_output, r);
    write_commands(out, r);
    fputs("</main>\n<script type=\"application/json\" id=\"data\">", out);
    rd_page_data(out, r, rows);
    fputs("</script>\n", out);
    rd_html_end(out);
    free(rows);
}

const struct rd_format rd_format_html = {
    .name = "html",
    .help = {[RD_DOCUMENT_RUN] = "write a page for each finding, and an index with coverage, to that folder",
             [RD_DOCUMENT_EXECUTION] = "write a page for a browser instead"},
    .index = "index.html",
    .page_name = rd_html_page_name,
    .run = rd_html_run_index,
    .execution = write_execution,
};
