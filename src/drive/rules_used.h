/* rules_used.h - which rules for functions without hooks (foreign/sync_rules.h) an execution depends on. */
#ifndef RD_DRIVE_RULES_USED_H
#define RD_DRIVE_RULES_USED_H

#include "result/run_result.h"

/*
 * The rules of a result without those for libraries that the program has not loaded. Valid until the driver ends;
 * equal texts are one.
 */
const char *rd_rules_used(const struct rd_run_result *r);

#endif
