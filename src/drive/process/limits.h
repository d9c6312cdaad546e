/* limits.h - limits of the system (ulimit) with which no program can be tested. */
#ifndef RD_DRIVE_PROCESS_LIMITS_H
#define RD_DRIVE_PROCESS_LIMITS_H

#include "base/error.h"

/* Says in one line which limit is in the way, and what to set it to. Returns 0, or -1 with that line. */
int rd_limits_check(struct rd_error *error);

#endif
