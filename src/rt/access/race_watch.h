/*
 * race_watch.h - checks silent accesses for races while an execution runs (trace/sharing.h): only in a search whose
 * points are synchronisation, atomics and accesses that race. Everything is in the memory of the execution.
 */
#ifndef RD_RT_ACCESS_RACE_WATCH_H
#define RD_RT_ACCESS_RACE_WATCH_H

#include "detect/race_access.h"

/* An execution begins whose silent accesses are checked: sets rd_rt.races. */
void rd_race_watch_begin(void);
/* A silent access to a granule (RD_SHARING_CHECKED), or the use of an object in it. If it races the granule becomes
 * a point from the next version on. pre: rd_rt.races, and the caller is inside the runtime */
void rd_race_watch_access(uint64_t granule, const struct rd_race_access *access);
/* The steps since the last call are complete: adds them, and checks the atomic accesses among them. */
void rd_race_watch_steps(void);

#endif
