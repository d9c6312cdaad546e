/* rules.h - the rule files of a run: those of --rules, then those that are installed (docs/rules.md). */
#ifndef RD_CLI_RUN_RULE_FILES_H
#define RD_CLI_RUN_RULE_FILES_H

#include "drive/session.h"

enum { RD_RULE_FILES = 32 };

struct rd_rule_files {
    const char *files[RD_RULE_FILES]; /* of --rules */
    uint32_t count;
};

/* --rules FILE. False: an error was printed. */
bool rd_rules_add(struct rd_rule_files *r, const char *file);
/* Reads them all, and those that are installed, for the session. False: an error was printed. */
bool rd_rules_read(const struct rd_rule_files *r, struct rd_session *session);

#endif
