/* json_steps.h - a recorded execution as data for the commands in gdb (share/raddle/gdb). */
#ifndef RD_REPORT_JSON_JSON_STEPS_H
#define RD_REPORT_JSON_JSON_STEPS_H

#include "report/report.h"

/* Writes the finding, the threads, the paragraph "why" and every step, in the words of the report, as one object.
 */
void rd_json_steps(FILE *out, const struct rd_report *r);

#endif
