/* html.h - one execution as a page of its own: no other files, no network, no script. */
#ifndef RD_REPORT_HTML_H
#define RD_REPORT_HTML_H

#include "base/error.h"
#include "report/report.h"

/* Writes the page. Returns 0, or -1 with a message in `error`. */
int rd_html_write(const struct rd_report *r, const char *path, struct rd_error *error);

#endif
