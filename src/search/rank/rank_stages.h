/*
 * rank_stages.h - what a search by ranks knows, how far it is, and what it does next. That changes only between
 * stages, so that the pieces of a stage, its units, do not depend on who runs them and when:
 *
 *   first   one unit: the first execution
 *   orders  no changes: for these and the first one every access is profiled. That tells who the threads are and
 *           which variables they share. A unit is one order of the priorities.
 *   sets    all sets of variables of one size (rank_vars.h). A unit is a set, a number of changes, from 1 on, and
 * an order. The orders of priorities are the same for all sets, so that the probability of having drawn enough is
 * one for all. check   some more executions with profiles, in other orders: a variable that shows only now is tried
 * in all sets that it is part of, and so on until nothing new comes. A thread that was not known begins anew.
 *
 * What executions show meanwhile is kept apart until the stage is over.
 */
#ifndef RD_SEARCH_RANK_RANK_STAGES_H
#define RD_SEARCH_RANK_RANK_STAGES_H

#include "base/bitset.h"
#include "search/rank/rank.h"
#include "search/rank/rank_tree.h"
#include "search/team/team.h"

enum rd_rank_stage { RD_RANK_FIRST, RD_RANK_ORDERS, RD_RANK_SETS, RD_RANK_CHECK, RD_RANK_OVER };

/* What executions have shown. */
struct rd_rank_known {
    struct rd_rank_who who;
    struct rd_rank_vars vars;
    struct rd_bits creators; /* threads that create others */
    bool yields, spins;      /* a thread has yielded; so often that its priority may have fallen */
    bool left_out;           /* something was, because it was covered before */
    bool too_many;           /* variables of a set: not all were tracked */
};

/* Both have shown it. */
void rd_rank_known_merge(struct rd_rank_known *to, const struct rd_rank_known *from);

struct rd_rank_course {
    enum rd_rank_stage stage;
    struct rd_rank_known known; /* that the stage goes by */
    uint32_t size, fresh;       /* of the sets of this stage; see struct rd_rank_sets … */
    uint64_t sets_before;       /* … and how many of that size come before them */
    uint32_t data;              /* how much of it was known when the sets were begun */
    bool ordered_done;          /* the orders without a change */
    uint32_t size_done;         /* sets of so many are done … */
    uint32_t tried;             /* … of so many variables in the list … */
    uint64_t covered;           /* … after so many executions */
};

/* What must be begun anew, because it was not known when it was begun; or that there are no more sets of a size. */
enum rd_rank_news { RD_RANK_AGAIN_SETS = 1, RD_RANK_AGAIN_ALL = 2, RD_RANK_AGAIN = 3, RD_RANK_NO_MORE = 4 };

enum { RD_RANK_SETS_MAX = 16 }; /* of a stage */

struct rd_rank_bounds {
    uint32_t changes, size_max;
    bool all; /* one set: all variables */
};

/* The stage is over, after so many executions, which have shown this; `news`: a set of enum rd_rank_news. */
void rd_rank_course_next(struct rd_rank_course *c, const struct rd_rank_bounds *b,
                         const struct rd_rank_known *shown, uint32_t news, uint64_t executions);

/* The search of one worker. */
struct rd_rank {
    struct rd_arena *arena;
    uint64_t seed;
    struct rd_rank_bounds bounds;
    uint32_t ordered;
    double missed; /* probability that is accepted */
    uint32_t percent;
    bool plain;

    struct rd_rank_course *course, own; /* in a team it is that of all */
    struct rd_rank_known seen;          /* by this worker, and with it all that the course knows */
    uint32_t news;                      /* enum rd_rank_news, of this stage */
    uint64_t unit;                      /* the next one */

    /* of the stage */
    struct rd_rank_sets sets;
    uint64_t set_number;                                  /* of the set that is searched, + 1; 0: none yet */
    uint64_t per_level[RD_RANK_CHANGES_MAX + 1], per_set; /* units */
    struct rd_rank_pieces set, along;                     /* where changes may be; what is tracked */
    bool watch_along;
    struct rd_permutations perms;
    struct rd_rank_tree tree;
    bool strange; /* the tree was that before the last execution */
    uint64_t executions;

    struct rd_team *team;
    uint32_t phase; /* of the course, as it was taken over */
    bool arrived;   /* at its end */
    struct rd_visited visited;
};

/* The stage of the course begins for this worker. */
void rd_rank_enter(struct rd_rank *s);
void rd_rank_claim(const void *state, struct rd_claim *c);

/*
 * rank_team.c: several workers have one course. Units are drawn from one counter; whoever gets none waits for the
 * others, and the last one makes the next stage from what all have shown.
 */
void rd_rank_join(struct rd_rank *s);
/* The stage that it has is not the one of the others any more, or it has none: it takes that one over. */
void rd_rank_follow(struct rd_rank *s);
/* A number for the next unit; UINT64_MAX: this one has to wait. */
uint64_t rd_rank_draw(struct rd_rank *s);
/* Nothing is left to it in this stage. RD_NEXT_RUN: there is another one. */
enum rd_next rd_rank_arrive(struct rd_rank *s);
/* Something that all have to know, a set of enum rd_rank_news; and what is known. */
void rd_rank_tell(const struct rd_rank *s, uint32_t news);
uint32_t rd_rank_told(const struct rd_rank *s);
/* The program is not deterministic, as this one has seen, or anyone. */
void rd_rank_tell_strange(const struct rd_rank *s);
bool rd_rank_strange(const struct rd_rank *s);

#endif
