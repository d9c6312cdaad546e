/*
 * stall.h - does an execution get on? There is no number of steps after which it counts as endless: a
 * computation may be as long as it is. What matters is whether threads do anything that they have not done just
 * before.
 *
 * From some thousand steps on, steps are looked at in windows. A step is new when its signature was not in the
 * window before: thread, operation, place in the code, object, result. For writes the local state (spin.h) is part
 * of the signature, where it is known. If a window has nothing new the next ones are looked at more closely, with
 * what is in the memory that is accessed: a count in memory is progress. If there is still nothing new the
 * execution is *stalled*: its threads may be waiting for one that the picker does not choose. Then everybody gets
 * its turn (the fair tail), until something new happens again, and then it is explored as before. Whether it goes
 * round for ever is seen meanwhile (livelock_cycle.h).
 *
 * Two kinds of steps are taken for progress only for a while (`maybe`): reads with a new local state, which a loop
 * that counts its rounds while it waits makes for ever, and calls and input, of which it is not known what they do.
 *
 * All of it follows from the steps alone, so an execution that is run again is stalled at the same step.
 */
#ifndef RD_ENGINE_STALL_H
#define RD_ENGINE_STALL_H

#include "trace/types.h"

struct rd_engine;
struct rd_result;

/* After so many steps, at the earliest, it may be stalled; less where --max-steps is small. */
enum { RD_STALLED_AFTER = 20000 };

struct rd_stall {
    uint64_t *now, *before; /* signatures of this window and of the last one, a bit each; NULL until the first */
    uint32_t from;          /* steps before this one are not looked at */
    uint32_t due, window;   /* when this window ends, in steps that were chosen; how long one is */
    uint32_t fresh, maybe;  /* steps of this window that are new; those that are taken for new for a while */
    uint32_t waited;        /* windows since there was something new, with nothing but the latter */
    uint32_t rest;          /* windows in which nothing is suspected: it has shown that it gets on */
    uint32_t stalled_at;    /* the step */
    uint8_t phase;          /* enum, in progress.c */
    bool content;           /* what is in memory is part of the local state */
    bool unknown;           /* this window, or the last one, has a step of which not all is known */
    bool unknown_now;
};

/* pre: the engine's limits are set */
void rd_stall_begin(struct rd_engine *e);
/* The last step that was chosen was this. */
void rd_stall_note(struct rd_engine *e, const struct rd_op *op, bool signalled, const struct rd_result *r);
/* A window has come to its end. */
void rd_stall_end_window(struct rd_engine *e);
/* Nothing new has happened for long. */
bool rd_stall_is_seen(const struct rd_stall *p);
/* … and all that happened is known: it would go on so for ever. */
static inline bool rd_stall_is_certain(const struct rd_stall *p) {
    return rd_stall_is_seen(p) && !p->unknown && !p->unknown_now;
}

#endif
