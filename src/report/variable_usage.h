/* variable_usage.h - what a profile says of a program's variables: who uses them, how often, what protects them. */
#ifndef RD_REPORT_VARIABLE_USAGE_H
#define RD_REPORT_VARIABLE_USAGE_H

#include "report/report.h"
#include "trace/profile.h"

struct rd_variable_usage {
    const struct rd_profile *profile;
    struct rd_symbols *symbols; /* knows the profile */
    const char *program;
    bool all;          /* private variables too */
    bool instrumented; /* otherwise only objects of synchronisation are seen */
};

/* For people: what is shared and unprotected comes first. */
void rd_variable_usage_text(FILE *out, const struct rd_variable_usage *u, const struct rd_look *look);
/* One row a variable, the most used first: the data of a histogram of accesses. */
void rd_variable_usage_csv(FILE *out, const struct rd_variable_usage *u);
void rd_variable_usage_json(FILE *out, const struct rd_variable_usage *u);

#endif
