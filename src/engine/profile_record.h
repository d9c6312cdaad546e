/* profile.h - fills the table of variables (trace/profile.h) in executions that are told to. */
#ifndef RD_ENGINE_PROFILE_RECORD_H
#define RD_ENGINE_PROFILE_RECORD_H

#include "model/model.h"
#include "trace/profile.h"

struct rd_profiler;

/* Once an execution: counts it. */
struct rd_profiler *rd_profiler_open(struct rd_world *w, struct rd_profile *p);
/* An operation of this thread, as it happens: an access to memory before it, any other one when it is done. */
void rd_profiler_add(struct rd_profiler *p, rd_tid tid, const struct rd_op *op);
/* The place in the code, new if it was not known; NULL: there is no room. */
struct rd_site *rd_profiler_site(struct rd_profile *t, rd_place pc);

#endif
