/*
 * race_access.h - when two accesses to a word of 8 bytes race if nothing orders them, and which accesses to a word
 * a detector has to keep. For the detector that reads records (race.c), and for the one that runs beside an
 * execution (race_check.h).
 */
#ifndef RD_DETECT_RACE_ACCESS_H
#define RD_DETECT_RACE_ACCESS_H

#include "base/base.h"

/* What an access does to one word. */
struct rd_race_access {
    uint8_t mask; /* the bytes of the word, as bits; not 0 */
    bool write, atomic;
    bool frees;  /* it is a free, which writes the whole word */
    bool object; /* it is the use of a synchronisation object: only a free of its memory conflicts with it */
};

/* Returns the bytes from first to last (addresses, or places) that lie in this word, as bits. */
static inline uint8_t rd_race_mask(uint64_t word, uint64_t first, uint64_t last) {
    RD_ASSERT(first / 8 <= word && word <= last / 8);
    unsigned low = word == first / 8 ? first % 8 : 0, high = word == last / 8 ? last % 8 : 7;
    return (uint8_t)(0xffu >> (7 - high) & 0xffu << low);
}

/* True if the two accesses to a word conflict: common bytes, one writes, and not both are atomic. */
static inline bool rd_race_conflict(const struct rd_race_access *a, const struct rd_race_access *b) {
    if (a->object || b->object)
        return (a->mask & b->mask) && (a->frees || b->frees);
    return (a->mask & b->mask) && (a->write || b->write) && !(a->atomic && b->atomic);
}

/*
 * True if every later access that races with `old` races with `new`, too: then `old` need not be kept.
 * pre: `old` happens before `new`, or is of the same thread
 */
static inline bool rd_race_is_covered(const struct rd_race_access *old, const struct rd_race_access *new) {
    return (old->mask & ~new->mask) == 0 && (new->write || !old->write) && (!new->atomic || old->atomic) &&
           (!new->object || old->object);
}

#endif
