/* track.h - does an operation touch what a plan tracks? */
#ifndef RD_TRACE_TRACK_H
#define RD_TRACE_TRACK_H

#include "trace/types.h"

/* The first of the pieces that these bytes meet, or NULL. Sizes of 0 are taken as 1: an object is where it begins.
 */
const struct rd_track *rd_track_find(const struct rd_track *track, uint32_t count, rd_place place, uint32_t size);
/* The first that the operation touches: its memory, its object, the mutex of a condition wait. */
const struct rd_track *rd_track_of_op(const struct rd_track *track, uint32_t count, const struct rd_op *op);
/* The same of what happened. */
const struct rd_track *rd_track_of_step(const struct rd_track *track, uint32_t count, const struct rd_step *s);

/* What a plan tracks of a variable. */
struct rd_var;
struct rd_track rd_track_of_var(const struct rd_var *v, uint32_t var);

/* Puts pieces in order; those that overlap become one, of the variable of the first. Returns how many are left. */
uint32_t rd_track_sort(struct rd_track *track, uint32_t count);

#endif
