/*
 * hb_graph.h - the happens-before graph of one execution: its events with vector clocks, made from the record. By
 * the graph a search knows which events happened before an event, which events race, whether two racing events
 * could come in the other order, and the pending operation of each thread at any step.
 *
 * A choice inside an operation belongs to the event of the operation (`way`). The performed events are followed by
 * the events that were pending when the execution ended, one for each thread that was alive. A pending event has
 * no clock of its own: the clock of its thread's last event stands for it.
 */
#ifndef RD_SEARCH_POR_HB_GRAPH_H
#define RD_SEARCH_POR_HB_GRAPH_H

#include "base/map.h"
#include "trace/event.h"
#include "trace/types.h"

#define RD_HB_GRAPH_NONE UINT32_MAX
/* an event that touches more things is broad (dependences.c) */
enum { RD_HB_GRAPH_KEYS = 16 };

struct rd_hb_graph_event {
    struct rd_event e;
    struct rd_event_sign sign;
    uint64_t marked;  /* the number of the search for racing events that found this event last */
    uint32_t step;    /* the step of the event; for a pending event: the number of steps */
    uint32_t index;   /* the position among the events of its thread, from 1 */
    uint32_t prev;    /* the previous event of its thread, else the event that created the thread, or NONE */
    uint32_t after;   /* the latest event that happened before this one, + 1; only for events that happened */
    uint32_t entries; /* length of `entries` before this event */
    uint32_t racing;  /* where its racing events begin in `racing` of the graph */
    int32_t way;      /* the way in which the operation completed, if there were several; else -1 */
    bool timed;
};

/* One event touches one thing: an element of the list of all events that touch the thing. */
struct rd_hb_graph_entry {
    uint32_t thing; /* RD_HB_GRAPH_NONE: the event touches too much to be listed by its things */
    /* `before`: the previous entry of the same list, + 1: of the thing, or of such events of the thread */
    uint32_t event, before;
};

struct rd_hb_graph_thread {
    RD_VEC(uint32_t); /* the events of the thread */
    uint32_t creator; /* the event that created the thread, or NONE */
    uint32_t broad;   /* the latest entry of the thread's events that touch too much to be listed, + 1 */
};

/* Consecutive executions mostly have a long prefix in common: the graph keeps the events of that prefix. */
struct rd_hb_graph {
    struct rd_arena scratch; /* owns all memory of the graph */
    bool reused;             /* the common prefix of the next execution is kept */
    bool nearest;            /* racing events that another one hides may be missing: see rd_hb_graph_racing */
    uint32_t kept;           /* the first events that were kept from the previous execution, by number */
    struct {
        RD_VEC(struct rd_step);
    } steps; /* of the record, to compare the next one with */
    struct {
        RD_VEC(uint32_t);
    } of_step; /* by step: its event */
    struct rd_hb_graph_event *at;
    uint32_t room;
    uint32_t count;   /* events that happened */
    uint32_t all;     /* `count` and the pending events */
    uint32_t threads; /* highest thread number + 1 */
    uint32_t stride;  /* length of a clock: `threads`, rounded up */
    /* by event and thread: the index of that thread's latest event that happened before, or the event itself */
    uint32_t *clocks;
    struct rd_hb_graph_thread *thread;
    const struct rd_record *record;
    struct rd_map number; /* from the key of a thing to its number */
    struct {
        RD_VEC(uint32_t);
    } things; /* by number of a thing: its latest entry, + 1; the first numbers are the threads */
    struct {
        RD_VEC(struct rd_hb_graph_entry);
    } entries;
    struct {
        RD_VEC(rd_tid);
    } broad; /* threads that have events that touch too much to be listed */
    struct {
        RD_VEC(uint32_t);
    } racing; /* the racing events of all events, one list after the other */
    /* the numbers of the things that the last event touches; 0: no event has touched it before */
    uint32_t met[RD_HB_GRAPH_KEYS];
    uint64_t asked; /* how often racing events were searched */
    /* a signal was sent to the whole process: which thread takes it depends on all events */
    bool undirected;
};

/* Opens an empty graph. Its memory is a quarter of the unused part of the arena. */
void rd_hb_graph_open(struct rd_hb_graph *t, struct rd_arena *a);
void rd_hb_graph_build(struct rd_hb_graph *t, const struct rd_record *r);
/* Forgets the last execution: no event of it is kept for the next one. */
void rd_hb_graph_forget(struct rd_hb_graph *t);

static inline const uint32_t *rd_hb_graph_clock(const struct rd_hb_graph *t, uint32_t event) {
    RD_ASSERT(event < t->count); /* a pending event has none */
    return &t->clocks[(size_t)event * t->stride];
}
/* Returns whether event a happened before event b (or is b). pre: b happened, it is not pending. */
static inline bool rd_hb_graph_before(const struct rd_hb_graph *t, uint32_t a, uint32_t b) {
    return rd_hb_graph_clock(t, b)[t->at[a].e.tid] >= t->at[a].index;
}
/*
 * Returns the first event of the thread at this step or later, a pending one included; NONE: the thread had ended.
 */
uint32_t rd_hb_graph_next(const struct rd_hb_graph *t, rd_tid tid, uint32_t step);
/* Returns whether the thread was enabled at this step. */
bool rd_hb_graph_enabled(const struct rd_hb_graph *t, rd_tid tid, uint32_t step);
/*
 * Whether dependent events a and b of different threads, a before b, could have come in the other order. NEVER: b
 * needs the effect of a, so b cannot come before a in any execution. SURE: b could have been performed in place of
 * a, at the same point. MAYBE: neither is known.
 */
enum rd_swap { RD_SWAP_NEVER, RD_SWAP_MAYBE, RD_SWAP_SURE };
enum rd_swap rd_hb_graph_swap(const struct rd_hb_graph *t, uint32_t a, uint32_t b);
/*
 * Returns the events that race with this event: events of other threads, before it, that it depends on and that did
 * not happen before the previous event of its thread. They are sorted by thread, the latest first. With `nearest`,
 * events may be missing that happened before another racing event that could surely (RD_SWAP_SURE) come after this
 * one.
 */
static inline const uint32_t *rd_hb_graph_racing(const struct rd_hb_graph *t, uint32_t event, uint32_t *count) {
    RD_ASSERT(event < t->all);
    uint32_t from = t->at[event].racing;
    *count = (event + 1 < t->all ? t->at[event + 1].racing : t->racing.count) - from;
    return t->racing.at + from;
}

/*
 * dependences.c: finds the racing events of the last event. pre: the clock of its thread's previous event is set.
 */
void rd_hb_graph_meet(struct rd_hb_graph *t);
/* Lists the last event under the things that it touches, so that later events find it. */
void rd_hb_graph_note(struct rd_hb_graph *t);
/* Removes this event and all later ones from the lists. */
void rd_hb_graph_part(struct rd_hb_graph *t, uint32_t event);

#endif
