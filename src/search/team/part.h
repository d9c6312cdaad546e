/*
 * part.h - a component of a composite search (`auto`): a search with parameters and a share of the memory of its
 * own, and how often it had its turn and what it has used. The composite search decides which component has its
 * turn.
 *
 * In a team (team.h) each component has a number, which is the same for all workers, and shares its work in its own
 * way. A worker takes part in a component from the first time that it asks for an execution. A component that
 * cannot be divided belongs to the worker that asks first; the others get RD_NEXT_WAIT, and at the end its claim.
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
    uint64_t bytes; /* that the component took from the arena */
    bool done;      /* nothing is left to run */

    /* in a team */
    struct rd_team team; /* hub NULL: alone */
    struct rd_params *params;
    bool foreign;          /* another worker has the component, which is for one */
    struct rd_claim *told; /* the claim of that worker, at the end */
};

/* What all components of one search have in common. */
struct rd_parts {
    struct rd_arena *arena;
    const struct rd_params *params;
};

/*
 * Opens a component. `strategy` is written as on the command line; `memory_max` as in rd_params, for this component
 * alone.
 */
void rd_part_open(struct rd_part *p, const struct rd_parts *all, uint32_t number, const char *strategy,
                  uint64_t memory_max);
/* Like `next`; RD_NEXT_WAIT: another worker has to finish an execution first, or has the component for itself. */
enum rd_next rd_part_next(struct rd_part *p, struct rd_draft *d);
void rd_part_feedback(struct rd_part *p, const struct rd_plan *plan, const struct rd_record *r);
struct rd_claim rd_part_claim(const struct rd_part *p);
/* Returns the executions of all workers in this component. */
uint64_t rd_part_runs(const struct rd_part *p);
/* In a team: no worker has anything left to run. */
static inline bool rd_part_over(const struct rd_part *p) { return p->team.hub && rd_team_done(&p->team); }
/* In a team: returns whether this worker has work of this component that others may be waiting for. */
bool rd_part_holds(const struct rd_part *p);
/*
 * Like the slots of struct rd_search_team_ops, for a list of components. In rd_parts_merge NULL skips the tally of
 * a component.
 */
size_t rd_parts_tally(struct rd_part *const *list, uint32_t count, void *to, size_t room);
void rd_parts_merge(struct rd_part *const *list, uint32_t count, const void *tally, size_t size);

/*
 * Decides which of `count` participants has its turn: the one that is furthest behind its share. Shares may change
 * at any time. pre: at least one is not 0.
 */
enum { RD_TURNS_MAX = 8 };
struct rd_turns {
    int64_t credit[RD_TURNS_MAX];
};
uint32_t rd_turns_next(struct rd_turns *t, const uint32_t *share, uint32_t count);
/*
 * Computes the shares of one worker such that all workers together have these shares: each worker gets a piece of
 * the same size, in order, and as few participants as possible.
 */
void rd_turns_slice(uint32_t *share, uint32_t count, uint32_t worker, uint32_t workers);

#endif
