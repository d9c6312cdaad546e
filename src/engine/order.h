/*
 * order.h - the happens-before class of an execution, as a 128-bit hash that does not depend on the order of
 * steps that commute: the sum over all events of a hash of (thread, index in thread, operation, place, vector
 * clock). Two steps are ordered when they are dependent: same thread, same object, overlapping memory with one
 * write, creation and start, end and join. `exit` comes after everything.
 */
#ifndef RD_ORDER_H
#define RD_ORDER_H

#include "base/map.h"
#include "base/vclock.h"
#include "trace/types.h"

struct rd_order_cell {
    struct rd_vclock wrote; /* the last write and what it had seen */
    struct rd_vclock read;  /* all reads since */
    struct rd_order_cell *next;
    uint8_t mask; /* which bytes of the 8 */
};

/* A long access (a copy of a structure, a cleared buffer) is one cell, linked from every page it touches. */
struct rd_order_range {
    uint64_t first, last;
    struct rd_vclock wrote, read;
    uint32_t seen; /* by which event it was looked at last: it is met once a page */
};

struct rd_order_link {
    struct rd_order_range *range;
    struct rd_order_link *next;
};

struct rd_order_page {
    struct rd_order_link *ranges;
    uint32_t cells; /* short cells in this page; 0: no need to look for them */
};

struct rd_order {
    struct rd_arena *arena;
    struct rd_vclock *clock; /* by thread */
    uint32_t *index;         /* events by thread */
    struct rd_map objects;   /* address -> struct rd_vclock * */
    struct rd_map memory;    /* address / 8 -> struct rd_order_cell * */
    struct rd_map pages;     /* address / 4096 -> struct rd_order_page * */
    uint32_t event;
    uint32_t count;
    uint64_t hash[2];
};

void rd_order_init(struct rd_order *o, struct rd_arena *a);
/* op happened in thread tid; for CREATE and JOIN `other` is the thread concerned. */
void rd_order_event(struct rd_order *o, rd_tid tid, const struct rd_op *op, rd_tid other);
/* The event that has just happened in thread tid concerns this object, too: more than an operation can name. */
void rd_order_also(struct rd_order *o, rd_tid tid, uint64_t addr);

#endif
