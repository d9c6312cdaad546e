/*
 * json.h - the summary of a run for scripts: one JSON object, with the keys that the command line's contract names.
 * Also the small writer it is made with.
 */
#ifndef RD_REPORT_JSON_H
#define RD_REPORT_JSON_H

#include "report/text/report_text.h"

/* Findings in the order in which they were found. */
void rd_json_summary(FILE *out, const struct rd_run *run, const struct rd_report *findings, uint32_t count);

struct rd_json {
    FILE *out;
    unsigned depth;
    bool any; /* the innermost object or list has something already */
};

/* `key` is NULL in a list. Strings may hold any bytes: what is not UTF-8 becomes U+FFFD. A NULL string is null. */
void rd_json_open(struct rd_json *j, const char *key, char bracket);
void rd_json_close(struct rd_json *j, char bracket);
void rd_json_string(struct rd_json *j, const char *key, const char *value);
void rd_json_number(struct rd_json *j, const char *key, uint64_t value);
void rd_json_real(struct rd_json *j, const char *key, double value, int digits);
void rd_json_bool(struct rd_json *j, const char *key, bool value);

/* why_text.c: the keys about how simple a finding's schedule is and what decides it. */
void rd_json_why(struct rd_json *j, const struct rd_report *r);

#endif
