/* shell_words.h - a command as a line to type. */
#ifndef RD_REPORT_CI_SHELL_WORDS_H
#define RD_REPORT_CI_SHELL_WORDS_H

#include <stdio.h>

/* Writes the words, up to the NULL, with quotes where a shell needs them. */
void rd_shell_words(FILE *out, const char *const *words);
/* The same as a string, which the caller frees. */
char *rd_shell_words_text(const char *const *words);

#endif
