/*
 * part.h - a search as part of another one, which decides whose turn it is: its own parameters and share of the
 * memory, how often it was its turn, and what it has used.
 *
 * In a team (team.h) each part has a number, which is the same for all workers, and is divided in its own way. A
 * worker takes part from the first time that it asks on. A part that cannot be divided belongs to the worker that
 * has asked first; the others are told to wait, and at the end what it claims.
 */
#ifndef RD_SEARCH_TEAM_PART_H
#define RD_SEARCH_TEAM_PART_H

#include "search/team/team.h"

struct rd_part {
    const struct rd_search *search;
    void *state;
    enum rd_search_turn turn; /* which slots of the search may be called now */
    struct rd_arena *arena;
    uint64_t runs;  /* executions, those that were cut included */
    uint64_t bytes; /* of the arena */
    bool done;      /* it has nothing left to run */

    /* in a team */
    struct rd_team team; /* hub NULL: it is alone */
    struct rd_params *params;
    bool foreign;          /* it is another worker's alone */
    struct rd_claim *told; /* … and what that one claims */
};

/* What all parts of one search have in common. */
struct rd_parts {
    struct rd_arena *arena;
    const struct rd_params *params;
};

/* `strategy` as on the command line. `memory_max` as in rd_params, of this part alone. */
void rd_part_open(struct rd_part *p, const struct rd_parts *all, uint32_t number, const char *strategy,
                  uint64_t memory_max);
/* RD_NEXT_WAIT: another worker has to come first, or it is another's. */
enum rd_next rd_part_next(struct rd_part *p, struct rd_draft *d);
void rd_part_feedback(struct rd_part *p, const struct rd_plan *plan, const struct rd_record *r);
struct rd_claim rd_part_claim(const struct rd_part *p);
/* Executions of all workers. */
uint64_t rd_part_runs(const struct rd_part *p);
/* In a team: nothing is left to anybody. */
static inline bool rd_part_over(const struct rd_part *p) { return p->team.hub && rd_team_done(&p->team); }
/* In a team: this worker has something of it that others may be waiting for. */
bool rd_part_holds(const struct rd_part *p);
/* As those of searches, for several at once. NULL: what there is of that one is passed over. */
size_t rd_parts_tally(struct rd_part *const *list, uint32_t count, void *to, size_t room);
void rd_parts_merge(struct rd_part *const *list, uint32_t count, const void *tally, size_t size);

/*
 * Whose turn it is, when everybody has a share: the one that is furthest behind. Shares may change at any time;
 * somebody must have one.
 */
enum { RD_TURNS_MAX = 8 };
struct rd_turns {
    int64_t credit[RD_TURNS_MAX];
};
uint32_t rd_turns_next(struct rd_turns *t, const uint32_t *share, uint32_t count);
/*
 * Shares of one of several workers so that all of them together have these: each has a piece of the same size, in
 * order, and so few parts as can be.
 */
void rd_turns_slice(uint32_t *share, uint32_t count, uint32_t worker, uint32_t workers);

#endif
