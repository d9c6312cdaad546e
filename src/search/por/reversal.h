/*
 * reversal.h - the other order of a race (e, e'): the sequence notdep(e).e' of Abdulla et al. (POPL 2014), that
 * is, the events after e that e did not happen before, in their order, then e'.
 *
 * The events of one thread in the sequence are contiguous: once an event of a thread happened after e, all later
 * events of the thread did. So a sequence is two numbers for each thread. Whether an event is an initial of the
 * sequence follows from its clock: all events that happened before it must be outside of the sequence, or removed
 * from it. The sequence without an initial has the same form again. The exception is e' itself: it happened after
 * e, and its clock has events that happened before it only because of e. So e' is compared with every remaining
 * event.
 */
#ifndef RD_SEARCH_POR_REVERSAL_H
#define RD_SEARCH_POR_REVERSAL_H

#include "search/por/hb_graph.h"

enum { RD_REVERSAL_NONE = INT32_MAX };

struct rd_reversal {
    /* by thread: the first of its events that is left (as `index`), or NONE; one after the last */
    uint32_t *from, *to;
    uint32_t room; /* length of these arrays, in threads */
    struct {
        RD_VEC(rd_tid);
    } threads; /* threads with events in the sequence, in the order of their first events */
    struct {
        RD_VEC(uint32_t);
    } list; /* the remaining events, in order: see rd_reversal_list */
    uint32_t first, second, end;
    uint32_t left;             /* events that are left */
    struct rd_event_sign sign; /* of all events of the sequence when it was made */
};

/* Makes the sequence for the race of `first` and `second`, from the events before `end`. */
void rd_reversal_make(struct rd_reversal *s, struct rd_arena *a, const struct rd_hb_graph *t, uint32_t first,
                      uint32_t second, uint32_t end);
static inline bool rd_reversal_has(const struct rd_reversal *s, rd_tid tid) {
    return tid < s->room && s->from[tid] != RD_REVERSAL_NONE;
}
/* Returns the first remaining event of the thread. pre: rd_reversal_has. */
static inline uint32_t rd_reversal_event(const struct rd_reversal *s, const struct rd_hb_graph *t, rd_tid tid) {
    RD_ASSERT(rd_reversal_has(s, tid) && s->from[tid] < s->to[tid]);
    return t->thread[tid].at[s->from[tid] - 1];
}
/* Returns whether that event is an initial: it could come first among the remaining events. */
bool rd_reversal_begins(const struct rd_reversal *s, const struct rd_hb_graph *t, rd_tid tid);
/* Removes that event. pre: it is an initial. */
void rd_reversal_take(struct rd_reversal *s, rd_tid tid);
/* Returns whether a remaining event depends on `e`, an event of a thread that has none in the sequence. */
bool rd_reversal_depends(const struct rd_reversal *s, const struct rd_hb_graph *t, const struct rd_event *e,
                         const struct rd_event_sign *sign);
/*
 * The same for an event of the graph that happened after the race's first event. pre: the sequence was made with
 * all events of the graph.
 */
bool rd_reversal_touches(const struct rd_reversal *s, const struct rd_hb_graph *t, uint32_t event);
/* Fills in `list`. */
void rd_reversal_list(struct rd_reversal *s, struct rd_arena *a, const struct rd_hb_graph *t);

#endif
