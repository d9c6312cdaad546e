/*
 * refutation.h - do samples agree with a proof? A reduction that has come to its end has run every order of events
 * that there is, and shown every bug. An execution of another search that shows one more refutes it: the program
 * shares data that is not seen, or synchronises in a way that is not.
 */
#ifndef RD_SEARCH_AUTO_REFUTATION_H
#define RD_SEARCH_AUTO_REFUTATION_H

#include "base/map.h"
#include "trace/claim.h"
#include "trace/types.h"

/* So many are compared; when there are more, nothing is said. */
enum { RD_REFUTATION_MAX = 1 << 16 };

/* What several workers have seen, in memory that they share: a hash set of keys; the lowest bit: the proof, too. */
enum { RD_REFUTATION_SLOTS = 2 * RD_REFUTATION_MAX };
struct rd_refutation_common {
    uint64_t count;
    int64_t others; /* as below; for a moment it may be too few */
    uint64_t slot[RD_REFUTATION_SLOTS];
};

struct rd_refutation {
    struct rd_arena *arena;
    struct rd_map seen; /* order of events or bug -> 1: the proof has shown it, 2: only others have */
    uint64_t others;    /* how many only others have shown */
    uint64_t most;      /* RD_REFUTATION_MAX, or what the memory allows */
    bool full;
    struct rd_refutation_common *common; /* NULL: there is one worker */
};

void rd_refutation_open(struct rd_refutation *a, struct rd_arena *arena, uint64_t memory_max);
void rd_refutation_note(struct rd_refutation *a, const struct rd_record *r, bool proof);
/* The proof is at its end: is there anything that it has not shown? */
static inline bool rd_refutation_refutes(const struct rd_refutation *a) {
    if (!a->common)
        return !a->full && a->others > 0;
    return __atomic_load_n(&a->common->count, __ATOMIC_ACQUIRE) <= RD_REFUTATION_MAX &&
           __atomic_load_n(&a->common->others, __ATOMIC_ACQUIRE) > 0;
}

#endif
