/* run_index.h - the index of a run, and what it shares with the pages of its findings (html.c). */
#ifndef RD_REPORT_HTML_RUN_INDEX_H
#define RD_REPORT_HTML_RUN_INDEX_H

#include "report/run_report.h"

#include <stdio.h>

/* The beginning of a page, its first line, and its end with the script. */
void rd_html_begin(FILE *out, const char *title);
void rd_html_top(FILE *out, const char *program);
void rd_html_end(FILE *out);
/* A command to copy. */
void rd_html_command(FILE *out, const char *what, const char *command);

#endif
