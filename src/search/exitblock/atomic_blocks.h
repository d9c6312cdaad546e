/*
 * blocks.h - atomic blocks: where in an execution other threads must get a chance, and where they need none.
 *
 * A block is what Lipton's reduction allows to be run in one go: first operations that could as well happen later
 * (a lock is taken, data under a lock is touched), then one that could as well happen earlier (a lock is released)
 * or that can be moved nowhere. With this one the block ends. So these are *exits*:
 *   - the release of a mutex, spin lock or read-write lock, but not the inner ones of a recursive lock and not
 *     those in trusted code; a condition wait (it releases the mutex; only one exit whatever the depth)
 *   - a semaphore post, the arrival at a barrier, the end of a once routine, a futex operation, input and output,
 *     signals, cancellation, destroying an object, process exit
 *   - atomic accesses, each of them
 *   - a try or timed operation, and everything that has failed; taking a lock that is anywhere tried or taken with
 *     a time limit, because then others see that it is held
 *   - signal and broadcast, unless every use of that condition is under a common mutex
 *   - yield and sleep
 * These are not: taking a lock, waiting for a semaphore, for the barrier to open, for another thread to end, waking
 * from a condition wait, plain reads and writes, the start of a thread.
 * The creation of a thread ends a block, but only before the next operation that is no creation and no release.
 *
 * What "anywhere" and "every" mean above is learned from the executions. When one shows something new, blocks get
 * smaller, and a search over blocks has to begin again.
 */
#ifndef RD_SEARCH_EXITBLOCK_ATOMIC_BLOCKS_H
#define RD_SEARCH_EXITBLOCK_ATOMIC_BLOCKS_H

#include "base/map.h"
#include "search/search.h"

enum rd_block_kind { RD_BLOCK_INSIDE, RD_BLOCK_BIRTH, RD_BLOCK_EXIT };

struct rd_atomic_blocks {
    struct rd_arena *arena;
    struct rd_range trusted[RD_RANGES_MAX];
    uint32_t trusted_count;
    struct rd_map tried;  /* objects that are tried, or waited for with a time limit */
    struct rd_map guards; /* by condition: struct guard */
    struct rd_map locks;  /* 1: at least once nothing was seen to be used under it */
    bool footprints;      /* what blocks touch matters, too: whether a lock is blind is news */
    bool deaths;          /* the end of a thread can be seen without waiting for it */
    bool waits;           /* a thread that held a lock waited for something that is no lock, in a block */
    bool handlers;        /* a signal's handler or a cancellation came: anywhere, in the middle of blocks, too */
    uint64_t changes;     /* how often anything of this has changed */
};

void rd_atomic_blocks_init(struct rd_atomic_blocks *b, struct rd_arena *a, const struct rd_params *params);
/* True when the execution shows something that makes blocks smaller. */
bool rd_atomic_blocks_learn(struct rd_atomic_blocks *b, const struct rd_record *r);
/* What another worker has learned, too. True when that makes blocks smaller. */
bool rd_atomic_blocks_merge(struct rd_atomic_blocks *b, const struct rd_atomic_blocks *from);
enum rd_block_kind rd_atomic_blocks_kind(const struct rd_atomic_blocks *b, const struct rd_step *s);
/* Does a block end before this operation? `born`: the block has created a thread. */
bool rd_atomic_blocks_end_before(unsigned op, bool timed, bool born);
/*
 * The lock guards what is not seen: at least once no access was recorded while it was held, because the code is not
 * instrumented. What its sections have to do with each other is then not known.
 */
bool rd_atomic_blocks_blind(const struct rd_atomic_blocks *b, rd_place lock);
/* The object is tried, or waited for with a time limit. */
bool rd_atomic_blocks_tried(const struct rd_atomic_blocks *b, rd_place object);

#endif
