/* page_table.c - the execution as a table without a script: the same lines as the columns of the text. */
#include "report/html/html_text.h"
#include "report/html/page.h"
#include "report/row_selection.h"

#include <stdlib.h>
#include <string.h>

enum { LANES_MAX = 6 }; /* with more threads all share one column */

struct page_lanes {
    FILE *out;
    const struct rd_report *r;
    bool used[RD_TID_MAX];
    uint32_t count;
};

uint32_t rd_page_ends(const struct rd_report *r, struct rd_page_end **to) {
    const struct rd_schedule *s = r->schedule;
    const struct rd_finding *f = &s->finding;
    struct rd_page_end *end = calloc(s->thread_count + 1u, sizeof *end);
    uint32_t n = 0;
    *to = end;
    if (!end)
        abort();
    for (uint32_t i = 0; i < s->thread_count && rd_is_stuck(f->kind); i++) {
        if (!rd_facts_blocked(r, (rd_tid)i))
            continue;
        char phrase[RD_PHRASE];
        rd_phrase_pending(r, &s->threads[i].pending, phrase, sizeof phrase);
        uint32_t since = s->threads[i].held_step;
        end[n] = (struct rd_page_end){.tid = (rd_tid)i,
                                      .frame = rd_facts_pending_frame(r, (rd_tid)i),
                                      .since = since <= s->step_count ? since : 0};
        snprintf(end[n].text, sizeof end[n].text, "blocked: %s", phrase);
        rd_words_frame(r, end[n].frame, false, end[n].at, sizeof end[n].at);
        n++;
    }
    if (rd_is_stuck(f->kind) || f->kind == RD_NO_FINDING || f->tid >= s->thread_count)
        return n;
    struct rd_where w;
    rd_facts_where(r, &w);
    const char *slash = strrchr(w.file, '/');
    end[n] = (struct rd_page_end){.tid = f->tid};
    snprintf(end[n].text, sizeof end[n].text, "%s", rd_words_kind(f->kind));
    if (w.line)
        snprintf(end[n].at, sizeof end[n].at, "%s:%d", slash ? slash + 1 : w.file, w.line);
    return n + 1;
}

static void cell(const struct page_lanes *t, uint32_t tid, const char *text) {
    if (t->count > LANES_MAX) {
        fprintf(t->out, "<td class=\"t%u\">T%u</td><td>", tid % RD_HTML_COLOURS, tid);
        rd_html_text(t->out, text);
        fputs("</td>", t->out);
        return;
    }
    for (uint32_t i = 0; i < RD_TID_MAX; i++) {
        if (!t->used[i])
            continue;
        fprintf(t->out, "<td class=\"t%u\">", i % RD_HTML_COLOURS);
        if (i == tid)
            rd_html_text(t->out, text);
        fputs("</td>", t->out);
    }
}

static void row(const struct page_lanes *t, const char *number, char mark, uint32_t tid, const char *text,
                const char *at) {
    const char *class = mark == '!' ? " class=\"preemption\"" : mark == '*' ? " class=\"bad\"" : "";
    fprintf(t->out, "<tr%s><td class=\"n\">%s</td><td class=\"m\">%s</td>", class, number,
            mark == '>'   ? "&rsaquo;"
            : mark == '!' ? "!"
            : mark == '*' ? "*"
                          : "");
    cell(t, tid, text);
    fputs("<td class=\"at\">", t->out);
    rd_html_text(t->out, at);
    fputs("</td></tr>\n", t->out);
}

static void head(const struct page_lanes *t) {
    fputs("<thead><tr><th>step</th><th></th>", t->out);
    for (uint32_t i = 0; i < RD_TID_MAX && t->count <= LANES_MAX; i++) {
        char name[64];
        if (!t->used[i])
            continue;
        rd_words_thread(t->r, (rd_tid)i, name, sizeof name);
        fprintf(t->out, "<th class=\"t%u\">", i % RD_HTML_COLOURS);
        rd_html_text(t->out, name);
        fputs("</th>", t->out);
    }
    fprintf(t->out, "%s<th>where</th></tr></thead>\n<tbody>\n",
            t->count > LANES_MAX ? "<th>thread</th><th>operation</th>" : "");
}

static void steps(const struct page_lanes *t, const uint8_t *rows) {
    const struct rd_schedule *s = t->r->schedule;
    struct rd_waits *waits = calloc(1, sizeof *waits);
    if (!waits)
        abort();
    for (uint32_t i = 0; i < s->step_count; i++) {
        char text[RD_PHRASE], at[RD_LOCATION], number[16];
        if (rows[i] != RD_ROW_SHOWN) {
            struct rd_row_gap g = rd_row_gap_at(t->r, rows, i);
            rd_words_gap(t->r, &g, text, sizeof text);
            fprintf(t->out, "<tr class=\"gap\"><td></td><td></td><td colspan=\"%u\">",
                    RD_MIN(t->count, t->count > LANES_MAX ? 2u : t->count) + 1);
            rd_html_text(t->out, text);
            fputs("</td></tr>\n", t->out);
            for (uint32_t k = i; k < i + g.count; k++)
                rd_phrase_skip(t->r, waits, k);
            i += g.count - 1;
            continue;
        }
        const struct rd_step *step = &s->steps[i];
        const struct rd_frame *f = rd_facts_step_frame(t->r, i);
        bool empty = step->op == RD_OP_START && f && f->kind != RD_FRAME_USER;
        rd_phrase_step(t->r, waits, i, text, sizeof text);
        rd_words_frame(t->r, empty ? NULL : f, false, at, sizeof at);
        snprintf(number, sizeof number, "%u", i + 1);
        row(t, number,
            step->flags & RD_STEP_PREEMPTION ? '!'
            : step->flags & RD_STEP_SWITCH   ? '>'
                                             : ' ',
            step->tid, text, at);
    }
    free(waits);
}

void rd_page_table(FILE *out, const struct rd_report *r, const uint8_t *rows) {
    struct page_lanes t = {.out = out, .r = r};
    struct rd_page_end *ends;
    t.count = rd_facts_threads_used(r, t.used);
    fputs("<table class=\"static\">\n", out);
    head(&t);
    steps(&t, rows);
    uint32_t n = rd_page_ends(r, &ends);
    for (uint32_t i = 0; i < n; i++)
        row(&t, "", '*', ends[i].tid, ends[i].text, ends[i].at);
    free(ends);
    fputs("</tbody></table>\n", out);
}
