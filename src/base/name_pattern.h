/*
 * name_pattern.h - the patterns of suppressions, as in ThreadSanitizer's files: text that matches anywhere in a
 * name; * stands for any text, ? for one character, ^ at the beginning and $ at the end tie the pattern to the ends
 * of the name. A pattern with a set of characters such as [0-9] also matches a whole name as in the shell.
 */
#ifndef RD_BASE_NAME_PATTERN_H
#define RD_BASE_NAME_PATTERN_H

#include "base/base.h"

/* False if the text is NULL. */
bool rd_name_pattern_matches(const char *pattern, const char *text);

/*
 * Does the pattern match the path of a file? A pattern with a slash is about the path, and about the rest of it
 * after each of its slashes; one without is about the name of the file only. The directory that a project happens
 * to lie in does not make race:main match everything in it. False if the path is NULL.
 */
bool rd_path_pattern_matches(const char *pattern, const char *path);

#endif
