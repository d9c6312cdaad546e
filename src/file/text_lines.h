/*
 * text_lines.h - a strict reader of text files that are lines of words. It remembers the first error with its line
 * number. After an error every call is a no-op and returns 0, false, NULL or "", so a caller tests `failed` once,
 * at the end.
 */
#ifndef RD_FILE_TEXT_LINES_H
#define RD_FILE_TEXT_LINES_H

#include "base/error.h"

enum { RD_WORD_MAX = 64 };

struct rd_lines {
    const char *path;
    char *bytes; /* the contents of the file, and a NUL */
    size_t size;
    const char *at, *eol; /* the rest of the current line */
    uint32_t line;        /* its number, from 1; 0: no line was read yet */
    bool failed;
    struct rd_error *error;     /* gets the message of the first error */
    char word[RD_WORD_MAX + 1]; /* the last word */
};

/* Reads the whole file into memory. False: a message is in `error`, and rd_lines_free need not be called. */
bool rd_lines_load(struct rd_lines *r, const char *path, struct rd_error *error);
void rd_lines_free(struct rd_lines *r);

/* Reports an error in this line, or in the whole file if line is 0. Only the first error is kept. */
__attribute__((format(printf, 3, 4))) void rd_lines_fail(struct rd_lines *r, uint32_t line, const char *format,
                                                         ...);

/* Makes the next line the current one. False at the end of the file, and after an error. */
bool rd_lines_next(struct rd_lines *r);
/* True if this word comes next in the current line; then it is taken. */
bool rd_lines_is(struct rd_lines *r, const char *name);
/* Takes the next word of the current line; an error if it is another one. */
void rd_lines_expect(struct rd_lines *r, const char *name);
/* Makes the next line the current one and takes its first word; an error if it is another one. */
void rd_lines_expect_line(struct rd_lines *r, const char *name);
/* An error if the current line has more words. */
void rd_lines_end(struct rd_lines *r);

/* Takes the next word, which is valid until the next call; "" at the end of the line. */
const char *rd_lines_word(struct rd_lines *r);
/* Takes a decimal number of at most `max`; `what` is its name in messages. */
uint64_t rd_lines_number(struct rd_lines *r, const char *what, uint64_t max);
/* Takes a decimal number with an optional minus sign. */
int32_t rd_lines_integer(struct rd_lines *r, const char *what);
/* The number in a word that was taken before; base 10 or 16 (lower case, no prefix). */
uint64_t rd_lines_parse(struct rd_lines *r, const char *text, const char *what, int base, uint64_t max);
/* Takes a quoted string: allocated with malloc, or into a field of fixed size. */
char *rd_lines_quoted(struct rd_lines *r);
void rd_lines_quoted_into(struct rd_lines *r, char *to, size_t room);

#endif
