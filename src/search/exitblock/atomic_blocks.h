/*
 * atomic_blocks.h - atomic blocks: at which points of an execution a switch to another thread must be tried, and
 * at which it need not be.
 *
 * A block is a part of a thread that Lipton's reduction allows to be run in one go: first right movers (a lock is
 * taken, data under a lock is accessed), then one left mover (a lock is released) or an operation that does not
 * move at all. The block ends with that operation. So these operations are *exits*:
 * - the release of a mutex, spin lock or read-write lock, except for the inner releases of a recursive lock,
 *   releases in trusted code, and locks that only one thread uses (private_locks.h; robust mutexes are no such
 *   locks); a condition wait (it releases the mutex; one exit, however deep the mutex is locked)
 * - a semaphore post, the arrival at a barrier, the end of a once routine, a futex operation, input and output,
 *   signals, cancellation, destroying an object, process exit
 * - every atomic access
 * - a try or timed operation, and every operation that has failed; taking a lock that is tried or taken with a
 *   time limit anywhere, because then other threads observe that it is held
 * - signal and broadcast, unless every use of that condition is under a common mutex
 * - yield and sleep
 *
 * No exits are: taking a lock, waiting for a semaphore, for a barrier to open or for another thread to end, waking
 * from a condition wait, plain reads and writes, the start of a thread. The creation of a thread ends a block, but
 * only before the next operation that is no creation and no release.
 *
 * Whether an operation occurs "anywhere", and whether "every" use has a property, is learned from the executions.
 * When an execution shows new facts, blocks get smaller, and a search over blocks has to begin again.
 */
#ifndef RD_SEARCH_EXITBLOCK_ATOMIC_BLOCKS_H
#define RD_SEARCH_EXITBLOCK_ATOMIC_BLOCKS_H

#include "base/map.h"
#include "search/exitblock/private_locks.h"
#include "search/search.h"

enum rd_block_kind { RD_BLOCK_INSIDE, RD_BLOCK_BIRTH, RD_BLOCK_EXIT };

struct rd_atomic_blocks {
    struct rd_arena *arena;
    struct rd_range trusted[RD_RANGES_MAX];
    uint32_t trusted_count;
    const struct rd_range *named; /* all code that the parameters name */
    uint32_t named_count;
    struct rd_map tried;  /* objects that are tried, or waited for with a time limit */
    struct rd_map guards; /* by condition: struct guard */
    struct rd_map locks; /* by lock: 1 if a critical section had no access, neither an operation nor a silent one */
    struct rd_private_locks privates;
    /* the search uses footprints of blocks, too: then a lock that guards unseen code is a new fact */
    bool footprints;
    bool deaths; /* a thread observed the end of another one without waiting for it */
    bool waits;  /* in a block, a thread that held a lock waited for an object that is no lock */
    /* a signal handler or a cancellation came, which can be anywhere, also in the middle of a block */
    bool handlers;
    bool misplaced;   /* code that the parameters name is in a library that has another number in this process */
    uint64_t changes; /* how often any of this has changed */
};

void rd_atomic_blocks_init(struct rd_atomic_blocks *b, struct rd_arena *a, const struct rd_params *params);
/* Learns from an execution. Returns true if that makes blocks smaller. */
bool rd_atomic_blocks_learn(struct rd_atomic_blocks *b, const struct rd_record *r);
/* Adds the facts that another worker has learned. Returns true if that makes blocks smaller. */
bool rd_atomic_blocks_merge(struct rd_atomic_blocks *b, const struct rd_atomic_blocks *from);
enum rd_block_kind rd_atomic_blocks_kind(const struct rd_atomic_blocks *b, const struct rd_step *s);
/* Returns whether a block ends before this operation. `born`: the block has created a thread. */
bool rd_atomic_blocks_end_before(unsigned op, bool timed, bool born);
/*
 * Returns whether the lock guards unseen code: a critical section of it had no recorded access, because its code is
 * not instrumented. Then critical sections of this lock may depend on each other.
 */
bool rd_atomic_blocks_guards_unseen(const struct rd_atomic_blocks *b, rd_place lock);
/* Returns whether the step takes, tries or releases a lock that only one thread uses. */
bool rd_atomic_blocks_private(const struct rd_atomic_blocks *b, const struct rd_step *s);
/* Returns whether the object is tried, or waited for with a time limit. */
bool rd_atomic_blocks_tried(const struct rd_atomic_blocks *b, rd_place object);

#endif
