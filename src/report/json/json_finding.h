/* json_finding.h - one finding in the JSON summary of a run. */
#ifndef RD_REPORT_JSON_JSON_FINDING_H
#define RD_REPORT_JSON_JSON_FINDING_H

#include "report/json/json_writer.h"
#include "report/report.h"

/* Writes the finding as an element of the innermost list. */
void rd_json_finding(struct rd_json *j, const struct rd_report *r);
/* Writes the keys about how simple the finding's schedule is and which steps decide it. */
void rd_json_why(struct rd_json *j, const struct rd_report *r);

#endif
