/*
 * lines.h - reading a text file of lines of words, strictly: the first thing that is wrong is remembered with its
 * line, and every later call is a no-op that returns nothing, so callers need not look after each call.
 */
#ifndef RD_FILE_LINES_H
#define RD_FILE_LINES_H

#include "base/error.h"

enum { RD_WORD_MAX = 64 };

struct rd_lines {
    const char *path;
    char *bytes; /* the whole file, and a NUL */
    size_t size;
    const char *at, *eol; /* the rest of the current line */
    uint32_t line;        /* its number, from 1 */
    bool failed;
    struct rd_error *error;
    char word[RD_WORD_MAX + 1];
};

/* Reads the whole file. False: the error is there, and nothing to free. */
bool rd_lines_load(struct rd_lines *r, const char *path, struct rd_error *error);
void rd_lines_free(struct rd_lines *r);

/* Remembers what is wrong, if it is the first thing: about this line, or about the whole file when it is 0. */
__attribute__((format(printf, 3, 4))) void rd_lines_fail(struct rd_lines *r, uint32_t line, const char *format,
                                                         ...);

/* Makes the next line current. False at the end of the file. pre: the file ends with a newline */
bool rd_lines_next(struct rd_lines *r);
/* Does the current line begin with this word? Then goes past it. */
bool rd_lines_is(struct rd_lines *r, const char *name);
/* The next word must be this one. */
void rd_lines_expect(struct rd_lines *r, const char *name);
/* The next line must begin with this word. */
void rd_lines_expect_line(struct rd_lines *r, const char *name);
void rd_lines_end(struct rd_lines *r);

/* The next word, valid until the one after it; "" at the end of the line. */
const char *rd_lines_word(struct rd_lines *r);
uint64_t rd_lines_number(struct rd_lines *r, const char *what, uint64_t max);
int32_t rd_lines_integer(struct rd_lines *r, const char *what);
/* A number out of a word that was already taken; base 10 or 16 (lower case, no prefix). */
uint64_t rd_lines_parse(struct rd_lines *r, const char *text, const char *what, int base, uint64_t max);
/* The next quoted string: allocated, or into a field of fixed size. */
char *rd_lines_quoted(struct rd_lines *r);
void rd_lines_quoted_into(struct rd_lines *r, char *to, size_t room);

#endif
