/* rff.h - the reads-from pairs of an execution: which write each read saw. */
#ifndef RD_SEARCH_SAMPLER_RFF_H
#define RD_SEARCH_SAMPLER_RFF_H

#include "base/arena.h"
#include "pick/rff.h"

/*
 * Writes, for each read in order, its event and the event of the last write to the same object (0: none before).
 * Returns their number, at most `room`. Leaves the arena as it was.
 */
uint32_t rd_rff_pairs(struct rd_arena *a, const struct rd_record *r, struct rd_rff_constraint *to, uint32_t room);

#endif
