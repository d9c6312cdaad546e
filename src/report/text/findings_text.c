/*
 * findings_text.c - several findings in words: under the report of a bug the other findings that are the same bug,
 * and at the end of a run the table of all bugs. The table has a line for each; where the terminal is too narrow
 * for that, each column that does not fit has a line of its own. Nothing is cut.
 */
#include "report/findings/bug_groups.h"
#include "report/text/report_text.h"

#include <string.h>

enum { ALSO_SHOWN = 6 };

/* Other memory at which the two accesses of a race raced, by its names. */
static void print_memory(FILE *out, const struct rd_report *r) {
    char names[RD_FOUND_MEMORY][RD_PHRASE], own[RD_PHRASE] = "";
    uint32_t count = 0, first, second;
    if (rd_race_steps(r, &first, &second)) {
        rd_place data = r->schedule->finding.data;
        rd_words_data(r, data ? data : r->schedule->steps[second].place, own, sizeof own);
    }
    for (uint32_t i = 0; i < RD_MIN(r->memory_count, (uint32_t)RD_FOUND_MEMORY); i++) {
        rd_words_data(r, r->memory[i], names[count], sizeof names[count]);
        bool said = strcmp(names[count], own) == 0;
        for (uint32_t k = 0; k < count; k++)
            said |= strcmp(names[k], names[count]) == 0;
        count += !said;
    }
    for (uint32_t i = 0; i < count; i++)
        fprintf(out, "%s%s", i ? ", " : "  the same two accesses raced at other memory, too: ", names[i]);
    if (count)
        fputs(r->memory_count == RD_FOUND_MEMORY ? ", …\n" : "\n", out);
}

void rd_print_also(FILE *out, const struct rd_report *r, const struct rd_look *look) {
    char text[2400];
    print_memory(out, r);
    if (!r->also_count)
        return;
    fprintf(out, "  the same bug, found %u more time%s", r->also_count, r->also_count == 1 ? "" : "s");
    fputs(r->schedule->finding.kind == RD_DATA_RACE ? " at other accesses of these lines:\n"
                                                    : " in other threads or copies of the code:\n",
          out);
    for (uint32_t i = 0; i < RD_MIN(r->also_count, (uint32_t)ALSO_SHOWN); i++) {
        rd_findings_member(r->also[i], text, sizeof text);
        fprintf(out, "    %s%s%s%s\n", text, rd_paint(look, RD_DIM), r->also[i]->schedule_path ? "  " : "",
                r->also[i]->schedule_path ? r->also[i]->schedule_path : "");
        fputs(rd_paint(look, RD_UNPAINTED), out);
    }
    if (r->also_count > ALSO_SHOWN)
        fprintf(out, "    and %u more (--json lists all)\n", r->also_count - ALSO_SHOWN);
}

enum { COLUMNS = 4 };

/* The texts of one line of the table: kind, place, executions, schedule. */
struct table_line {
    char number[16], place[2000];
    struct rd_finding_row row;
    const char *at[COLUMNS];
    bool warning;
};

static void fill(struct table_line *l, const struct rd_report *r) {
    rd_findings_row(r, &l->row);
    snprintf(l->number, sizeof l->number, "#%u", r->number);
    int n = snprintf(l->place, sizeof l->place, "%s%s%s", l->row.variable, l->row.variable[0] ? ": " : "",
                     l->row.place[0] ? l->row.place : "(place not known)");
    if (r->same_memory && n > 0 && (size_t)n < sizeof l->place)
        snprintf(l->place + n, sizeof l->place - (size_t)n, " (same memory as #%u)", r->same_memory);
    l->warning = r->warning || rd_is_unreliable(&r->schedule->finding);
    const char *const at[COLUMNS] = {l->row.kind, l->place, l->row.shown,
                                     r->schedule_path ? r->schedule_path : "no schedule"};
    memcpy(l->at, at, sizeof at);
}

/* Columns that fit beside the number; the others have lines of their own. */
static unsigned fitting(const unsigned widths[COLUMNS], unsigned width) {
    unsigned used = 8, n = 0;
    while (n < COLUMNS && (width == 0 || used + widths[n] <= width))
        used += widths[n++] + 2;
    return RD_MAX(n, 1u);
}

static void print_line(FILE *out, const struct table_line *l, const unsigned widths[COLUMNS], unsigned columns,
                       const struct rd_look *look) {
    fprintf(out, "  %s%s%s%*s", rd_paint(look, RD_BOLD), l->number, rd_paint(look, RD_UNPAINTED),
            (int)(5 - RD_MIN(strlen(l->number), (size_t)5)), " ");
    for (unsigned c = 0; c < columns; c++) {
        bool last = c + 1 == columns || (c + 2 == columns && !l->at[c + 1][0]);
        fprintf(out, "%s%s%s", c ? "  " : rd_paint(look, l->warning ? RD_YELLOW : RD_RED), l->at[c],
                c ? "" : rd_paint(look, RD_UNPAINTED));
        if (!last)
            fprintf(out, "%*s", (int)(widths[c] - RD_MIN(rd_paint_width(l->at[c]), widths[c])), "");
    }
    fputc('\n', out);
    for (unsigned c = columns; c < COLUMNS; c++)
        if (l->at[c][0])
            fprintf(out, "       %s\n", l->at[c]);
}

void rd_print_findings(FILE *out, const struct rd_report *findings, uint32_t count, const struct rd_look *look) {
    static struct table_line lines[RD_FOUND_MAX];
    unsigned widths[COLUMNS] = {0};
    if (count < 2 || count > RD_FOUND_MAX)
        return;
    for (uint32_t i = 0; i < count; i++) {
        fill(&lines[i], &findings[i]);
        for (unsigned c = 0; c < COLUMNS; c++)
            widths[c] = RD_MAX(widths[c], rd_paint_width(lines[i].at[c]));
    }
    unsigned columns = fitting(widths, look->width);
    fprintf(out, "\n%sfindings%s (number, kind, place, shown by, schedule)\n", rd_paint(look, RD_BOLD),
            rd_paint(look, RD_UNPAINTED));
    for (uint32_t i = 0; i < count; i++)
        print_line(out, &lines[i], widths, columns, look);
}
