/* shell_split.h - divides a text into words as a shell does: blanks, quotes and backslashes, and nothing else. */
#ifndef RD_CLI_DEFAULTS_SHELL_SPLIT_H
#define RD_CLI_DEFAULTS_SHELL_SPLIT_H

/*
 * Returns the words, with NULL at the end, in one block of memory that the caller frees. NULL: the text has a
 * mistake, and *mistake says which. A quote takes its text as it is; within "…" a backslash stands before ", \, $,
 * ` or the end of a line. Neither variables nor wildcards are replaced.
 */
char **rd_shell_split(const char *text, const char **mistake);

#endif
