/* call_thunks.h - the table of thunks (call.h): the function that each of them calls, and its rules. */
#ifndef RD_RT_CALL_CALL_THUNKS_H
#define RD_RT_CALL_CALL_THUNKS_H

#include "rt/call/call.h"

/* The thunk for a function of another module, by its address and one of its names; NULL: it needs none, or there
 * are no more. */
void *rd_thunk_for(uint64_t target, const char *name);
/* Returns whether the address is in a thunk. */
bool rd_thunk_is(uint64_t addr);
/* Returns whether the tables that the thunks and rd_call_out() use agree. */
bool rd_thunks_are_right(void);

#endif
