/* rule_files.h - the rule files of a run (docs/rules.md): the files of --rules, then the installed ones. */
#ifndef RD_CLI_RUN_RULE_FILES_H
#define RD_CLI_RUN_RULE_FILES_H

#include "drive/session.h"

enum { RD_RULE_FILES = 32 };

struct rd_rule_files {
    const char *files[RD_RULE_FILES]; /* of --rules, in the order of the command line */
    uint32_t count;
};

/* Adds a file of --rules. False after a message. */
bool rd_rule_files_add(struct rd_rule_files *r, const char *file);
/* Reads and checks these files and the installed ones, for the session. False after a message. */
bool rd_rule_files_read(const struct rd_rule_files *r, struct rd_session *session);

#endif
