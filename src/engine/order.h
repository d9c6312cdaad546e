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

struct rd_order {
    struct rd_arena *arena;
    struct rd_vclock *clock; /* by thread */
    uint32_t *index;         /* events by thread */
    struct rd_map objects;   /* address -> struct rd_vclock * */
    struct rd_map memory;    /* address / 8 -> struct rd_order_cell * */
    uint32_t count;
    uint64_t hash[2];
};

void rd_order_init(struct rd_order *o, struct rd_arena *a);
/* op happened in thread tid; for CREATE and JOIN `other` is the thread concerned. */
void rd_order_event(struct rd_order *o, rd_tid tid, const struct rd_op *op, rd_tid other);

#endif
