/*
 * github_log.h - what the log and the summary of a job of GitHub Actions consist of: annotations, Markdown, and the
 * part of the log in which GitHub obeys no commands. No text that is given to these functions can be a command, a
 * link, markup or the name of a user.
 */
#ifndef RD_REPORT_CI_GITHUB_LOG_H
#define RD_REPORT_CI_GITHUB_LOG_H

#include "base/base.h"

#include <stdio.h>

/* Writes text of a workflow command; `property`: of a property, which a comma or colon would end. */
void rd_github_put(FILE *out, const char *text, bool property);
/* Begins an annotation, which is an "error", "warning" or "notice": its title is `title` and then `of`. */
void rd_github_begin(FILE *out, const char *command, const char *title, const char *of);

/*
 * Writes a text in one line, in which no character means anything to Markdown or HTML. What looks like an address
 * of the web or of mail does not become a link: the comment separates the name from the '@'.
 */
void rd_github_markdown(FILE *out, const char *text);
/* Texts of the program are code: in all other text GitHub looks for @names and :emoji: after Markdown is done. */
void rd_github_code(FILE *out, const char *text);
/* A place, as a link to the line of source if it is inside of the repository and GitHub says where that is. */
void rd_github_link(FILE *out, const char *path, int line, bool inside);

/* Appends to the summary, the file that GitHub has named. Returns NULL, or why it could not. */
const char *rd_github_append(const char *path, const char *text, size_t size);
/* The bytes that the summary may still grow by. */
size_t rd_github_room(const char *path);
/* Annotates that there is no summary. */
void rd_github_no_summary(FILE *out, const char *of, const char *why);

/* From the first call to the second one GitHub obeys no line of the log. The second may be called without the
 * first. */
void rd_github_obey_nothing(FILE *out);
void rd_github_obey(FILE *out);

#endif
