/*
 * safe_text.h - text that a program, a schedule file or debug information contains, as a terminal or a page may
 * show it.
 *
 * Such text may hold anything: bytes that are not UTF-8, escape sequences that move the cursor or set the title of
 * a terminal, characters that turn the direction of writing so that text reads otherwise than it is. What is valid
 * and visible stays as it is; everything else is shown as \x1b (a byte) or \u202e (a character).
 */
#ifndef RD_BASE_SAFE_TEXT_H
#define RD_BASE_SAFE_TEXT_H

#include "base/base.h"

/* The length of the UTF-8 sequence at the beginning of `size` bytes; 0: they are not UTF-8. pre: size > 0 */
unsigned rd_utf8_length(const char *s, size_t size);
/* The character of such a sequence. */
uint32_t rd_utf8_char(const char *s, unsigned length);

/*
 * Is this a character that is not shown as itself: a control character (also newline and tab), a line separator,
 * one that turns the direction of writing, or one that takes no room?
 */
bool rd_char_is_unsafe(uint32_t c);

/* How to write a byte that is not UTF-8. */
enum rd_bad_byte { RD_BAD_BYTE_SHOWN /* \xff */, RD_BAD_BYTE_REPLACED /* U+FFFD */ };

/*
 * Writes the first character of `size` bytes as it may be shown, as valid UTF-8 with a zero at its end. Returns the
 * number of bytes of `s` that it stands for. Newline and tab are for the caller to treat before. pre: size > 0
 */
enum { RD_SAFE_CHAR = 12 };
size_t rd_safe_char(const char *s, size_t size, enum rd_bad_byte bad, char to[RD_SAFE_CHAR]);

#endif
