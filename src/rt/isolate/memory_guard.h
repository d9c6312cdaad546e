/*
 * memory_guard.h - does the program write into the memory of the search? In a snapshot both are in one address
 * space.
 *
 * The fence: of what is reserved for the search, and for what is kept of the program, only as much as is used, and
 * some more, can be accessed at all. A wild write to the rest is what it would be without Raddle: a crash.
 *
 * The guard: for some executions all that can be accessed is write-protected in the way of pages.c: a write goes
 * through, and is known afterwards. To protect and to look costs some tens of microseconds for a small search and
 * grows with its memory, so it is done for all executions until that has taken two milliseconds, then for as many
 * as fit into a hundredth of the time.
 */
#ifndef RD_RT_ISOLATE_MEMORY_GUARD_H
#define RD_RT_ISOLATE_MEMORY_GUARD_H

#include "base/base.h"

struct rd_memory_guard {
    int32_t uffd;      /* 0: there is none */
    uint32_t watched;  /* this execution is guarded … */
    uint32_t armed;    /* … now */
    uint32_t hit;      /* … and it wrote where it has no business */
    uint32_t left;     /* executions that are not, before the next one that is */
    uint32_t since;    /* executions since the last one that was, with this one */
    uint64_t begun_ns; /* when that began */
    uint64_t cost_ns;  /* what it took … */
    uint64_t last_ns;  /* … and the one before: the longer one of two may have been interrupted */
    uint64_t spent_ns; /* what all of them took */
};

/* Once, at the checkpoint. Where the kernel cannot, nothing is guarded. */
void rd_memory_guard_open(void);
/* Executions do not share this process any more: there is no fence, either. */
void rd_memory_guard_close(void);
/* Before an execution: it may be guarded. */
void rd_memory_guard_begin(uint64_t (*now)(void *));
/*
 * After it, before anything is put back or kept: true when it wrote where it has no business. From then on nothing
 * is guarded, until the next one begins.
 */
bool rd_memory_guard_end(uint64_t (*now)(void *));

#endif
