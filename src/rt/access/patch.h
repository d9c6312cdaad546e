/* patch.h - selective executions (explore/sites.h): calls of the compiler's hooks that are switched off in the
 * program's code (patch.c), and the quick test whether an access touches a tracked variable (tracked_access.c). */
#ifndef RD_RT_ACCESS_PATCH_H
#define RD_RT_ACCESS_PATCH_H

#include "rt/rt.h"

/*
 * Switches the calls of hooks off and on, as the profile and the plan in the channel say. Marks a call that cannot
 * be switched off as `fixed` in the profile. Returns whether it has changed the code, or read the modules' tables.
 * pre: no other thread runs the program's code meanwhile.
 */
bool rd_patch_apply(void);

/* tracked_access.c: an execution begins; its plan says which variables are tracked. */
void rd_track_begin(void);
/* Returns false only if the bytes touch no tracked variable. */
bool rd_track_near(uint64_t addr, uint32_t size);
/* The access at this pc has touched no tracked variable. */
void rd_track_passed(uint64_t pc);
/* The access at this pc has touched a tracked variable. Returns whether the profile says that its hook is off, so
 * that the thread would not have stopped there. */
bool rd_track_touched(uint64_t pc);

#endif
