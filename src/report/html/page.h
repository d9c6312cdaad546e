/* page.h - the parts of the page of one execution; html.c puts them together. */
#ifndef RD_REPORT_HTML_PAGE_H
#define RD_REPORT_HTML_PAGE_H

#include "report/report.h"

/*
 * The execution as data for the script of the page: one JSON object. `rows` is as in row_selection.h: the steps
 * that are shown at first.
 */
void rd_page_data(FILE *out, const struct rd_report *r, const uint8_t *rows);
/* The execution as a table: the steps that are shown at first. For browsers without scripts, and for printing. */
void rd_page_table(FILE *out, const struct rd_report *r, const uint8_t *rows);

/*
 * The last rows of both: the kind of the finding with its thread, or each blocked thread with its operation.
 * Puts them into a new array at *to, which the caller frees, and returns their number.
 */
struct rd_page_end {
    rd_tid tid;
    char text[RD_PHRASE + 16];
    const struct rd_frame *frame; /* NULL: not known */
    char at[RD_LOCATION];
    uint32_t since; /* the step, from 1, at which another thread took what this one waits for; 0: not known */
};
uint32_t rd_page_ends(const struct rd_report *r, struct rd_page_end **to);

/*
 * A page of an execution with more than RD_PAGE_STEPS_MAX steps has only about RD_PAGE_STEPS_KEPT: those that
 * matter most to the finding. It has a row for each place where others are left out.
 */
enum { RD_PAGE_STEPS_MAX = 100000, RD_PAGE_STEPS_KEPT = 50000 };

/* page_assets, generated from page.css and the scripts (cmake/embed.cmake). They end with a zero. */
extern const char rd_page_css[], rd_page_js[];

#endif
