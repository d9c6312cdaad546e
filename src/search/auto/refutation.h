/*
 * refutation.h - whether samples refute a proof. A finished reduction has run every class and shown every bug. If
 * an execution of another search shows a further class or bug, that refutes the proof: the program shares data or
 * synchronises by operations that Raddle does not see.
 */
#ifndef RD_SEARCH_AUTO_REFUTATION_H
#define RD_SEARCH_AUTO_REFUTATION_H

#include "base/map.h"
#include "trace/claim.h"
#include "trace/types.h"

/* The largest number of keys; with more of them no proof counts as refuted. */
enum { RD_REFUTATION_MAX = 1 << 16 };

/*
 * The keys that the workers of a team have seen: a hash set, in which the lowest bit of a key says that the proof
 * has shown it.
 */
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
    uint64_t most;      /* the largest number of keys: RD_REFUTATION_MAX, or fewer with a memory limit */
    bool full;
    struct rd_refutation_common *common; /* NULL: alone */
};

void rd_refutation_open(struct rd_refutation *a, struct rd_arena *arena, uint64_t memory_max);
/* Notes the class or bug of an execution; `proof`: it is an execution of the proof. */
void rd_refutation_note(struct rd_refutation *a, const struct rd_record *r, bool proof);
/* Returns whether another execution has shown a key that the proof has not shown. pre: the proof is finished. */
static inline bool rd_refutation_refutes(const struct rd_refutation *a) {
    if (!a->common)
        return !a->full && a->others > 0;
    return __atomic_load_n(&a->common->count, __ATOMIC_ACQUIRE) <= RD_REFUTATION_MAX &&
           __atomic_load_n(&a->common->others, __ATOMIC_ACQUIRE) > 0;
}

#endif
