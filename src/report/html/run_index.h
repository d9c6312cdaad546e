/* run_index.h - the index of a run, and what it shares with the pages of its findings (html.c). */
#ifndef RD_REPORT_HTML_RUN_INDEX_H
#define RD_REPORT_HTML_RUN_INDEX_H

#include "report/report.h"
#include "report/run_report.h"

#include <stdio.h>

/* The beginning of a page, its first line, and its end with the script. */
void rd_html_begin(FILE *out, const char *title);
void rd_html_top(FILE *out, const char *program);
void rd_html_end(FILE *out);
/* The file name of the page of a finding: that of its schedule file, with another end. */
void rd_html_page_name(const struct rd_report *r, char *to, size_t room);
/*
 * The address of a file beside the page, or in a folder beside it, whose name consists of letters, digits and
 * "._-". NULL: beside the page.
 */
void rd_html_address(FILE *out, const char *folder, const char *name);
/* The index itself: rd_format.run. */
void rd_html_run_index(FILE *out, const struct rd_run *run, const struct rd_report *findings, uint32_t count,
                       const struct rd_look *look);
/* A command to copy. */
void rd_html_command(FILE *out, const char *what, const char *command);

#endif
