/*
 * extents.h - what an operation touches when that is more than struct rd_op can name: a call of a library function
 * reads the strings that its arguments point to, writes a buffer, and uses a stream. An *extent* is one piece of
 * memory, or one object, with the way in which it is touched (enum rd_touch).
 *
 * There are two forms of the same list. By address: in memory of the thread that is about to call, for the engine.
 * By place: *kept* in a table that lives as long as the search and that all its processes have at the same address.
 * Equal lists are kept once, and nothing that is kept ever changes. So a step, an event or a node of a search tree
 * refers to a list by its address, in every process, for as long as it likes.
 *
 * The table needs no lock: a list is written into memory that nobody else has, and then published by one
 * compare-and-swap. A process that dies in between loses that piece of memory and nothing else.
 */
#ifndef RD_TRACE_EXTENTS_H
#define RD_TRACE_EXTENTS_H

#include "trace/types.h"

enum { RD_EXTENTS_MAX = 16 }; /* in one list; an operation that touches more depends on everything */

struct rd_extent {
    uint64_t first, last; /* memory; of an object both are its name */
    uint8_t touch;        /* enum rd_touch; of memory READ or WRITE */
    bool object;
    bool bound; /* of memory: it touches at most this; no race and no error of the heap is looked for there */
    bool own;   /* of memory by address: no other thread can know of it. Only errors of the heap are looked for */
    uint8_t pad[4];
};
static_assert(sizeof(struct rd_extent) == 24, "stored");

struct rd_extents {
    uint32_t count, pad;
    struct rd_extent at[RD_EXTENTS_MAX]; /* of a kept list only `count` are there */
};

/* The table, at the start of the memory that holds it. */
struct rd_extents_table;

/* Makes an empty table of the memory: zeroes, `size` bytes. */
struct rd_extents_table *rd_extents_open(void *memory, uint64_t size);
/* The kept list that equals this one; NULL: the table has no room for it. */
const struct rd_extents *rd_extents_keep(struct rd_extents_table *t, const struct rd_extents *x);
/* Is this the address of a list that the table keeps? */
bool rd_extents_is_kept(const struct rd_extents_table *t, const struct rd_extents *x);

/* Do both touch the same in the same way? */
bool rd_extents_same(const struct rd_extents *a, const struct rd_extents *b);
/*
 * Adds an extent to a list that is being made. A piece of memory that touches or overlaps one that is touched in
 * the same way is joined with it. False: the list is full.
 */
bool rd_extents_add(struct rd_extents *x, const struct rd_extent *e);

/* The list of an operation or a step; NULL: it has none. */
static inline const struct rd_extents *rd_extents_of(unsigned order, uint64_t value) {
    return rd_access_mode_has_extents(order) ? (const struct rd_extents *)(uintptr_t)value : NULL;
}

#endif
