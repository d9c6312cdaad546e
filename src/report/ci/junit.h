/*
 * junit.h - writes results of tests as JUnit XML, the format that CI systems read: one file with one suite and its
 * test cases. Only elements and attributes that every reader knows are written (docs/formats.md names them).
 *
 * Texts may hold any bytes: what XML cannot hold is written as \x1b or \ufffe.
 */
#ifndef RD_REPORT_CI_JUNIT_H
#define RD_REPORT_CI_JUNIT_H

#include "base/base.h"

#include <stdio.h>
#include <time.h>

struct rd_junit_property {
    const char *name, *value;
};

/* The suite as a whole. The numbers come before the cases in the file, so the caller counts the cases first. */
struct rd_junit_suite {
    const char *name;
    uint32_t tests, failures, errors, skipped;
    double time_s;
    time_t began;
    const struct rd_junit_property *properties;
    uint32_t property_count;
};

enum rd_junit_result { RD_JUNIT_PASSED, RD_JUNIT_FAILED, RD_JUNIT_ERROR, RD_JUNIT_SKIPPED };

struct rd_junit_case {
    const char *classname, *name;
    double time_s;
    enum rd_junit_result result;
    /* Of a case that has not passed: the kind of the bug or trouble, one line, and the whole report. */
    const char *type, *message, *text;
    const char *output; /* further text for the reader of any case; NULL or "": none */
};

/* Call them in this order: begin, case for each test, end. Errors of writing are left to the caller's ferror(). */
void rd_junit_begin(FILE *out, const struct rd_junit_suite *suite);
void rd_junit_case(FILE *out, const struct rd_junit_case *c);
void rd_junit_end(FILE *out);

#endif
