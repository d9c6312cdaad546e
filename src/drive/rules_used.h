/* rules_used.h - selects the rules (foreign/sync_rules.h) that an execution depends on. */
#ifndef RD_DRIVE_RULES_USED_H
#define RD_DRIVE_RULES_USED_H

#include "result/run_result.h"

/*
 * The rules of a result, without the rules for libraries that the program has not loaded. The text is valid until
 * the driver ends; if it equals the result of the last call, the same pointer is returned.
 */
const char *rd_rules_used(const struct rd_run_result *r);

#endif
