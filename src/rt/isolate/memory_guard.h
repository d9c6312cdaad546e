/*
 * memory_guard.h - notices that the program writes into the memory of the search. In a snapshot both are in one
 * address space.
 *
 * The fence: of the memory that is reserved for the search and for copies of the program's pages, only the part
 * that is in use, and some more, can be accessed at all. A wild write to the rest is a crash, as it would be
 * without Raddle.
 *
 * The guard: in some executions the accessible part is write-protected in the way of pages.c: a write goes through,
 * and afterwards the kernel lists the page. A guard takes time (60 µs for a small search, 4 ms for one of 100 MiB),
 * so all executions are guarded until guards have taken two milliseconds in all, and then as many as fit into a
 * hundredth of the time.
 */
#ifndef RD_RT_ISOLATE_MEMORY_GUARD_H
#define RD_RT_ISOLATE_MEMORY_GUARD_H

#include "base/base.h"

struct rd_memory_guard {
    int32_t uffd;      /* a userfaultfd; 0: the kernel has none, and no execution is guarded */
    uint32_t watched;  /* the running execution is, or was, guarded */
    uint32_t armed;    /* the memory is protected now */
    uint32_t hit;      /* the running execution has written there */
    uint32_t left;     /* executions without guard before the next one with it */
    uint32_t since;    /* executions since the last one with guard, counting this one */
    uint64_t begun_ns; /* when that one began */
    uint64_t cost_ns;  /* the cost of that guard … */
    uint64_t last_ns;  /* … and of the one before: the smaller of the two counts, since one may be interrupted */
    uint64_t spent_ns; /* the cost of all guards so far */
};

/* Puts up the fence and opens the userfaultfd. Called once, when the memory of the search is there. */
void rd_memory_guard_open(void);
/* Removes the fence: executions do not share this process any more. */
void rd_memory_guard_close(void);
/* Before an execution: guards it, if it is its turn. */
void rd_memory_guard_begin(uint64_t (*now)(void *));
/*
 * After an execution, before any memory is put back or kept: returns whether the execution wrote into the memory of
 * the search. From then on that memory is not guarded, until the next execution begins.
 */
bool rd_memory_guard_end(uint64_t (*now)(void *));

#endif
