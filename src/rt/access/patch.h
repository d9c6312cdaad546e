/* patch.h - code that is not asked, and the quick look at what a plan tracks. See explore/sites.h. */
#ifndef RD_RT_ACCESS_PATCH_H
#define RD_RT_ACCESS_PATCH_H

#include "rt/rt.h"

/*
 * Switches places in the code off and on, as the profile and the plan in the channel say. Nobody else may run the
 * program's code meanwhile. What cannot be switched off is marked in the profile. True: something was
 * switched.
 */
bool rd_patch_apply(void);

/* track.c: the plan of this execution is known. */
void rd_track_begin(void);
/* May these bytes be something that the plan tracks? Quick, and sometimes too careful. */
bool rd_track_near(uint64_t addr, uint32_t size);
/* An access from this place in the code touched nothing that is tracked. */
void rd_track_passed(uint64_t pc);
/* An access touched it. True: the place in the code is said to be off, so the thread would not have stopped here.
 */
bool rd_track_touched(uint64_t pc);

#endif
