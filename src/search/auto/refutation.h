/*
 * refutation.h - whether samples agree with a proof. A reduction that is finished has run every class and shown
 * every bug. An execution of another search that shows one more refutes it: the program shares data or synchronises
 * in a way that is not seen.
 */
#ifndef RD_SEARCH_AUTO_REFUTATION_H
#define RD_SEARCH_AUTO_REFUTATION_H

#include "base/map.h"
#include "trace/claim.h"
#include "trace/types.h"

/* Keys that are compared; with more of them nothing is refuted. */
enum { RD_REFUTATION_MAX = 1 << 16 };

/* What the workers of a team have seen: a hash set of keys, whose lowest bit says that the proof has shown it. */
enum { RD_REFUTATION_SLOTS = 2 * RD_REFUTATION_MAX };
struct rd_refutation_common {
    uint64_t count;
    int64_t others; /* keys that the proof has not shown; may be too small for a moment */
    uint64_t slot[RD_REFUTATION_SLOTS];
};

struct rd_refutation {
    struct rd_arena *arena;
    struct rd_map seen; /* class or bug -> 1: the proof has shown it, 2: only other executions have */
    uint64_t others;    /* keys that only other executions have shown */
    uint64_t most;      /* RD_REFUTATION_MAX, or what the memory allows */
    bool full;
    struct rd_refutation_common *common; /* NULL: alone */
};

void rd_refutation_open(struct rd_refutation *a, struct rd_arena *arena, uint64_t memory_max);
void rd_refutation_note(struct rd_refutation *a, const struct rd_record *r, bool proof);
/* Returns whether another execution has shown what the proof has not. pre: the proof is finished. */
static inline bool rd_refutation_refutes(const struct rd_refutation *a) {
    if (!a->common)
        return !a->full && a->others > 0;
    return __atomic_load_n(&a->common->count, __ATOMIC_ACQUIRE) <= RD_REFUTATION_MAX &&
           __atomic_load_n(&a->common->others, __ATOMIC_ACQUIRE) > 0;
}

#endif
