/*
 * rank_stages.h - the stages of a search by ranks. The knowledge on which a stage is based changes only between
 * stages, so the units of a stage do not depend on which worker runs them and when:
 * - first: one unit, the first execution
 * - orders: no changes of priority; for these executions and the first one every access is profiled. That shows
 *   which threads there are and which variables they share. A unit is one order of the priorities.
 * - sets: all sets of variables of one size (rank_vars.h). A unit is a set, a number of changes from 1 on, and an
 *   order. The orders of priorities are the same for all sets, so one probability of having drawn enough holds for
 *   all.
 * - check: some more executions with profiles, in other orders. If a check shows a new variable, the sets that
 *   contain it follow, and another check. If it shows a new thread, the search begins again.
 *
 * New facts of executions (variables, threads) are collected apart until the stage is over.
 */
#ifndef RD_SEARCH_RANK_RANK_STAGES_H
#define RD_SEARCH_RANK_RANK_STAGES_H

#include "base/bitset.h"
#include "search/rank/rank.h"
#include "search/rank/rank_tree.h"
#include "search/team/team.h"

enum rd_rank_stage { RD_RANK_FIRST, RD_RANK_ORDERS, RD_RANK_SETS, RD_RANK_CHECK, RD_RANK_OVER };

/* The facts that executions have shown. */
struct rd_rank_known {
    struct rd_rank_threads threads;
    struct rd_rank_vars vars;
    struct rd_bits creators; /* threads that create others */
    /* a thread has yielded; a thread has yielded so often that the picker may have lowered it */
    bool yields, spins;
    bool left_out; /* a continuation was left out because it was covered before */
    bool too_many; /* a set had more variables than can be tracked */
};

/* Adds the facts of `from` to `to`. */
void rd_rank_known_merge(struct rd_rank_known *to, const struct rd_rank_known *from);

struct rd_rank_course {
    enum rd_rank_stage stage;
    struct rd_rank_known known; /* the knowledge on which the stage is based */
    uint32_t size, fresh;       /* `size`: of the sets of this stage; `fresh`: see struct rd_rank_sets */
    uint64_t sets_before;       /* sets of that size in earlier stages */
    uint32_t data;              /* variables of shared data that were known when the sets were begun */
    bool ordered_done;          /* the orders without a change are finished */
    uint32_t size_done;         /* sets of this size are finished */
    uint32_t tried;             /* the finished sets are of the first `tried` variables of the list */
    uint64_t covered;           /* executions when they were finished */
};

/*
 * News that end a stage: facts that were not known when it began, so that the sets, or all, must begin again; or
 * that there are no more sets of this size.
 */
enum rd_rank_news { RD_RANK_AGAIN_SETS = 1, RD_RANK_AGAIN_ALL = 2, RD_RANK_AGAIN = 3, RD_RANK_NO_MORE = 4 };

enum { RD_RANK_SETS_MAX = 16 }; /* of a stage */

struct rd_rank_bounds {
    uint32_t changes, size_max;
    bool all; /* one set: all variables */
};

/*
 * Goes on to the next stage. `shown`: the facts of all executions; `news`: a set of enum rd_rank_news;
 * `executions`: their number so far.
 */
void rd_rank_course_next(struct rd_rank_course *c, const struct rd_rank_bounds *b,
                         const struct rd_rank_known *shown, uint32_t news, uint64_t executions);

/* The search of one worker. */
struct rd_rank {
    struct rd_arena *arena;
    uint64_t seed;
    struct rd_rank_bounds bounds;
    uint32_t ordered;
    double missed; /* the probability that is accepted */
    uint32_t percent;
    bool plain;

    struct rd_rank_course *course, own; /* `course` is `own` when alone, else that of the team */
    /* the facts that this worker's executions have shown, and all facts of the course */
    struct rd_rank_known seen;
    uint32_t news; /* enum rd_rank_news, of this stage */
    uint64_t unit; /* number of the next unit */

    /* of the stage */
    struct rd_rank_sets sets;
    /* the number of the set that is searched, + 1; 0: none yet */
    uint64_t set_number;
    uint64_t per_level[RD_RANK_CHANGES_MAX + 1], per_set; /* units with each number of changes; of a whole set */
    /* `set`: the memory after accesses to which a priority may change; `along`: that and other shared data */
    struct rd_rank_pieces set, along;
    bool watch_along;
    struct rd_permutations perms;
    struct rd_rank_tree tree;
    bool nondeterministic; /* the value of the tree before the last execution */
    uint64_t executions;

    struct rd_team *team;
    uint32_t phase; /* the phase of the course that was taken over */
    bool arrived;   /* this worker has finished its units of the phase */
    struct rd_visited visited;
};

/* Begins the stage of the course for this worker. */
void rd_rank_enter(struct rd_rank *s);
void rd_rank_claim(const void *state, struct rd_claim *c);

/*
 * rank_team.c: the workers of a team have one course. Units are drawn from one counter. A worker that gets none
 * waits for the others, and the last one to arrive begins the next stage with the facts that all workers have
 * shown.
 */
void rd_rank_join(struct rd_rank *s);
/* Takes over the stage of the team if this worker has another one, or none. */
void rd_rank_follow(struct rd_rank *s);
/* Draws the number of a unit; UINT64_MAX: this worker has to wait. */
uint64_t rd_rank_draw(struct rd_rank *s);
/* Called when this worker has no unit left in this stage. Returns RD_NEXT_RUN if the next stage has begun. */
enum rd_next rd_rank_arrive(struct rd_rank *s);
/*
 * rd_rank_tell: adds news for the whole team, a set of enum rd_rank_news. rd_rank_told: returns the news of all
 * workers.
 */
void rd_rank_tell(const struct rd_rank *s, uint32_t news);
uint32_t rd_rank_told(const struct rd_rank *s);
/*
 * rd_rank_tell_nondeterministic: if this worker has found that the program is not deterministic, notes it for the
 * team. rd_rank_nondeterministic: returns whether any worker has.
 */
void rd_rank_tell_nondeterministic(const struct rd_rank *s);
bool rd_rank_nondeterministic(const struct rd_rank *s);

#endif
