/*
 * semlock.h - semaphores that an execution uses as locks: they have one unit, and only the thread that has taken it
 * posts it. Detectors read their steps as steps of a mutex.
 */
#ifndef RD_TRACE_SEMLOCK_H
#define RD_TRACE_SEMLOCK_H

#include "base/map.h"
#include "trace/types.h"

struct rd_semlocks {
    struct rd_map use; /* by place: the thread that has the unit, + 1; 0: none; UINT64_MAX: it is no lock */
};

/* pre: `steps` are those of one execution, from its first on. */
void rd_semlocks_init(struct rd_semlocks *l, struct rd_arena *a, const struct rd_step *steps, uint32_t count);
/* Returns the step, or, if it is on a semaphore that is a lock, `copy` with the step of a mutex that it amounts to.
 */
const struct rd_step *rd_semlocks_step(const struct rd_semlocks *l, const struct rd_step *s, struct rd_step *copy);

#endif
