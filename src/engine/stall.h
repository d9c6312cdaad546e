/*
 * stall.h - whether an execution makes progress. There is no number of steps after which an execution counts as
 * endless, because a computation may be of any length. The criterion is whether threads make steps that differ from
 * the steps that they have just made.
 *
 * From some thousand steps on, steps are compared in windows. A step is *new* if its signature was neither in the
 * window before nor earlier in its own window. The signature covers thread, operation, place in the code, object
 * and result; for a write also the local state (spin.h), where it is known. If a window has no new step, the next
 * two are examined *closely*: the local state then covers the contents of the memory that is accessed, so that a
 * count in memory is progress. If there is still no new step the execution is *stalled*: its threads may wait for a
 * thread that the picker does not choose. Then the fair tail gives each thread its turn, until there are new steps
 * again and the picker continues. Meanwhile livelock_cycle.h finds out whether the execution would repeat a cycle
 * for ever.
 *
 * Two kinds of steps count as progress only for some windows (`maybe_new`): a read with a new local state, which a
 * loop that counts its iterations while it waits makes for ever; and calls and input, whose effects are not known.
 *
 * All this follows from the steps alone, so an execution that is run again is stalled at the same step.
 */
#ifndef RD_ENGINE_STALL_H
#define RD_ENGINE_STALL_H

#include "trace/types.h"

struct rd_engine;
struct rd_result;

/* An execution is stalled after this many steps at the earliest; earlier if --max-steps is small. */
enum { RD_STALLED_AFTER = 20000 };

struct rd_stall {
    uint64_t *now, *before;   /* signatures of this window and of the last one, a bit each; NULL before the first */
    uint32_t start;           /* the first step that is compared */
    uint32_t due, window;     /* the step at which this window ends, without unasked steps; length of a window */
    uint32_t new_steps;       /* steps of this window that are new */
    uint32_t maybe_new;       /* steps of this window that count as progress only for some windows */
    uint32_t maybe_windows;   /* windows in a row with maybe_new steps, but without new ones */
    uint32_t trusted_windows; /* windows that are still not examined, after a close look that showed progress */
    uint32_t stalled_at;      /* the step at which the execution was found to be stalled */
    uint8_t phase;            /* enum phase, in stall.c */
    bool content;             /* the local state covers the contents of memory */
    bool unknown;             /* the last window has a step whose effects are not all known */
    bool unknown_now;         /* this window has one */
};

/* Begins the first window. pre: the engine's limits are set */
void rd_stall_begin(struct rd_engine *e);
/* The step that was chosen last was performed. */
void rd_stall_note(struct rd_engine *e, const struct rd_op *op, bool signalled, const struct rd_result *r);
/* The window has ended: decides whether the execution is stalled, and begins the next window. */
void rd_stall_end_window(struct rd_engine *e);
/* Returns whether the execution is stalled. */
bool rd_stall_is_seen(const struct rd_stall *p);
/* Returns whether it is stalled and the effects of all recent steps are known, so that it would go on so for ever.
 */
static inline bool rd_stall_is_certain(const struct rd_stall *p) {
    return rd_stall_is_seen(p) && !p->unknown && !p->unknown_now;
}

#endif
