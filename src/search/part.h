/*
 * part.h - a search as part of another one, which decides whose turn it is: its own parameters and share of the
 * memory, how often it was its turn, and what it has used.
 */
#ifndef RD_PART_H
#define RD_PART_H

#include "search/search.h"

struct rd_part {
    const struct rd_search *search;
    void *state;
    struct rd_arena *arena;
    uint64_t runs;  /* executions, those that were cut included */
    uint64_t bytes; /* of the arena */
    bool done;      /* it has nothing left to run */
};

/* What all parts of one search have in common. */
struct rd_parts {
    struct rd_arena *arena;
    const struct rd_params *params;
};

/* `strategy` as on the command line. `memory_max` as in rd_params, of this part alone. */
void rd_part_open(struct rd_part *p, const struct rd_parts *all, const char *strategy, uint64_t memory_max);
bool rd_part_next(struct rd_part *p, struct rd_draft *d);
void rd_part_feedback(struct rd_part *p, const struct rd_plan *plan, const struct rd_record *r);
struct rd_claim rd_part_claim(const struct rd_part *p);

/*
 * Whose turn it is, when everybody has a share: the one that is furthest behind. Shares may change at any time;
 * somebody must have one.
 */
enum { RD_TURNS_MAX = 8 };
struct rd_turns {
    int64_t credit[RD_TURNS_MAX];
};
uint32_t rd_turns_next(struct rd_turns *t, const uint32_t *share, uint32_t count);

#endif
