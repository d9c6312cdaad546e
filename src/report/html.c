/*
 * html.c - the output format HTML: one execution as a page. The page needs no other file, no network and no script,
 * so it can be mailed, attached to a ticket, and opened in ten years. Every text goes through one escaping
 * function.
 */
#include "base/safe_text.h"
#include "report/format.h"
#include "report/html_style.h"
#include "report/row_selection.h"
#include "report/text/report_text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 20000, FRAMES_MAX = 128, COLOURS = 8 };

struct page {
    FILE *out;
    const struct rd_report *r;
    bool used[RD_TID_MAX];
    uint32_t thread_count; /* threads that take part in the execution */
    char source[512];      /* the source line that keep_line has read */
};

/* Writes a text with its special characters escaped, as it may be shown. */
static void text(FILE *out, const char *s) {
    for (size_t left = strlen(s); left;) {
        char c[RD_SAFE_CHAR] = {*s};
        size_t n = *s == '\n' || *s == '\t' ? 1 : rd_safe_char(s, left, RD_BAD_BYTE_REPLACED, c);
        if (*c == '&')
            fputs("&amp;", out);
        else if (*c == '<')
            fputs("&lt;", out);
        else if (*c == '>')
            fputs("&gt;", out);
        else if (*c == '"')
            fputs("&quot;", out);
        else
            fputs(c, out);
        s += n;
        left -= n;
    }
}

__attribute__((format(printf, 2, 3))) static void textf(FILE *out, const char *format, ...) {
    char buffer[2048];
    va_list args;
    va_start(args, format);
    vsnprintf(buffer, sizeof buffer, format, args);
    va_end(args);
    text(out, buffer);
}

static void excerpt_line(void *ctx, int number, const char *line) {
    struct page *p = ctx;
    struct rd_where w;
    rd_facts_where(p->r, &w);
    fprintf(p->out, "<span class=\"%s\"><i>%d</i>", number == w.line ? "here" : "line", number);
    text(p->out, line);
    fputs("\n</span>", p->out);
}

/* The lines that explain a deadlock are those of the text format. */
static void deadlock(struct page *p) {
    struct rd_look look = {.width = 1000};
    char *lines = NULL, *save = NULL;
    size_t size = 0;
    FILE *memory = open_memstream(&lines, &size);
    if (!memory)
        return;
    rd_print_deadlock(memory, p->r, &look);
    fclose(memory);
    fputs("<ul>\n", p->out);
    for (char *line = strtok_r(lines, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        fputs("<li>", p->out);
        text(p->out, line);
        fputs("</li>\n", p->out);
    }
    fputs("</ul>\n", p->out);
    free(lines);
}

static void other_place(struct page *p) {
    const struct rd_frame *other = rd_facts_other_frame(p->r);
    char thread[64], place[RD_LOCATION];
    if (!other)
        return;
    rd_words_thread(p->r, p->r->schedule->finding.other_tid, thread, sizeof thread);
    rd_words_frame(p->r, other, true, place, sizeof place);
    fputs("<p>because of ", p->out);
    textf(p->out, "%s at %s", thread, place);
    fputs("</p>\n", p->out);
}

static void block_places(struct page *p) {
    char line[RD_LOCATION + 256];
    for (int freed = 0; freed < 2; freed++) {
        rd_words_block(p->r, freed, line, sizeof line);
        if (!line[0])
            continue;
        fputs("<p>the block was ", p->out);
        text(p->out, line);
        fputs("</p>\n", p->out);
    }
}

static void head(struct page *p) {
    const struct rd_schedule *s = p->r->schedule;
    char message[600], thread[64];
    struct rd_where w;
    rd_facts_message(p->r, message, sizeof message);
    rd_facts_where(p->r, &w);
    bool found = s->finding.kind != RD_NO_FINDING;
    fputs("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
          p->out);
    textf(p->out, "%s: %s", found ? rd_words_kind(s->finding.kind) : "execution",
          rd_words_path(p->r, s->program ? s->program : ""));
    fprintf(p->out, "</title>\n<style>%s</style></head>\n<body>\n<header><h1>", rd_html_style);
    text(p->out, found ? rd_words_kind(s->finding.kind) : "no bug in this execution");
    fputs("</h1>\n", p->out);
    if (found) {
        fputs("<p class=\"message\">", p->out);
        text(p->out, message);
        fputs("</p>\n", p->out);
    }
    if (found && s->finding.tid < s->thread_count && !rd_is_stuck(s->finding.kind)) {
        rd_words_thread(p->r, s->finding.tid, thread, sizeof thread);
        fprintf(p->out, "<p>in <b class=\"t%u\">", s->finding.tid % COLOURS);
        text(p->out, thread);
        fputs("</b>", p->out);
        if (w.function[0])
            textf(p->out, ", %s", w.function);
        if (w.line)
            textf(p->out, " at %s:%d", w.file, w.line);
        fputs("</p>\n", p->out);
        other_place(p);
        block_places(p);
    }
    if (rd_is_stuck(s->finding.kind))
        deadlock(p);
    fputs("</header>\n", p->out);
    if (found && w.line && w.path[0]) {
        fputs("<pre class=\"source\">", p->out);
        rd_source_around(w.path, w.line, 3, 2, excerpt_line, p);
        fputs("</pre>\n", p->out);
    }
}

static void keep_line(void *ctx, int number, const char *line) {
    (void)number;
    struct page *p = ctx;
    snprintf(p->source, sizeof p->source, "%s", line + strspn(line, " \t"));
}

static void place_cell(struct page *p, const struct rd_frame *f) {
    char at[RD_LOCATION];
    rd_words_frame(p->r, f, false, at, sizeof at);
    fputs("<td class=\"at\"", p->out);
    if (f && f->file) {
        fputs(" title=\"", p->out);
        textf(p->out, "%s, %s:%d", f->function, rd_words_path(p->r, f->file), f->line);
        fputs("\"", p->out);
    }
    fputs(">", p->out);
    text(p->out, at);
    p->source[0] = 0;
    if (f && f->file && f->kind == RD_FRAME_USER)
        rd_source_around(f->file, f->line, 0, 0, keep_line, p);
    fputs("</td><td class=\"code\">", p->out);
    text(p->out, p->source);
    fputs("</td>", p->out);
}

/* A cell for each thread; the cell of `tid` has the text. */
static void thread_cells(struct page *p, rd_tid tid, const char *phrase, const char *class) {
    for (uint32_t i = 0; i < RD_TID_MAX; i++) {
        if (!p->used[i])
            continue;
        if (i == tid) {
            fprintf(p->out, "<td class=\"op t%u %s\">", i % COLOURS, class);
            text(p->out, phrase);
            fputs("</td>", p->out);
        } else {
            fputs("<td></td>", p->out);
        }
    }
}

static void step_row(struct page *p, struct rd_waits *waits, uint32_t i) {
    const struct rd_step *s = &p->r->schedule->steps[i];
    char phrase[RD_PHRASE];
    bool preemption = s->flags & RD_STEP_PREEMPTION, other = s->flags & RD_STEP_SWITCH;
    rd_phrase_step(p->r, waits, i, phrase, sizeof phrase);
    fprintf(p->out, "<tr class=\"%s\" id=\"s%u\"><td class=\"n\">%u</td><td class=\"m\">%s</td>",
            preemption ? "preemption"
            : other    ? "switch"
                       : "",
            i + 1, i + 1,
            preemption ? "!"
            : other    ? "&rsaquo;"
                       : "");
    thread_cells(p, s->tid, phrase, "");
    place_cell(p, rd_facts_step_frame(p->r, i));
    fputs("</tr>\n", p->out);
}

static void end_row(struct page *p, rd_tid tid, const char *phrase, const struct rd_frame *f) {
    fputs("<tr class=\"bad\"><td class=\"n\"></td><td class=\"m\">*</td>", p->out);
    thread_cells(p, tid, phrase, "bad");
    place_cell(p, f);
    fputs("</tr>\n", p->out);
}

static void end_rows(struct page *p) {
    const struct rd_schedule *s = p->r->schedule;
    char phrase[RD_PHRASE], line[RD_PHRASE + 16];
    if (rd_is_stuck(s->finding.kind)) {
        for (uint32_t i = 0; i < s->thread_count; i++) {
            if (s->threads[i].state != RD_T_READY || s->threads[i].enabled)
                continue;
            rd_phrase_pending(p->r, &s->threads[i].pending, phrase, sizeof phrase);
            snprintf(line, sizeof line, "blocked: %s", phrase);
            end_row(p, (rd_tid)i, line, rd_facts_pending_frame(p->r, (rd_tid)i));
        }
    } else if (s->finding.kind != RD_NO_FINDING && s->finding.tid < s->thread_count) {
        bool exact = s->finding.kind == RD_CRASH;
        end_row(p, s->finding.tid, rd_words_kind(s->finding.kind),
                rd_symbols_at(p->r->symbols, s->finding.pc, exact));
    }
}

static void steps(struct page *p) {
    const struct rd_schedule *s = p->r->schedule;
    uint8_t *rows = calloc(s->step_count + 1, 1);
    struct rd_waits *waits = calloc(1, sizeof *waits);
    uint32_t hidden = 0;
    if (rows && waits)
        rd_row_selection_choose(p->r, ROWS_MAX, rows);
    for (uint32_t i = 0; i <= s->step_count && rows && waits; i++) {
        if (i < s->step_count && rows[i] != RD_ROW_SHOWN) {
            rd_phrase_skip(p->r, waits, i);
            hidden++;
            continue;
        }
        if (hidden)
            fprintf(p->out, "<tr class=\"gap\"><td></td><td></td><td colspan=\"%u\">%u steps left out</td></tr>\n",
                    p->thread_count + 2, hidden);
        hidden = 0;
        if (i < s->step_count)
            step_row(p, waits, i);
    }
    free(rows);
    free(waits);
}

static void execution(struct page *p) {
    const struct rd_schedule *s = p->r->schedule;
    char name[64], number[32];
    fprintf(p->out,
            "<h2>The execution</h2>\n<p>%s steps, %u threads, %u preemptions. "
            "<span class=\"m\">&rsaquo;</span> another thread goes on; "
            "<span class=\"m\">!</span> it does so although the one before could have gone on.</p>\n"
            "<div class=\"scroll\"><table><thead><tr><th>step</th><th></th>",
            rd_words_number(s->step_count, number), p->thread_count, rd_schedule_preemptions(s));
    for (uint32_t i = 0; i < RD_TID_MAX; i++) {
        if (!p->used[i])
            continue;
        rd_words_thread(p->r, (rd_tid)i, name, sizeof name);
        fprintf(p->out, "<th class=\"t%u\">", i % COLOURS);
        text(p->out, name);
        fputs("</th>", p->out);
    }
    fputs("<th>where</th><th>source</th></tr></thead>\n<tbody>\n", p->out);
    steps(p);
    end_rows(p);
    fputs("</tbody></table></div>\n", p->out);
}

static void stacks(struct page *p) {
    static struct rd_frame frames[FRAMES_MAX];
    char name[64], phrase[RD_PHRASE], at[RD_LOCATION];
    fputs("<h2>Where every thread was</h2>\n", p->out);
    for (uint32_t i = 0; i < p->r->schedule->thread_count; i++) {
        const struct rd_thread_info *t = &p->r->schedule->threads[i];
        if (!p->used[i])
            continue;
        rd_words_thread(p->r, (rd_tid)i, name, sizeof name);
        rd_phrase_pending(p->r, &t->pending, phrase, sizeof phrase);
        fprintf(p->out, "<details%s><summary><b class=\"t%u\">", t->state == RD_T_READY ? " open" : "",
                i % COLOURS);
        text(p->out, name);
        fputs("</b> ", p->out);
        if (t->state == RD_T_READY && t->pending.kind != RD_OP_NONE)
            textf(p->out, "%s: %s", t->enabled ? "about to go on" : "blocked", phrase);
        else
            text(p->out, t->state == RD_T_FINISHED ? "finished"
                         : t->state == RD_T_READY  ? rd_words_running(p->r, (rd_tid)i)
                                                   : "");
        fputs("</summary><ol start=\"0\">\n", p->out);
        uint32_t n = rd_facts_stack(p->r, (rd_tid)i, frames, FRAMES_MAX);
        for (uint32_t k = 0; k < n; k++) {
            rd_words_frame(p->r, &frames[k], true, at, sizeof at);
            fprintf(p->out, "<li class=\"%s\">", frames[k].kind == RD_FRAME_USER ? "user" : "library");
            text(p->out, frames[k].function);
            if (frames[k].file)
                textf(p->out, " at %s", at);
            fputs("</li>\n", p->out);
        }
        fputs("</ol></details>\n", p->out);
    }
}

static void why(struct page *p) {
    struct rd_why_step deciding[3];
    char line[400], at[RD_LOCATION];
    uint32_t n = rd_why_order(p->r, deciding);
    rd_why_decided(p->r, line, sizeof line);
    if (!n && !line[0])
        return;
    fprintf(p->out, "<h2>Why</h2>\n%s", n ? "<p>These operations, in this order:</p>\n<ol>\n" : "");
    for (uint32_t i = 0; i < n; i++) {
        rd_words_frame(p->r, deciding[i].frame, true, at, sizeof at);
        fprintf(p->out, "<li><b class=\"t%u\">T%u</b> ", deciding[i].tid % COLOURS, deciding[i].tid);
        textf(p->out, "%s%s%s%s", deciding[i].phrase, at[0] ? " at " : "", at,
              deciding[i].step ? "" : " (it did not get there)");
        fputs("</li>\n", p->out);
    }
    if (n)
        fputs("</ol>\n<p>An execution passed in which the last of these came before the one above it.</p>\n",
              p->out);
    fputs("<p>", p->out);
    text(p->out, line);
    fputs("</p>\n", p->out);
}

static void write_page(struct page *p) {
    head(p);
    why(p);
    execution(p);
    stacks(p);
    if (p->r->schedule_path) {
        fputs("<h2>Replay</h2>\n<pre>", p->out);
        char settings[256];
        rd_replay_settings(settings, sizeof settings);
        textf(p->out, "%sraddle replay %s\n%sraddle replay --gdb %s", settings, p->r->schedule_path, settings,
              p->r->schedule_path);
        fputs("</pre>\n", p->out);
    }
    fputs("</body></html>\n", p->out);
}

static void write_execution(FILE *out, const struct rd_report *r, const struct rd_look *look) {
    struct page p = {.out = out, .r = r};
    (void)look;
    p.thread_count = rd_facts_threads_used(r, p.used);
    write_page(&p);
}

const struct rd_format rd_format_html = {
    .name = "html",
    .help = {[RD_DOCUMENT_EXECUTION] = "write a page for a browser instead"},
    .execution = write_execution,
};
