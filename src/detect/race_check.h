/*
 * race_check.h - finds races while an execution runs: it gets the steps in the order of the execution, for the
 * vector clocks of sync.h, and accesses that are no steps. The answer is one bit: this access races with an earlier
 * one. (The detector that describes races reads the record: race.c.) Pure; all memory is from an arena.
 *
 * As in race.c an access is its thread and the epoch of that thread, and a word has a list of the accesses that a
 * later one can still race with.
 */
#ifndef RD_DETECT_RACE_CHECK_H
#define RD_DETECT_RACE_CHECK_H

#include "detect/race_access.h"
#include "detect/sync.h"

struct rd_race_check {
    struct rd_sync sync;
    struct rd_map words;            /* word -> struct race_check_entry *, the newest first */
    struct race_check_entry *spare; /* elements of lists that can be used again */
};

void rd_race_check_init(struct rd_race_check *c, struct rd_arena *a, uint32_t threads,
                        const struct rd_cxx20 *cxx20);
/*
 * Adds a step; a VALUE step is ignored. Returns the epoch that its thread was in before it: an atomic access of the
 * step has this epoch, and is added behind the step. pre: rd_sync_reach() was called for its threads
 */
uint32_t rd_race_check_step(struct rd_race_check *c, const struct rd_step *step);
/*
 * Adds an access of the thread, in this epoch of it, to a word: a number that stands for 8 bytes. Returns whether
 * it races with an earlier access to the word. A free takes the place of all accesses before it: a later access is
 * a use of the freed block, and races with the free, or of a block that was made of the memory since then, and
 * comes after the free.
 */
bool rd_race_check_access(struct rd_race_check *c, uint64_t word, rd_tid tid, uint32_t epoch,
                          const struct rd_race_access *access);

#endif
