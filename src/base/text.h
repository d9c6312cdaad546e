/*
 * text.h - building short texts in fixed buffers without libc's printf, so that it is safe inside the tested
 * process (in a signal handler, with a corrupted heap). Output that does not fit is cut, never overrun.
 */
#ifndef RD_BASE_TEXT_H
#define RD_BASE_TEXT_H

#include "base/base.h"

struct rd_text {
    char *at;
    size_t room, used; /* `used`: characters without the terminating 0 */
};

void rd_text_init(struct rd_text *t, char *buffer, size_t room);
void rd_text_str(struct rd_text *t, const char *s);
/* Appends the first `length` characters of s. pre: s has that many. */
void rd_text_part(struct rd_text *t, const char *s, size_t length);
void rd_text_char(struct rd_text *t, char c);
void rd_text_dec(struct rd_text *t, int64_t v);
void rd_text_hex(struct rd_text *t, uint64_t v);

/* Copies s into a field of fixed size, cut to fit. */
void rd_text_copy(char *to, size_t room, const char *s);

#endif
