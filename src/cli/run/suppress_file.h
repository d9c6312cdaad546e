/* suppress.h - raddle run --suppress: findings that are known and not to be reported, by where they are. */
#ifndef RD_CLI_RUN_SUPPRESS_FILE_H
#define RD_CLI_RUN_SUPPRESS_FILE_H

#include "drive/session.h"

enum { RD_SUPPRESS_FILES = 16 };

struct rd_suppress {
    const char *files[RD_SUPPRESS_FILES];
    uint32_t count;
};

bool rd_suppress_add(struct rd_suppress *s, const char *file);
/* Reads the files and finds what they name in the program. False: what is wrong has been said. */
bool rd_suppress_find(const struct rd_suppress *s, struct rd_session *session);

#endif
