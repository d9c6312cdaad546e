/*
 * json_writer.h - writes JSON: objects and lists, which nest, and the values in them.
 */
#ifndef RD_REPORT_JSON_JSON_WRITER_H
#define RD_REPORT_JSON_JSON_WRITER_H

#include "base/base.h"

#include <stdio.h>

/* Zero, but for `out`, before the first call. */
struct rd_json {
    FILE *out;
    unsigned depth; /* objects and lists that are open */
    bool any;       /* the innermost of them has an element already: a comma comes before the next one */
};

/*
 * `key` is NULL for an element of a list and for the outermost value. `bracket` is '{' or '['; each opened bracket
 * is closed with its counterpart. Strings may hold any bytes: a byte that is not UTF-8 becomes U+FFFD. A NULL
 * string is written as null.
 */
void rd_json_open(struct rd_json *j, const char *key, char bracket);
void rd_json_close(struct rd_json *j, char bracket);
void rd_json_string(struct rd_json *j, const char *key, const char *value);
/* A string of `size` bytes, zeroes among them. pre: another zero follows the last byte. */
void rd_json_bytes(struct rd_json *j, const char *key, const char *value, size_t size);
/* A value that is JSON already, copied as it is but for white space around it. */
void rd_json_copy(struct rd_json *j, const char *key, const char *document);
void rd_json_number(struct rd_json *j, const char *key, uint64_t value);
/* Numbers that readers with 64-bit integers could not take are written with an exponent. */
void rd_json_real(struct rd_json *j, const char *key, double value, int digits);
void rd_json_bool(struct rd_json *j, const char *key, bool value);

#endif
