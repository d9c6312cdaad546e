/*
 * html_text.h - text in a page. Every text that the tested program can choose (names of threads, values, its
 * output, its source) goes through these functions. They repair UTF-8, and write as \x1b or \u202e what a reader
 * would not see as itself (base/safe_text.h): control characters, and characters that change the direction of the
 * text around them, which could make source look like other source.
 */
#ifndef RD_REPORT_HTML_HTML_TEXT_H
#define RD_REPORT_HTML_HTML_TEXT_H

#include "base/base.h"

#include <stdio.h>

/* As text or as the value of an attribute in quotes. Newlines and tabs stay. */
void rd_html_text(FILE *out, const char *text);
__attribute__((format(printf, 2, 3))) void rd_html_textf(FILE *out, const char *format, ...);
/*
 * A string of JSON that may stand in a script element: it contains none of < > &. Texts longer than `max` bytes are
 * cut; 0: they are not.
 */
void rd_html_json_string(FILE *out, const char *text, size_t max);
/*
 * Text of a report: "T2" in the colour of its thread, "step 13" as a link to the step. `steps`: the number of steps
 * that links can lead to.
 */
void rd_html_rich_text(FILE *out, const char *text, uint32_t steps);

/* Threads have so many colours in turn: classes t0, t1 … of the style sheet. */
enum { RD_HTML_COLOURS = 8 };

#endif
