/*
 * trouble.h - messages about a program that Raddle cannot test: it does not follow its schedule, or it does what
 * Raddle does not control. They go to standard error as text, whatever output format was chosen.
 */
#ifndef RD_REPORT_TEXT_TROUBLE_H
#define RD_REPORT_TEXT_TROUBLE_H

#include "report/report.h"

/*
 * Why an execution did not follow its plan. `replay`: the plan was a recorded schedule; otherwise it was an
 * execution of this very run, and the program is not deterministic. The report's schedule gives modules and
 * threads; its steps may be missing.
 */
void rd_print_divergence(FILE *out, const struct rd_report *r, const struct rd_divergence *d, bool replay,
                         const struct rd_look *look);
/* The program did what Raddle cannot control. `pc`: in the code that is not seen; 0: none is to be named. */
void rd_print_refused(FILE *out, const char *program, const char *message, struct rd_symbols *symbols, rd_place pc,
                      const struct rd_look *look);

#endif
