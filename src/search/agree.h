/*
 * agree.h - do samples agree with a proof? A reduction that has come to its end has run every order of events that
 * there is, and shown every bug. An execution of another search that shows one more refutes it: the program shares
 * data that is not seen, or synchronises in a way that is not.
 */
#ifndef RD_AGREE_H
#define RD_AGREE_H

#include "base/map.h"
#include "trace/channel.h"

/* So many are compared; when there are more, nothing is said. */
enum { RD_AGREE_MAX = 1 << 16 };

struct rd_agree {
    struct rd_arena *arena;
    struct rd_map seen; /* order of events or bug -> 1: the proof has shown it, 2: only others have */
    uint64_t others;    /* how many only others have shown */
    uint64_t most;      /* RD_AGREE_MAX, or what the memory allows */
    bool full;
};

void rd_agree_open(struct rd_agree *a, struct rd_arena *arena, uint64_t memory_max);
void rd_agree_note(struct rd_agree *a, const struct rd_record *r, bool proof);
/* The proof is at its end: is there anything that it has not shown? */
static inline bool rd_agree_refutes(const struct rd_agree *a) { return !a->full && a->others > 0; }

#endif
