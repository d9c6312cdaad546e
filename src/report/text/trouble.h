/*
 * trouble.h - messages about a program that Raddle cannot test, because it does not follow its schedule or because
 * it takes an action that Raddle does not control. They go to standard error as text, whatever output format was
 * chosen.
 */
#ifndef RD_REPORT_TEXT_TROUBLE_H
#define RD_REPORT_TEXT_TROUBLE_H

#include "report/report.h"

/*
 * Prints why an execution did not follow its plan. `replay`: the plan was a recorded schedule. Otherwise it was an
 * execution of the same command, so the program is not deterministic. Of r->schedule only modules and threads are
 * used.
 */
void rd_print_divergence(FILE *out, const struct rd_report *r, const struct rd_divergence *d, bool replay,
                         const struct rd_look *look);
/*
 * Prints that Raddle cannot test the program, with the reason; an empty `message` is the general one. `pc`: an
 * instruction of the unseen code to name; 0: there is none.
 */
void rd_print_refused(FILE *out, const char *program, const char *message, struct rd_symbols *symbols, rd_place pc,
                      const struct rd_look *look);

#endif
