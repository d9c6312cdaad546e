/*
 * priority.h - the priorities of best-first search (`best`, GAMBIT section 4): functions that say how soon an
 * alternative is run. A priority is one file with its row (struct rd_priority) and one row in table.c.
 *
 * `best` compares the priorities that the user gives, in the order given: the values become one number, the key of
 * the alternative, the first in the highest bits. The smallest key is run first. A priority never leaves an
 * alternative out: a bad one only costs time.
 */
#ifndef RD_SEARCH_PRIORITY_PRIORITY_H
#define RD_SEARCH_PRIORITY_PRIORITY_H

#include "base/rng.h"
#include "search/por/backtrack_marks.h"

/* Facts of an execution that cost time to find: they are there if a priority of the search needs them. */
enum {
    RD_PRIORITY_RACES = 1,   /* the marks RD_BACKTRACK_RACE and _FIRM (por/backtrack_marks.h) */
    RD_PRIORITY_SLEEP = 2,   /* the mark RD_BACKTRACK_ASLEEP */
    RD_PRIORITY_PENDING = 4, /* the pending events of the threads, `now` of the marks */
};

/* An alternative, and the execution that offers it. */
struct rd_priority_view {
    const struct rd_record *record;
    /* the facts that are needed, at `step`. `at` and `now` are NULL if no priority needs any */
    const struct rd_backtrack_marks *marks;
    uint32_t step;                          /* where the alternative differs from the execution */
    const struct rd_delta_tree_node *child; /* `pick`: its thread or way; `cost`: the preemptions up to there */
    const struct rd_range *ranges;          /* what the lists of the parameters name */
    uint32_t range_count;
    struct rd_rng *rng; /* for choices at random */
};

struct rd_priority {
    unsigned bits;    /* values are less than 2 to the power of this */
    unsigned needs;   /* RD_PRIORITY_*: the facts that it reads */
    bool names;       /* its value depends on names that the user gives, and is equal for most alternatives */
    bool is_the_cost; /* its value is the number of preemptions: as the first priority it gives the order of icb */
    /* Returns the value for the alternative; smaller is sooner. */
    uint64_t (*of)(const struct rd_priority_view *v);
};

struct rd_priority_row {
    const char *key; /* of the parameter, as in `keys` of struct rd_search: "pb", "method=" */
    const struct rd_priority *priority;
};
extern const struct rd_priority_row rd_priorities[];
extern const uint32_t rd_priority_count;
/* The keys of all priorities, each followed by a space, and the keys of `best` itself. */
extern const char rd_best_keys[];
/* The summary of `best`: all priorities by their names. */
extern const char rd_best_summary[];

enum { RD_PRIORITIES_MAX = 16, RD_PRIORITY_BITS = 64 };

/* The priorities of a search, in the order given. */
struct rd_priority_order {
    const struct rd_priority *at[RD_PRIORITIES_MAX];
    uint32_t count;
    unsigned bits, needs; /* of all of them */
    struct rd_rng rng;
    const struct rd_range *ranges;
    uint32_t range_count;
};

/* Reads the priorities that the parameters give; each counts once. Without any there is a default. */
void rd_priority_order_open(struct rd_priority_order *o, const struct rd_params *params);
/* Returns whether the first priority is the number of preemptions. */
static inline bool rd_priority_order_by_cost(const struct rd_priority_order *o) {
    return o->count && o->at[0]->is_the_cost;
}
/*
 * Examines the execution: finds the facts that the priorities need, in memory of `scratch`, and goes to step 0. The
 * caller goes on with rd_backtrack_marks_pass if `now` is not NULL.
 */
void rd_priority_order_examine(const struct rd_priority_order *o, const struct rd_record *r,
                               const struct rd_delta_tree *tree, struct rd_arena *scratch,
                               struct rd_backtrack_marks *m);
/* Returns the key of an alternative at this step of the execution. pre: the marks have come to this step. */
uint64_t rd_priority_order_key(struct rd_priority_order *o, const struct rd_backtrack_marks *m, uint32_t step,
                               const struct rd_delta_tree_node *child);

/*
 * names.c: returns 0 if both the operation that is preempted and the one that preempts it are on the list, 1 if one
 * of them is, 2 if none is. The list is of functions (RD_NAMES_METHOD) or of variables.
 */
uint64_t rd_priority_unlisted(const struct rd_priority_view *v, enum rd_names list);

#endif
