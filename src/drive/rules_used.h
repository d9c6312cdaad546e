/* rules.h - which rules for foreign functions (foreign/sync_rules.h) an execution depends on. */
#ifndef RD_DRIVE_RULES_USED_H
#define RD_DRIVE_RULES_USED_H

#include "channel/channel.h"

/*
 * The channel's rules without those for libraries that the program has not loaded. Valid until the process ends;
 * equal texts are one.
 */
const char *rd_rules_used(struct rd_channel *c);

#endif
