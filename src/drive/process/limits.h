/* limits.h - checks the resource limits (ulimit) that make it impossible to test a program. */
#ifndef RD_DRIVE_PROCESS_LIMITS_H
#define RD_DRIVE_PROCESS_LIMITS_H

#include "base/error.h"

/* Returns 0, or -1 with a message: which limit is too low or too high, and what to set it to. */
int rd_limits_check(struct rd_error *error);

#endif
