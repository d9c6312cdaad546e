/*
 * json_writer.c - see json_writer.h. The output and the file names of a tested program may hold any bytes, so every
 * string is checked byte by byte: the result is always valid JSON and valid UTF-8.
 */
#include "report/json/json_writer.h"

#include "base/safe_text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Writes the escape of a character: for one beyond 16 bits its surrogate pair. */
static void escaped(FILE *out, uint32_t c) {
    if (c > 0xffff)
        fprintf(out, "\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10), 0xdc00 + ((c - 0x10000) & 0x3ff));
    else
        fprintf(out, "\\u%04x", c);
}

static void quoted_bytes(FILE *out, const char *text, size_t size) {
    fputc('"', out);
    for (const char *p = text; p < text + size;) {
        unsigned n = rd_utf8_length(p, (size_t)(text + size - p));
        if (n == 0)
            fputs("\\ufffd", out);
        else if (*p == '"' || *p == '\\')
            fprintf(out, "\\%c", *p);
        else if (*p == '\n')
            fputs("\\n", out);
        else if (*p == '\t')
            fputs("\\t", out);
        else if (rd_char_is_unsafe(rd_utf8_char(p, n)))
            escaped(out, rd_utf8_char(p, n));
        else
            fwrite(p, 1, n, out);
        p += n ? n : 1;
    }
    fputc('"', out);
}

static void quoted(FILE *out, const char *text) { quoted_bytes(out, text, strlen(text)); }

/* Begins an element: the comma after the one before, the line break, the key. */
static void item(struct rd_json *j, const char *key) {
    if (j->any)
        fputc(',', j->out);
    if (j->depth)
        fprintf(j->out, "\n%*s", (int)j->depth * 2, "");
    j->any = true;
    if (key) {
        quoted(j->out, key);
        fputs(": ", j->out);
    }
}

void rd_json_open(struct rd_json *j, const char *key, char bracket) {
    item(j, key);
    fputc(bracket, j->out);
    j->depth++;
    j->any = false;
}

void rd_json_close(struct rd_json *j, char bracket) {
    RD_CHECK(j->depth > 0); /* every bracket that is closed was opened */
    j->depth--;
    if (j->any)
        fprintf(j->out, "\n%*s", (int)j->depth * 2, "");
    fputc(bracket, j->out);
    j->any = true;
    if (j->depth == 0)
        fputc('\n', j->out);
}

void rd_json_string(struct rd_json *j, const char *key, const char *value) {
    item(j, key);
    if (value)
        quoted(j->out, value);
    else
        fputs("null", j->out);
}

void rd_json_bytes(struct rd_json *j, const char *key, const char *value, size_t size) {
    item(j, key);
    if (value)
        quoted_bytes(j->out, value, size);
    else
        fputs("null", j->out);
}

void rd_json_copy(struct rd_json *j, const char *key, const char *document) {
    size_t n = strlen(document);
    while (n && strchr(" \t\r\n", document[n - 1]))
        n--;
    item(j, key);
    fwrite(document, 1, n, j->out);
}

void rd_json_number(struct rd_json *j, const char *key, uint64_t value) {
    item(j, key);
    fprintf(j->out, "%" PRIu64, value);
}

void rd_json_real(struct rd_json *j, const char *key, double value, int digits) {
    item(j, key);
    if (isfinite(value) && fabs(value) >= 1e17) /* with all its digits it would look like an integer of any size */
        fprintf(j->out, "%.17g", value);
    else
        fprintf(j->out, "%.*f", digits, isfinite(value) ? value : 0.0); /* JSON has no infinity */
}

void rd_json_bool(struct rd_json *j, const char *key, bool value) {
    item(j, key);
    fputs(value ? "true" : "false", j->out);
}
