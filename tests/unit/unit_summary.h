/*
 * unit_summary.h - the result of a finished search and its summary as text or JSON, for groups that compare the
 * words of a summary. The set-up function of a group fills in both.
 */
#ifndef RD_TEST_UNIT_SUMMARY_H
#define RD_TEST_UNIT_SUMMARY_H

#include "report/format.h"
#include "report/text/report_text.h"

#include <stdio.h>
#include <stdlib.h>

static struct rd_run_result *c;
static struct rd_run run;
static char printed[16384];

static inline int tear_down(void **state) {
    (void)state;
    free(c->modules);
    free(c);
    return 0;
}

/* The summary. The text is valid until the next call. */
static inline const char *print(bool json) {
    FILE *out = fmemopen(printed, sizeof printed, "w");
    if (json)
        rd_format_find(RD_DOCUMENT_RUN, "json", 4)->run(out, &run, NULL, 0, NULL);
    else
        rd_print_summary(out, &run, &(struct rd_look){.width = 100});
    fclose(out);
    return printed;
}

#endif
