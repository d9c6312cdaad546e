/*
 * report_text.h - the parts of the text format: reports for people, on a terminal or in a log.
 *
 * rd_print_report prints one finding: its kind and position, which thread waits for which, why the execution fails,
 * the execution in columns, the stack of each thread, and the command that replays it. rd_print_summary prints the
 * end of a run.
 */
#ifndef RD_REPORT_TEXT_REPORT_TEXT_H
#define RD_REPORT_TEXT_REPORT_TEXT_H

#include "report/report.h"
#include "report/run_report.h"
#include "report/variable_usage.h"

void rd_print_report(FILE *out, const struct rd_report *r, const struct rd_look *look);

/* The last paragraphs of a run: counts, warnings, and what is proved. */
void rd_print_summary(FILE *out, const struct rd_run *run, const struct rd_look *look);

/* The list of --outcomes. */
void rd_print_outcomes(FILE *out, const struct rd_run *run, const struct rd_look *look);
/* The table of `raddle list variables`: shared variables without protection come first. */
void rd_print_variables(FILE *out, const struct rd_variable_usage *u, const struct rd_look *look);

/* ---- parts of the report, in the order in which they come ---- */

/* The finding and its position; of a deadlock the threads that wait. */
void rd_print_finding(FILE *out, const struct rd_report *r, const struct rd_look *look);
/* The two accesses of a data race. False: they are not known, and nothing is printed. */
bool rd_print_race(FILE *out, const struct rd_report *r, const struct rd_look *look);
/* The threads of a predicted deadlock and the locks they take. False: they are not known. */
bool rd_print_lock_cycle(FILE *out, const struct rd_report *r, const struct rd_look *look);
/* The operations of each thread in one round of a livelock, if its rounds are equal. */
void rd_print_livelock_round(FILE *out, const struct rd_report *r, const struct rd_look *look);
/* The other findings of the search that are the same bug, a line each. */
void rd_print_also(FILE *out, const struct rd_report *r, const struct rd_look *look);
/* The table at the end of a run with several findings; nothing for fewer than two. */
void rd_print_findings(FILE *out, const struct rd_report *findings, uint32_t count, const struct rd_look *look);
/* What the user has suppressed, line by line. */
void rd_print_suppressions(FILE *out, const struct rd_run *run);
/* The block of the heap that the finding is about, if there is one. */
void rd_print_block(FILE *out, const struct rd_report *r, const struct rd_look *look);
/* The blocks of the heap that the finding is about, each with where it comes from. */
void rd_print_blocks(FILE *out, const struct rd_report *r, const struct rd_look *look);
/* Why the execution fails: the deciding order of operations and the deciding step, if they are known. */
void rd_print_why(FILE *out, const struct rd_report *r, const struct rd_look *look);
/* Each blocked thread with what it waits for, and the cycle or chain of them. */
void rd_print_deadlock(FILE *out, const struct rd_report *r, const struct rd_look *look);
/* The state and the stack of each thread at the end. */
void rd_print_threads(FILE *out, const struct rd_report *r, const struct rd_look *look);
/* The steps of the execution: a line for each step, a column for each thread. */
void rd_print_columns(FILE *out, const struct rd_report *r, const struct rd_look *look);

/* The last lines of the program's output. */
void rd_print_output(FILE *out, const struct rd_report *r, const struct rd_look *look);

/* ---- wrap.c ---- */

/*
 * A stream that makes what is written to it safe for a terminal, and wraps it, for `out`. All text for people that
 * is not only our own goes through one. `look` NULL: nothing is wrapped.
 */
FILE *rd_wrap_open(FILE *out, const struct rd_look *look);
/* Closes such a stream; what it was opened for stays open. */
void rd_wrap_close(FILE *wrapped);
/* Prints one text through such a stream. */
void rd_print_safe(FILE *out, const char *text, size_t size);

/* ---- terminal.c ---- */

/* RD_UNPAINTED ends any other paint. */
enum rd_paint { RD_UNPAINTED, RD_BOLD, RD_DIM, RD_RED, RD_GREEN, RD_YELLOW };
/*
 * The mark of a paint, or of the colour of a thread, for a stream of wrap.c, which makes it an escape sequence; ""
 * if `look` has no colour.
 */
const char *rd_paint(const struct rd_look *look, enum rd_paint p);
const char *rd_paint_thread(const struct rd_look *look, rd_tid tid);
/* If the text begins with such a mark, writes the escape sequence. Returns the length of the mark; 0: there is
 * none. */
size_t rd_paint_mark(const char *text, size_t size, FILE *to);
/* The columns that a UTF-8 text takes on the screen, and the number of its bytes that fit into `columns`. */
unsigned rd_paint_width(const char *text);
size_t rd_paint_fit(const char *text, unsigned columns);
/* Prints the text, cut to `columns` with a mark at the cut. Returns the columns that it used. */
unsigned rd_paint_cut(FILE *out, const char *text, unsigned columns, const struct rd_look *look);

#endif
