/*
 * late_suppression.h - suppression of a finding that was confirmed, by what only its stacks and its source tell:
 * calls further out, libraries, blocks of the heap, and comments in the source.
 */
#ifndef RD_CLI_SUPPRESS_LATE_SUPPRESSION_H
#define RD_CLI_SUPPRESS_LATE_SUPPRESSION_H

#include "cli/suppress/suppress_files.h"
#include "report/report.h"
#include "report/run_report.h"

/* A comment in the source that has suppressed findings. */
struct rd_suppress_comment {
    char where[576], text[256]; /* "list.c:12"; "raddle:ignore(data-race) - a counter" */
    uint32_t findings;
};
enum { RD_SUPPRESS_COMMENTS = 64 };
/* The most suppressed findings that are listed one by one. */
enum { RD_SUPPRESSED_SHOWN = 256 };

/* What was suppressed after the searches of a command. */
struct rd_late_suppression {
    struct rd_suppress_files *files;
    const char *program; /* its path: a source file that is newer does not count */
    struct rd_suppress_comment comments[RD_SUPPRESS_COMMENTS];
    uint32_t comment_count;
    uint32_t total;
    struct rd_suppression_shown shown[RD_SUPPRESS_LINES + RD_SUPPRESS_COMMENTS];
    struct rd_suppressed_shown matches[RD_SUPPRESSED_SHOWN];
    uint32_t match_count;
};

/* True if a line or a comment suppresses the finding of the report; it is counted there. */
bool rd_late_suppression_takes(struct rd_late_suppression *s, const struct rd_report *r);
/* Makes the list for the report: every line, and every comment that was used. */
void rd_late_suppression_list(struct rd_late_suppression *s, const struct rd_target *target,
                              struct rd_run_result *result, struct rd_run *run);

/* source_comment.c: looks for a comment at the line, or in the line above it, that names findings of this kind. */
bool rd_source_comment(const struct rd_report *r, const char *path, int line, const char *program,
                       struct rd_suppress_comment *to);

#endif
