/*
 * reversal.h - the other order of a race: what happened after its first event and does not come after that, in the
 * order in which it happened, then the second event.
 *
 * Of every thread that is one piece of what it did, because all that a thread does after an event comes after it.
 * So a sequence is two numbers a thread, and which events can come first in it is read off their clocks: what an
 * event of it comes after, but for the second one, is all in it or before it. Taking an event out that can come
 * first leaves a sequence. The second event is the exception: it comes after the first one of the race, and may
 * come after others only because of that; it is compared with every event that is left.
 */
#ifndef RD_SEARCH_POR_REVERSAL_H
#define RD_SEARCH_POR_REVERSAL_H

#include "search/por/hb_graph.h"

enum { RD_REVERSAL_NONE = INT32_MAX };

struct rd_reversal {
    uint32_t *from, *to; /* by thread: which of its events is the first one left, or NONE; the one after the last */
    uint32_t room;       /* threads */
    struct {
        RD_VEC(rd_tid);
    } threads; /* that have events in it, by the first of these */
    struct {
        RD_VEC(uint32_t);
    } list; /* see rd_reversal_list */
    uint32_t first, second, end;
    uint32_t left;             /* events */
    struct rd_event_sign sign; /* of all that were in it */
};

/* Of the events before `end`. */
void rd_reversal_make(struct rd_reversal *s, struct rd_arena *a, const struct rd_hb_graph *t, uint32_t first,
                      uint32_t second, uint32_t end);
static inline bool rd_reversal_has(const struct rd_reversal *s, rd_tid tid) {
    return tid < s->room && s->from[tid] != RD_REVERSAL_NONE;
}
/* The first event of a thread that has some. */
static inline uint32_t rd_reversal_event(const struct rd_reversal *s, const struct rd_hb_graph *t, rd_tid tid) {
    return t->thread[tid].at[s->from[tid] - 1];
}
/* Could that one come first? */
bool rd_reversal_begins(const struct rd_reversal *s, const struct rd_hb_graph *t, rd_tid tid);
/* Takes it out. */
void rd_reversal_take(struct rd_reversal *s, rd_tid tid);
/* Does anything that is left depend on this, which is done by another thread? */
bool rd_reversal_depends(const struct rd_reversal *s, const struct rd_hb_graph *t, const struct rd_event *e,
                         const struct rd_event_sign *sign);
/* The same for an event of the trail that comes after the first one of the race. pre: `end` was that of the trail
 */
bool rd_reversal_touches(const struct rd_reversal *s, const struct rd_hb_graph *t, uint32_t event);
/* Fills in `list`: what is left, in order. */
void rd_reversal_list(struct rd_reversal *s, struct rd_arena *a, const struct rd_hb_graph *t);

#endif
