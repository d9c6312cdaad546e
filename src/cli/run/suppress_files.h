/*
 * suppress_files.h - the files of raddle run --suppress: they name code whose findings the user knows, and which
 * are not to be reported.
 */
#ifndef RD_CLI_RUN_SUPPRESS_FILES_H
#define RD_CLI_RUN_SUPPRESS_FILES_H

#include "drive/session.h"

enum { RD_SUPPRESS_FILES = 16 };

struct rd_suppress_files {
    const char *files[RD_SUPPRESS_FILES];
    uint32_t count;
};

/* Adds a file of --suppress. False after a message. */
bool rd_suppress_files_add(struct rd_suppress_files *s, const char *file);
/* Reads the files and looks the names up in the program, for the session. False after a message. */
bool rd_suppress_files_find(const struct rd_suppress_files *s, struct rd_session *session);

#endif
