/*
 * footprint.h - footprints of blocks, and lists of threads with footprints: the delayed threads, each with the
 * block that it is about to run, and the stopped threads, each with the operation that it waits for.
 *
 * A list is an index into `cells`; lists share their tails. Cells and events are only added at the end, so a caller
 * that keeps a stack of lists frees both by resetting their counts.
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
    bool lock_is_write; /* taking a lock counts as writing it */
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
 * Returns the footprint of the block of steps [from, to), and of the steps that follow under the locks that it
 * keeps: the order of blocks decides about these, too. *itself is the footprint of the block alone.
 */
struct rd_cell rd_footprints_block(struct rd_footprints *p, const struct rd_record *r, uint32_t from, uint32_t to,
                                   struct rd_cell *itself);
/* Makes the footprint of a block that was broken off wide: it depends on all others. pre: c was added last. */
void rd_footprints_widen(struct rd_footprints *p, struct rd_cell *c);
/* Returns the list without the threads whose footprints depend on this block. */
uint32_t rd_footprints_unrelated(struct rd_footprints *p, uint32_t list, const struct rd_cell *block);
/*
 * Returns the footprint of a thread that was stopped by `stopper` in a block with the steps [from, to). If another
 * thread changes memory or objects that these steps touch, the thread may take another course, and is tried again.
 */
struct rd_cell rd_footprints_stop(struct rd_footprints *p, const struct rd_record *r, uint32_t from, uint32_t to,
                                  rd_tid tid, const struct rd_event *stopper);
/*
 * Returns the list without the threads that the steps [from, to), or the end of their thread if it `dies`, let go
 * on, and without the threads whose begun blocks depend on `block`, the footprint of these steps.
 */
uint32_t rd_footprints_stopped(struct rd_footprints *p, uint32_t list, const struct rd_record *r, uint32_t from,
                               uint32_t to, bool dies, const struct rd_cell *block);

#endif
