/* track.h - the memory that a plan tracks: a sorted array of pieces that do not overlap. */
#ifndef RD_TRACE_TRACK_H
#define RD_TRACE_TRACK_H

#include "trace/types.h"

/* Returns the first piece that overlaps these bytes, or NULL. Size 0 counts as 1: an object is its first byte. */
const struct rd_track *rd_track_find(const struct rd_track *track, uint32_t count, rd_place place, uint32_t size);
/* Returns the first piece that the operation touches by its memory, its object, or the mutex of a condition wait.
 */
const struct rd_track *rd_track_of_op(const struct rd_track *track, uint32_t count, const struct rd_op *op);
/* As rd_track_of_op(), for a step. */
const struct rd_track *rd_track_of_step(const struct rd_track *track, uint32_t count, const struct rd_step *s);

/* Returns the piece that tracks a variable of the profile, as number `var` of the plan. */
struct rd_var;
struct rd_track rd_track_of_var(const struct rd_var *v, uint32_t var);

/* Sorts pieces, and joins overlapping ones to one of the first one's variable. Returns the number that is left. */
uint32_t rd_track_sort(struct rd_track *track, uint32_t count);

#endif
