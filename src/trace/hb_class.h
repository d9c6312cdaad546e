/*
 * hb_class.h - the happens-before class of an execution, as a 128-bit hash that does not depend on the order of
 * steps that commute: the sum over all events of a mark of (thread, index in thread, operation, place, the marks of
 * the events that it comes after directly). Two events are ordered when they are dependent (event.h); an event of a
 * thread comes after its creation, and a join after everything the thread did.
 *
 * What an event comes after directly is the same whichever way the others are ordered: the last write of what it
 * touches, and, if it writes, the reads since; all of those are dependent on it. So its mark says all of its past,
 * and no clock is needed.
 */
#ifndef RD_TRACE_HB_CLASS_H
#define RD_TRACE_HB_CLASS_H

#include "base/map.h"
#include "trace/event.h"

/* Of an event, or a sum of such: of events that need not come after each other. */
struct rd_hb_class_mark {
    uint64_t a, b;
};

struct rd_hb_class_cell {
    struct rd_hb_class_mark wrote; /* the last write */
    struct rd_hb_class_mark read;  /* all reads since */
    struct rd_hb_class_cell *next;
    uint8_t mask; /* which bytes of the 8 */
};

/* A long access (a copy of a structure, a cleared buffer) is one cell, linked from every page it touches. */
struct rd_hb_class_range {
    uint64_t first, last;
    struct rd_hb_class_mark wrote, read;
    uint32_t seen; /* by which event it was looked at last: it is met once a page */
};

struct rd_hb_class_link {
    struct rd_hb_class_range *range;
    struct rd_hb_class_link *next;
};

struct rd_hb_class_page {
    struct rd_hb_class_link *ranges;
    uint32_t cells; /* short cells in this page; 0: no need to look for them */
};

/* What was done to an object, by the way it was touched; since the last write, but for that. */
struct rd_hb_class_object {
    struct rd_hb_class_mark wrote, read, added;
};

struct rd_hb_class_thread {
    struct rd_hb_class_mark last; /* its last event */
    struct rd_hb_class_mark told; /* the last that others did to it (create, cancel …) */
    uint32_t index;               /* its events so far */
};

struct rd_hb_class {
    struct rd_arena *arena;
    struct rd_hb_class_thread *thread; /* by number, `count` of them */
    struct rd_hb_class_mark wide;      /* the last wide event */
    struct rd_map objects;             /* address -> struct rd_hb_class_object * */
    struct rd_map memory;              /* address / 8 -> struct rd_hb_class_cell * */
    struct rd_map pages; /* address / 4096 -> struct rd_hb_class_page *; empty until there is a range */
    bool paged;
    uint32_t event;
    uint32_t count, room;
    uint64_t hash[2];
    struct rd_hb_class_object clock; /* what was done to it */
};

void rd_hb_class_init(struct rd_hb_class *o, struct rd_arena *a);
void rd_hb_class_event(struct rd_hb_class *o, const struct rd_event *e);
/* What the hash would be after this event; nothing has happened. */
void rd_hb_class_peek(struct rd_hb_class *o, const struct rd_event *e, uint64_t hash[2]);
/* The event that has just happened in thread tid took one of several ways. */
void rd_hb_class_way(struct rd_hb_class *o, rd_tid tid, uint32_t way);
/* The event that has just happened in thread tid concerns this object, too: more than an operation can name. */
void rd_hb_class_also(struct rd_hb_class *o, rd_tid tid, uint64_t addr);

#endif
