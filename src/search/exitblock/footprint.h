/*
 * footprint.h - what blocks touch, and lists of threads with that: those that are delayed, each with the block that
 * it is about to run, and those that are stopped, each with what it waits for.
 *
 * Lists are indices of cells; they share their tails. Cells and events are only ever added at the end, so that
 * whoever keeps a stack of lists can give both back by their counts.
 */
#ifndef RD_SEARCH_EXITBLOCK_FOOTPRINT_H
#define RD_SEARCH_EXITBLOCK_FOOTPRINT_H

#include "search/exitblock/atomic_blocks.h"
#include "trace/event.h"

struct rd_cell {
    rd_tid tid;
    uint32_t next; /* index + 1; 0: the end */
    uint32_t first, count;
};

struct rd_footprints {
    struct rd_arena *arena;
    const struct rd_atomic_blocks *blocks;
    bool lock_is_write; /* who takes a lock touches it */
    struct {
        RD_VEC(struct rd_cell);
    } cells;
    struct {
        RD_VEC(struct rd_event);
    } events;
};

bool rd_footprints_has(const struct rd_footprints *p, uint32_t list, rd_tid tid);
uint32_t rd_footprints_add(struct rd_footprints *p, uint32_t list, struct rd_cell c);

/*
 * What the block of steps [from, to) touches, and what follows under the locks that it keeps: with the block it is
 * decided when that comes, too. `itself` is the block alone.
 */
struct rd_cell rd_footprints_block(struct rd_footprints *p, const struct rd_record *r, uint32_t from, uint32_t to,
                                   struct rd_cell *itself);
/* It may touch anything: the block was broken off. The last one that was added. */
void rd_footprints_widen(struct rd_footprints *p, struct rd_cell *c);
/* The list without those whose blocks have to do with this one. */
uint32_t rd_footprints_unrelated(struct rd_footprints *p, uint32_t list, const struct rd_cell *block);
/*
 * What a block that was stopped had touched in the steps [from, to), after what stopped it. Others may change that
 * before the thread is let go on: then it would do something else, and is tried again.
 */
struct rd_cell rd_footprints_stop(struct rd_footprints *p, const struct rd_record *r, uint32_t from, uint32_t to,
                                  rd_tid tid, const struct rd_event *stopper);
/*
 * The list without those whom the steps [from, to), or with them the end of that thread, let go on, and without
 * those whose begun blocks have to do with these steps, of which `block` is the footprint.
 */
uint32_t rd_footprints_stopped(struct rd_footprints *p, uint32_t list, const struct rd_record *r, uint32_t from,
                               uint32_t to, bool dies, const struct rd_cell *block);

#endif
