/*
 * semlock.h - semaphores that an execution uses as locks: one unit, and only who has taken it gives it back. Their
 * steps can be read as those of a mutex.
 */
#ifndef RD_TRACE_SEMLOCK_H
#define RD_TRACE_SEMLOCK_H

#include "base/map.h"
#include "trace/types.h"

struct rd_semlocks {
    struct rd_map use; /* by place: who has it, + 1; 0: nobody; UINT64_MAX: it is no lock */
};

/* pre: `steps` are those of one execution, from its first on. */
void rd_semlocks_init(struct rd_semlocks *l, struct rd_arena *a, const struct rd_step *steps, uint32_t count);
/* The step, or what it is as one of a mutex, in `copy`. */
const struct rd_step *rd_semlocks_step(const struct rd_semlocks *l, const struct rd_step *s, struct rd_step *copy);

#endif
