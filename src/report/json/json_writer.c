/*
 * json_writer.c - see json_writer.h. The output and the file names of a tested program may hold any bytes, so every
 * string is checked byte by byte: the result is always valid JSON and valid UTF-8.
 */
#include "report/json/json_writer.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

/* Length of the UTF-8 sequence at p; 0: the bytes are not UTF-8. */
static unsigned utf8_length(const unsigned char *p) {
    unsigned n = *p < 0x80                 ? 1
                 : *p >= 0xc2 && *p < 0xe0 ? 2
                 : *p >= 0xe0 && *p < 0xf0 ? 3
                 : *p >= 0xf0 && *p < 0xf5 ? 4
                                           : 0;
    for (unsigned i = 1; i < n; i++)
        if ((p[i] & 0xc0) != 0x80)
            return 0;
    bool too_long = (p[0] == 0xe0 && p[1] < 0xa0) || (p[0] == 0xf0 && p[1] < 0x90);
    bool no_character = (p[0] == 0xed && p[1] >= 0xa0) || (p[0] == 0xf4 && p[1] >= 0x90);
    return n > 1 && (too_long || no_character) ? 0 : n;
}

/* pre: a zero follows the last byte. */
static void quoted_bytes(FILE *out, const char *text, size_t size) {
    const unsigned char *end = (const unsigned char *)text + size;
    fputc('"', out);
    for (const unsigned char *p = (const unsigned char *)text; p < end;) {
        unsigned n = utf8_length(p);
        if (n == 0)
            fputs("\\ufffd", out);
        else if (*p == '"' || *p == '\\')
            fprintf(out, "\\%c", *p);
        else if (*p == '\n')
            fputs("\\n", out);
        else if (*p == '\t')
            fputs("\\t", out);
        else if (*p < 0x20 || *p == 0x7f)
            fprintf(out, "\\u%04x", *p);
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

void rd_json_number(struct rd_json *j, const char *key, uint64_t value) {
    item(j, key);
    fprintf(j->out, "%" PRIu64, value);
}

void rd_json_real(struct rd_json *j, const char *key, double value, int digits) {
    item(j, key);
    fprintf(j->out, "%.*f", digits, isfinite(value) ? value : 0.0); /* JSON has no infinity */
}

void rd_json_bool(struct rd_json *j, const char *key, bool value) {
    item(j, key);
    fputs(value ? "true" : "false", j->out);
}
