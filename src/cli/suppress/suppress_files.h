/*
 * suppress_files.h - --suppress FILE: findings that the user knows. They do not end the search, are not reported,
 * and are listed by the line that suppressed them. Each line that names code or a variable of the program becomes
 * ranges of places, by which the search itself leaves findings out. What depends on a stack, a library or a block
 * of the heap is decided after the search (late_suppression.h).
 */
#ifndef RD_CLI_SUPPRESS_SUPPRESS_FILES_H
#define RD_CLI_SUPPRESS_SUPPRESS_FILES_H

#include "drive/session.h"

enum { RD_SUPPRESS_FILES = 16 };

/* What the pattern of a line is compared with. */
enum rd_suppress_scope {
    RD_SUPPRESS_NOTHING, /* the kind is one of ThreadSanitizer's for which Raddle has no findings */
    RD_SUPPRESS_FRAMES,  /* functions, files and modules of all calls */
    RD_SUPPRESS_TOP,     /* the same, of the innermost call of the program or a library */
    RD_SUPPRESS_MODULE,  /* the module of that call */
    RD_SUPPRESS_NAMES,   /* the memory of a race */
};

/* A line of a file: KIND:PATTERN. */
struct rd_suppress_line {
    const char *file;
    unsigned number;
    char *text, *pattern;
    uint32_t kinds; /* of findings, as in struct rd_suppressed */
    enum rd_suppress_scope scope;
    bool variables; /* the pattern can also be the name of the memory of a race */
    uint32_t late;  /* number of findings that it suppressed after the search */
};

struct rd_suppress_files {
    const char *files[RD_SUPPRESS_FILES];
    uint32_t count;
    struct rd_suppress_line *lines;
    uint32_t line_count;
    struct rd_suppressed *ranges; /* the session's: first those of the lines, then keys */
    uint32_t range_count;
};

/* Adds a file of --suppress. False after a message. */
bool rd_suppress_files_add(struct rd_suppress_files *s, const char *file);
/* Reads the files and looks the names up in the program, for the session. False after a message. */
bool rd_suppress_files_find(struct rd_suppress_files *s, struct rd_session *session);
/* The next search of the session knows the finding by its key. False: there is no room for more keys. */
bool rd_suppress_files_add_key(struct rd_suppress_files *s, struct rd_session *session, const struct rd_finding *f);

#endif
