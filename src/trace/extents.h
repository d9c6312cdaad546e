/*
 * extents.h - lists of the things that an operation touches, for operations that touch more than struct rd_op can
 * name: a call of a library function reads the strings that its arguments point to, writes a buffer, and uses a
 * stream. An *extent* is one piece of memory, or one object, with the way in which it is touched (enum rd_touch).
 *
 * A list has two forms. The list by address is in memory of the thread that is about to call; the engine uses it.
 * The list by place is *kept* in a table that lives as long as the search and that all its processes have at the
 * same address. Equal lists are kept once, and a kept list never changes. So a step, an event or a node of a search
 * tree can refer to a kept list by its address, in every process, until the end of the search.
 *
 * The table needs no lock: a process writes a list into memory that no other process uses, and publishes it by one
 * compare-and-swap. A process that dies in between loses that piece of memory, and the table stays consistent.
 */
#ifndef RD_TRACE_EXTENTS_H
#define RD_TRACE_EXTENTS_H

#include "trace/types.h"

enum { RD_EXTENTS_MAX = 16 }; /* in one list; an operation that touches more things is wide */

struct rd_extent {
    uint64_t first, last; /* first and last byte of memory; of an object both are its name */
    uint8_t touch;        /* enum rd_touch; of memory READ or WRITE */
    bool object;
    bool bound; /* of memory: upper bound of the bytes touched; not checked for races and heap errors */
    bool own;   /* of memory by address: no other thread can reach it; checked for heap errors only */
    uint8_t pad[4];
};
static_assert(sizeof(struct rd_extent) == 24, "stored");

struct rd_extents {
    uint32_t count, pad;
    struct rd_extent at[RD_EXTENTS_MAX]; /* a kept list has memory for only `count` entries */
};

/* The table, at the start of the memory that holds it. */
struct rd_extents_table;

/* Makes an empty table in `size` bytes of memory. pre: the memory is zero */
struct rd_extents_table *rd_extents_open(void *memory, uint64_t size);
/* Returns the kept list that equals this one, which is made if need be; NULL: the table has no room for it. */
const struct rd_extents *rd_extents_keep(struct rd_extents_table *t, const struct rd_extents *x);
/* Returns whether this can be the address of a list that the table keeps. */
bool rd_extents_is_kept(const struct rd_extents_table *t, const struct rd_extents *x);

/* Returns whether both lists have the same extents. */
bool rd_extents_same(const struct rd_extents *a, const struct rd_extents *b);
/*
 * Adds an extent to a list by address. An extent of memory is joined with an extent of the list that it touches or
 * overlaps, if both are touched in the same way. Returns false if the list is full.
 */
bool rd_extents_add(struct rd_extents *x, const struct rd_extent *e);

/* Returns the list of an operation or a step with these fields, or NULL if it has none. */
static inline const struct rd_extents *rd_extents_of(unsigned order, uint64_t value) {
    return rd_access_mode_has_extents(order) ? (const struct rd_extents *)(uintptr_t)value : NULL;
}

#endif
