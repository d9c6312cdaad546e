/* rff.h - who read what from whom in an execution. */
#ifndef RD_SEARCH_RFF_H
#define RD_SEARCH_RFF_H

#include "base/arena.h"
#include "pick/rff.h"

/*
 * For every read, in their order: its event and that of the last write to the same object, 0 when there was none.
 * Returns how many, no more than `room`. Uses the arena, and gives it back.
 */
uint32_t rd_rff_pairs(struct rd_arena *a, const struct rd_record *r, struct rd_rff_wish *to, uint32_t room);

#endif
