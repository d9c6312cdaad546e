/*
 * text.h - reports for people, on a terminal or in a log.
 *
 * rd_print_report is one finding: what happened and where, who waits for whom, where every thread was, the
 * execution in columns, and how to replay it. rd_print_summary is the end of a run.
 */
#ifndef RD_REPORT_TEXT_REPORT_TEXT_H
#define RD_REPORT_TEXT_REPORT_TEXT_H

#include "report/report.h"
#include "report/run_report.h"
#include "report/variable_usage.h"

void rd_print_report(FILE *out, const struct rd_report *r, const struct rd_look *look);

void rd_print_summary(FILE *out, const struct rd_run *run, const struct rd_look *look);

void rd_print_outcomes(FILE *out, const struct rd_run *run, const struct rd_look *look);
/* The variables of a profile, those that are shared and unprotected first. */
void rd_print_variables(FILE *out, const struct rd_variable_usage *u, const struct rd_look *look);

/* ---- parts of the report, in the order in which they come ---- */

void rd_print_finding(FILE *out, const struct rd_report *r, const struct rd_look *look);
/* The two accesses of a data race; false: they are not known. */
bool rd_print_race(FILE *out, const struct rd_report *r, const struct rd_look *look);
/* The threads of a predicted deadlock; false: they are not known. */
bool rd_print_circle(FILE *out, const struct rd_report *r, const struct rd_look *look);
/* What each thread of a livelock does in a round; nothing when it does not go round. */
void rd_print_round(FILE *out, const struct rd_report *r, const struct rd_look *look);
/* The block of the heap that it is about, if any. */
void rd_print_block(FILE *out, const struct rd_report *r, const struct rd_look *look);
/* Which order of operations makes it fail, and what decides it, as far as that is known. */
void rd_print_why(FILE *out, const struct rd_report *r, const struct rd_look *look);
void rd_print_deadlock(FILE *out, const struct rd_report *r, const struct rd_look *look);
void rd_print_threads(FILE *out, const struct rd_report *r, const struct rd_look *look);
void rd_print_columns(FILE *out, const struct rd_report *r, const struct rd_look *look);

/* ---- terminal.c ---- */

enum rd_paint { RD_UNHOOKED, RD_BOLD, RD_DIM, RD_RED, RD_GREEN, RD_YELLOW };
/* Escape sequences, "" without colour. A thread has its own colour. */
const char *rd_paint(const struct rd_look *look, enum rd_paint p);
const char *rd_paint_thread(const struct rd_look *look, rd_tid tid);
/* Columns that a text takes on the screen (UTF-8), and as many of its bytes as fit into `columns`. */
unsigned rd_paint_width(const char *text);
size_t rd_paint_fit(const char *text, unsigned columns);
/* Prints the text cut to so many columns, with a mark where it was cut; returns the columns used. */
unsigned rd_paint_cut(FILE *out, const char *text, unsigned columns, const struct rd_look *look);

#endif
