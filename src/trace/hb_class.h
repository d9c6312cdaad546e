/*
 * hb_class.h - the happens-before class of an execution, as a 128-bit hash that does not depend on the order of
 * independent events. Each event has a *mark*, a hash of its thread, its index in the thread, its operation, its
 * place and the sum of the marks of its direct predecessors. The hash of the class is the sum of all marks. Two
 * events are ordered if they are dependent (event.h); the events of a thread come after its creation, and a join
 * comes after all events of the joined thread.
 *
 * The direct predecessors of an event are the last write of each thing that it touches and, if it writes the thing,
 * the reads since; all of them are dependent on it, so they are the same in all executions of the class. The mark
 * of an event therefore identifies its whole past, and no vector clocks are needed.
 */
#ifndef RD_TRACE_HB_CLASS_H
#define RD_TRACE_HB_CLASS_H

#include "base/map.h"
#include "trace/event.h"

/* The mark of an event, or the sum of the marks of events that need not be ordered. */
struct rd_hb_class_mark {
    uint64_t a, b;
};

/* The short accesses to one set of bytes within a granule of 8 bytes. */
struct rd_hb_class_cell {
    struct rd_hb_class_mark wrote; /* the last write */
    struct rd_hb_class_mark read;  /* all reads since */
    struct rd_hb_class_cell *next;
    uint8_t mask; /* bit i: byte i of the granule */
};

/* The long accesses (copies of structures, cleared buffers) to one range, linked from every page that it touches.
 */
struct rd_hb_class_range {
    uint64_t first, last;
    struct rd_hb_class_mark wrote, read;
    uint32_t seen; /* number of the event that looked at it last: an event meets it once in every page */
};

struct rd_hb_class_link {
    struct rd_hb_class_range *range;
    struct rd_hb_class_link *next;
};

struct rd_hb_class_page {
    struct rd_hb_class_link *ranges;
    uint32_t cells; /* number of cells in this page; 0: they need not be looked up */
};

/* The touches of an object: the last WRITE, and the READs and ADDs since. */
struct rd_hb_class_object {
    struct rd_hb_class_mark wrote, read, added;
};

struct rd_hb_class_thread {
    struct rd_hb_class_mark last; /* its last event */
    struct rd_hb_class_mark
        told;       /* the last event of another thread with this one as its target (create, cancel …) */
    uint32_t index; /* number of its events so far */
};

struct rd_hb_class {
    struct rd_arena *arena;
    struct rd_hb_class_thread *thread; /* by number, `count` of them */
    struct rd_hb_class_mark wide;      /* the last wide event */
    struct rd_map objects;             /* address -> struct rd_hb_class_object * */
    struct rd_map memory;              /* address / 8 -> struct rd_hb_class_cell * */
    struct rd_map pages; /* address / 4096 -> struct rd_hb_class_page *; empty until there is a range */
    bool paged;          /* `pages` is in use */
    uint32_t event;      /* number of looks at ranges, for rd_hb_class_range.seen */
    uint32_t count, room;
    uint64_t hash[2];
    struct rd_hb_class_object clock; /* touches of the clock */
};

void rd_hb_class_init(struct rd_hb_class *o, struct rd_arena *a);
/* Adds an event, which happens after all events that were added before. */
void rd_hb_class_event(struct rd_hb_class *o, const struct rd_event *e);
/* Writes to `hash` the hash that the class would have after this event; the class does not change. */
void rd_hb_class_peek(struct rd_hb_class *o, const struct rd_event *e, uint64_t hash[2]);
/* Adds the way in which the last event of thread tid completed. */
void rd_hb_class_way(struct rd_hb_class *o, rd_tid tid, uint32_t way);
/* Makes the last event of thread tid touch this object, too, for events that touch more than an operation can name.
 */
void rd_hb_class_also(struct rd_hb_class *o, rd_tid tid, uint64_t addr);

#endif
