/*
 * junit_writer.c - see junit.h.
 *
 * XML 1.0 cannot hold most control characters, not even escaped, and a parser rejects a file with a wrong byte. So
 * each text is checked character by character (visible_text.h): reports have names and output of the tested
 * program.
 */
#include "report/ci/junit.h"

#include "report/ci/visible_text.h"

#include <string.h>

/* The value of an attribute, in quotes. */
static void put_attribute(FILE *out, const char *name, const char *text) {
    fprintf(out, " %s=\"", name);
    while (*text) {
        const char *entity = *text == '&'    ? "&amp;"
                             : *text == '<'  ? "&lt;"
                             : *text == '>'  ? "&gt;"
                             : *text == '"'  ? "&quot;"
                             : *text == '\n' ? "&#10;"
                             : *text == '\t' ? "&#9;"
                                             : NULL;
        if (entity)
            fputs(entity, out), text++;
        else
            rd_visible_character(out, &text);
    }
    fputc('"', out);
}

/* Text between tags. A section of CDATA ends before the '>' of "]]>", and another one goes on with it. */
static void put_cdata(FILE *out, const char *text) {
    uint32_t before[2] = {0, 0};
    fputs("<![CDATA[", out);
    while (*text) {
        if (*text == '>' && before[0] == ']' && before[1] == ']')
            fputs("]]><![CDATA[", out);
        before[0] = before[1];
        before[1] = rd_visible_character(out, &text);
    }
    fputs("]]>", out);
}

static void put_seconds(FILE *out, double s) { fprintf(out, " time=\"%.3f\"", s > 0 ? s : 0.0); }

void rd_junit_begin(FILE *out, const struct rd_junit_suite *suite) {
    char when[32] = "";
    struct tm utc;
    if (gmtime_r(&suite->began, &utc))
        strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%S", &utc); /* in UTC, without a zone: so the format wants it */
    fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n  <testsuite", out);
    put_attribute(out, "name", suite->name);
    fprintf(out, " tests=\"%u\" failures=\"%u\" errors=\"%u\" skipped=\"%u\"", suite->tests, suite->failures,
            suite->errors, suite->skipped);
    put_seconds(out, suite->time_s);
    if (when[0])
        put_attribute(out, "timestamp", when);
    fputs(">\n    <properties>\n", out);
    for (uint32_t i = 0; i < suite->property_count; i++) {
        fputs("      <property", out);
        put_attribute(out, "name", suite->properties[i].name);
        put_attribute(out, "value", suite->properties[i].value);
        fputs("/>\n", out);
    }
    fputs("    </properties>\n", out);
}

void rd_junit_case(FILE *out, const struct rd_junit_case *c) {
    static const char *const elements[] = {NULL, "failure", "error", "skipped"};
    const char *element = elements[c->result];
    fputs("    <testcase", out);
    put_attribute(out, "classname", c->classname);
    put_attribute(out, "name", c->name);
    put_seconds(out, c->time_s);
    fputs(">\n", out);
    if (element) {
        fprintf(out, "      <%s", element);
        put_attribute(out, "type", c->type);
        put_attribute(out, "message", c->message);
        fputs(">", out);
        put_cdata(out, c->text ? c->text : "");
        fprintf(out, "</%s>\n", element);
    }
    if (c->output && c->output[0]) {
        fputs("      <system-out>", out);
        put_cdata(out, c->output);
        fputs("</system-out>\n", out);
    }
    fputs("    </testcase>\n", out);
}

void rd_junit_end(FILE *out) { fputs("  </testsuite>\n</testsuites>\n", out); }
