/*
 * hb_graph.h - an execution as events with vector clocks, made from its record: what happened before what, which of
 * two events could have come first, and what every thread was about to do at any step.
 *
 * A choice inside an operation belongs to the operation's event (`way`). After the events that happened come those
 * that were pending when the execution ended, one for each thread that was alive: they have no clock, only what
 * their thread knew.
 */
#ifndef RD_SEARCH_POR_HB_GRAPH_H
#define RD_SEARCH_POR_HB_GRAPH_H

#include "base/map.h"
#include "trace/event.h"
#include "trace/types.h"

#define RD_HB_GRAPH_NONE UINT32_MAX
enum { RD_HB_GRAPH_KEYS = 16 }; /* events that touch more are found by looking at everything */

struct rd_hb_graph_event {
    struct rd_event e;
    struct rd_event_sign sign;
    uint64_t marked;  /* the question about rivals in which it was found last */
    uint32_t step;    /* of a pending one: the number of steps */
    uint32_t index;   /* which of its thread's events, from 1 */
    uint32_t prev;    /* the event of the same thread before it, else the one that created it, or NONE */
    uint32_t after;   /* the last event that it comes after, + 1; of those that happened */
    uint32_t entries; /* how many entries there were before it */
    uint32_t rivals;  /* how many rivals of others there were before its own */
    int32_t way;      /* taken of several; -1: there was one only */
    bool timed;
};

/* That an event is about some thing. */
struct rd_hb_graph_entry {
    uint32_t thing;         /* RD_HB_GRAPH_NONE: it touches too much to be found so */
    uint32_t event, before; /* the entry before it about the same thing, or of such events of its thread, + 1 */
};

struct rd_hb_graph_thread {
    RD_VEC(uint32_t); /* its events */
    uint32_t creator; /* the event that created it, or NONE */
    uint32_t broad;   /* the last entry of its events that touch too much to be found by that, + 1 */
};

/* Executions that are looked at one after the other mostly begin alike: what is known of that is kept. */
struct rd_hb_graph {
    struct rd_arena scratch; /* all that is here */
    bool reused;             /* by the next execution */
    bool nearest;            /* see rd_hb_graph_rivals */
    uint32_t kept;           /* so many of the first events are the same as in the execution before */
    struct {
        RD_VEC(struct rd_step);
    } steps; /* as they were */
    struct {
        RD_VEC(uint32_t);
    } of_step; /* event of a step */
    struct rd_hb_graph_event *at;
    uint32_t room;
    uint32_t count;   /* that happened */
    uint32_t all;     /* with those that are pending */
    uint32_t threads; /* highest number + 1 */
    uint32_t stride;  /* at least as many: the length of a clock */
    uint32_t *clocks; /* of the events that happened: by thread, what it comes after and itself */
    struct rd_hb_graph_thread *thread;
    const struct rd_record *record;
    struct rd_map number; /* of a thing, by what names it */
    struct {
        RD_VEC(uint32_t);
    } things; /* by number: the last entry about it, + 1; the first ones are the threads */
    struct {
        RD_VEC(struct rd_hb_graph_entry);
    } entries;
    struct {
        RD_VEC(rd_tid);
    } broad; /* threads that have such entries */
    struct {
        RD_VEC(uint32_t);
    } rivals;                       /* of all events, one after the other */
    uint32_t met[RD_HB_GRAPH_KEYS]; /* the things that the last event touches; 0: nobody has yet */
    uint64_t asked;                 /* questions about rivals so far */
    bool undirected;                /* a signal was sent to the whole process: who takes it depends on everything */
};

/* Takes its memory, a part of the arena's, once. */
void rd_hb_graph_open(struct rd_hb_graph *t, struct rd_arena *a);
void rd_hb_graph_build(struct rd_hb_graph *t, const struct rd_record *r);
/* The next execution is looked at as if there had been none before. */
void rd_hb_graph_forget(struct rd_hb_graph *t);

static inline const uint32_t *rd_hb_graph_clock(const struct rd_hb_graph *t, uint32_t event) {
    return &t->clocks[(size_t)event * t->stride];
}
/* Does event a come before b, which happened? */
static inline bool rd_hb_graph_before(const struct rd_hb_graph *t, uint32_t a, uint32_t b) {
    return rd_hb_graph_clock(t, b)[t->at[a].e.tid] >= t->at[a].index;
}
/* The first event of the thread at this step or later, pending ones included; NONE: it had ended. */
uint32_t rd_hb_graph_next(const struct rd_hb_graph *t, rd_tid tid, uint32_t step);
/* Could the thread go on at this step? */
bool rd_hb_graph_enabled(const struct rd_hb_graph *t, rd_tid tid, uint32_t step);
/*
 * Two dependent events of different threads, a before b. NEVER: b cannot come before a in any execution (it needs
 * what a does). SURE: at this very point it could have. MAYBE: neither is known.
 */
enum rd_swap { RD_SWAP_NEVER, RD_SWAP_MAYBE, RD_SWAP_SURE };
enum rd_swap rd_hb_graph_swap(const struct rd_hb_graph *t, uint32_t a, uint32_t b);
/*
 * The events of other threads before this one that it depends on and that its thread did not know of, by thread,
 * the latest first. With `nearest` there may be none that comes before another one that could surely be swapped
 * with the event.
 */
static inline const uint32_t *rd_hb_graph_rivals(const struct rd_hb_graph *t, uint32_t event, uint32_t *count) {
    uint32_t from = t->at[event].rivals;
    *count = (event + 1 < t->all ? t->at[event + 1].rivals : t->rivals.count) - from;
    return t->rivals.at + from;
}

/* dependences.c. Finds those of the last event; what its thread knows is known. */
void rd_hb_graph_meet(struct rd_hb_graph *t);
/* It happened: those after it find it. */
void rd_hb_graph_note(struct rd_hb_graph *t);
/* This event and those after it are gone. */
void rd_hb_graph_part(struct rd_hb_graph *t, uint32_t event);

#endif
