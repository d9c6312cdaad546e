/*
 * part.h - a component of a composite search (`auto`): a search with its own parameters and its own share of the
 * memory. It counts its executions and the memory that it has taken. The composite search decides which component
 * plans the next execution, that is, has its turn.
 *
 * In a team (team.h) each component has a number, which is the same for all workers, and shares its work in its
 * own way. A worker takes part in a component from the first time that it asks for an execution. A component that
 * cannot be divided belongs to the worker that asks first. The other workers get RD_NEXT_WAIT, and the first
 * worker of the team gets its claim at the end.
 */
#ifndef RD_SEARCH_TEAM_PART_H
#define RD_SEARCH_TEAM_PART_H

#include "search/team/team.h"

struct rd_part {
    const struct rd_search *search;
    void *state;
    enum rd_search_turn turn; /* which slots of the search may be called now */
    struct rd_arena *arena;
    uint64_t runs;  /* executions, including cut ones */
    uint64_t bytes; /* that the component took from the arena */
    bool done;      /* `next` has returned RD_NEXT_DONE */

    /* in a team */
    struct rd_team team; /* hub NULL: alone */
    struct rd_params *params;
    bool foreign;                   /* the component is for one worker, and another worker has it */
    struct rd_claim *foreign_claim; /* the claim of that worker, at the end; NULL: not known */
};

/* The properties that all components of one composite search share. */
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
/*
 * Like `next`; RD_NEXT_WAIT: another worker has to finish an execution first, or the component is for one worker
 * and another one has it.
 */
enum rd_next rd_part_next(struct rd_part *p, struct rd_draft *d);
void rd_part_feedback(struct rd_part *p, const struct rd_plan *plan, const struct rd_record *r);
/* The execution of the last plan was a divergence: there is no feedback. pre: the component does not rely on it. */
void rd_part_diverged(struct rd_part *p);
struct rd_claim rd_part_claim(const struct rd_part *p);
/* Returns the executions of all workers in this component. */
uint64_t rd_part_runs(const struct rd_part *p);
/* In a team: returns whether no worker has an execution of this component left. */
static inline bool rd_part_over(const struct rd_part *p) { return p->team.hub && rd_team_done(&p->team); }
/* In a team: returns whether this worker has work of this component, for which other workers may be waiting. */
bool rd_part_holds(const struct rd_part *p);
/*
 * Like the slots of struct rd_search_team_ops, for a list of components. In rd_parts_merge NULL skips the tally of
 * a component.
 */
size_t rd_parts_tally(struct rd_part *const *list, uint32_t count, void *to, size_t room);
void rd_parts_merge(struct rd_part *const *list, uint32_t count, const void *tally, size_t size);

/*
 * Decides which of `count` participants has its turn: the participant that is furthest behind its share. Shares
 * may change at any time. pre: at least one share is not 0.
 */
enum { RD_TURNS_MAX = 8 };
struct rd_turns {
    int64_t credit[RD_TURNS_MAX];
};
uint32_t rd_turns_next(struct rd_turns *t, const uint32_t *share, uint32_t count);
/*
 * Replaces the shares of the team by those of one worker. The shares, laid end to end, are cut into one piece of
 * equal size for each worker: so all workers together keep the shares, and each worker has few participants.
 */
void rd_turns_slice(uint32_t *share, uint32_t count, uint32_t worker, uint32_t workers);

#endif
