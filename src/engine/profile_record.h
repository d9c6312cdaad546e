/* profile_record.h - fills the profile of variables (trace/profile.h) in executions with RD_ACCESSES_PROFILE. */
#ifndef RD_ENGINE_PROFILE_RECORD_H
#define RD_ENGINE_PROFILE_RECORD_H

#include "model/model.h"
#include "trace/profile.h"

struct rd_profiler;

/* Begins the profile of an execution, and counts the execution. */
struct rd_profiler *rd_profiler_open(struct rd_world *w, struct rd_profile *p);
/* Counts an operation of the thread. Called before an access to memory, and after any other operation. */
void rd_profiler_add(struct rd_profiler *p, rd_tid tid, const struct rd_op *op);
/* Returns the entry of a place in the code, a new one if it has none; NULL: there is no room. */
struct rd_site *rd_profiler_site(struct rd_profile *t, rd_place pc);

#endif
