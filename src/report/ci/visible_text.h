/* visible_text.h - text of a tested program for documents and logs that cannot hold, or would obey, every byte. */
#ifndef RD_REPORT_CI_VISIBLE_TEXT_H
#define RD_REPORT_CI_VISIBLE_TEXT_H

#include "base/base.h"

#include <stdio.h>

/*
 * Writes the character at *text and moves *text behind it. Tabs, line feeds and what can be seen are written as
 * they are, and returned; anything else is written as \x1b (a byte) or \u202e (a character), and 0 is returned.
 */
uint32_t rd_visible_character(FILE *out, const char **text);

#endif
