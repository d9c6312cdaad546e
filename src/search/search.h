/*
 * search.h - the interface of searches: a search plans the next execution, from the records of the executions so
 * far. Searches are pure: no I/O, no clock, no memory but the arena. A search is one file, one row in table.c, and
 * one unit test with an exact count.
 */
#ifndef RD_SEARCH_SEARCH_H
#define RD_SEARCH_SEARCH_H

#include "base/arena.h"
#include "base/error.h"
#include "pick/pick.h"
#include "trace/claim.h"
#include "trace/code_ranges.h"

enum rd_next {
    RD_NEXT_RUN,  /* the plan is written */
    RD_NEXT_DONE, /* every execution of the search was run */
    RD_NEXT_WAIT, /* in a team (team/team.h): another worker has to finish an execution first */
};

struct rd_team;

/* One "key=value" pair after the name of a strategy; the value of a bare key is "". */
struct rd_param {
    char key[32], value[256];
};
enum { RD_PARAMS_MAX = 16 };
/* The arguments of `open`: the parameters of the strategy, and the circumstances of the command. */
struct rd_params {
    struct rd_param at[RD_PARAMS_MAX]; /* in the order given */
    uint32_t count;
    uint64_t seed;
    /* bytes that the search may use for plans of executions yet to run; 0: no limit */
    uint64_t memory_max;
    bool fifo;                     /* a signal always wakes the first waiter: other choices are not explored */
    bool focused;                  /* preemptions may happen at some places only (--focus) */
    const struct rd_range *ranges; /* addresses of the functions and variables that the parameters name */
    uint32_t range_count;
    struct rd_team *team; /* the team of this worker; NULL: it is alone */
};

/*
 * The plan that `next` writes, and the memory for its arrays. The caller fills in the pointers, prefix_max, left,
 * memory_unseen and code_unseen; `next` writes the plan and what the pointers point to.
 */
struct rd_draft {
    struct rd_plan plan;
    struct rd_choice *prefix;
    uint32_t prefix_max;
    uint64_t left; /* executions that the budget is expected to allow from here on; 0: any number */
    /* accesses to memory are no points: a reduction does not see the dependences by them */
    bool memory_unseen;
    bool code_unseen;         /* some code of the program accesses memory without hooks */
    rd_tid *sleep;            /* RD_TID_MAX */
    struct rd_weight *weight; /* RD_TID_MAX */
    struct rd_track *track;   /* RD_TRACKS_MAX */
};

/*
 * The guarantee of a search whose `next` has returned RD_NEXT_DONE, unless its claim is void or incomplete (struct
 * rd_claim).
 */
struct rd_guarantee {
    const char *sentence; /* for the user */
    /* every behaviour within the bound was covered. False: a sampler, which gives no proof */
    bool exhaustive;
    bool outcomes;         /* every outcome (explore/outcomes.h) within the bound was shown */
    bool misses_deadlocks; /* a deadlock may have been left out */
};

/* How the workers of a team divide a search among them (team/team.h). */
enum rd_share {
    RD_SHARE_NOT,     /* the search is for one worker */
    RD_SHARE_UNITS,   /* workers give units to each other: `level`, `give`, `take` */
    RD_SHARE_TICKETS, /* each execution has a number, its ticket, and does not depend on the others */
    RD_SHARE_TREE,    /* the upper part of the search tree is in the hub (por/shared_tree.h) */
    RD_SHARE_PARTS,   /* a composite search: each component shares its work in its own way (team/part.h) */
};

/*
 * The slots of a search that a team can divide. They are called between executions, never between `next` and the
 * `feedback` to its plan. When the search is over, each other worker calls `tally`, and the first worker calls
 * `merge` with each tally; after that only `claim` is called.
 */
struct rd_search_team_ops {
    enum rd_share share; /* not RD_SHARE_NOT */
    /*
     * RD_SHARE_UNITS only: returns the level of the next execution (team/team.h); RD_LEVEL_NONE: this worker has
     * none.
     */
    uint64_t (*level)(void *state);
    /*
     * RD_SHARE_UNITS only: removes a unit of at most this level from the search and writes it to `to`. Returns its
     * size in bytes; 0: the search has too few executions left to share, or the unit needs more than `room`. The
     * search alone decides how much it gives away, about half of what is left as a rule.
     */
    size_t (*give)(void *state, uint64_t level, void *to, size_t room);
    /*
     * RD_SHARE_UNITS only: adds a unit that another worker gave away. pre: this worker has no execution of the
     * current level left.
     */
    void (*take)(void *state, const void *unit, size_t size);
    /*
     * Writes the tally of this worker: its contribution to the claim of the team. Returns the size in bytes, at
     * most `room`.
     */
    size_t (*tally)(const void *state, void *to, size_t room);
    /* Adds the tally of another worker. */
    void (*merge)(void *state, const void *tally, size_t size);
};

/* Optional slots: NULL in most searches. */
struct rd_search_hooks {
    /*
     * Returns the error in the combination of the parameters, or NULL. Called any number of times before `open`;
     * also without `open`.
     */
    const char *(*check)(const struct rd_params *params);
    /*
     * Returns the search that implements the strategy with these parameters if it is another one than this
     * (`icb:sleep`); NULL: it is this one. Called after `check`; then `open` is called on the search that was
     * returned.
     */
    const struct rd_search *(*variant)(const struct rd_params *params);
    /* Returns whether the search leaves out equivalent executions with these parameters. NULL: never. */
    bool (*reduces)(const struct rd_params *params);
    /*
     * Called in place of `feedback` when the execution was a divergence: the program did not follow the plan,
     * because of input from outside. There is no record. NULL: a divergence ends the search.
     */
    void (*diverged)(void *state);
    /*
     * Called when executions that tracked the same variables as the last plan did not show all accesses to them
     * (explore/sites.h): the search forgets these executions and begins this set of variables again. Called after
     * `feedback`, at most once for an execution. NULL: the search cannot begin a set again, and the caller makes
     * its claim void.
     */
    void (*restart_set)(void *state);
    /*
     * Predicts a finding from an execution that did not end with one. Called after `feedback` (and `restart_set`)
     * until it returns false; returns each finding once.
     */
    bool (*predict)(void *state, const struct rd_record *record, struct rd_finding *f);
};

/*
 * A search. Call order: `open` once. Then `next`; each time that it returns RD_NEXT_RUN the caller runs the
 * execution and calls `feedback` with its record (or `hooks.diverged`), then `hooks.restart_set` and
 * `hooks.predict` if they apply, then `next` again. After RD_NEXT_DONE `next` is not called any more. `claim` may
 * be called at any time after `open`. `explore/loop.c` and `team/part.c` check this order (enum rd_search_turn).
 */
struct rd_search {
    const char *name, *summary;
    /*
     * The parameters of the strategy, separated by spaces: `word` is bare, `word#` needs a number, `word=` a list.
     */
    const char *keys;
    struct rd_guarantee guarantee;
    bool focusable;       /* its claims stay true when --focus restricts preemptions to some places */
    bool profiles_memory; /* its profiles need the heap blocks and the globals (trace/profile.h) */
    /* its executions only fill the profile: the caller runs none of them twice, as that would double the counts */
    bool profiles_only;
    /* it keeps within rd_params.memory_max by itself; the caller stops any other search there */
    bool keeps_within;

    /* Returns the state of a new search, in the arena. pre: rd_search_parse accepted the parameters. */
    void *(*open)(struct rd_arena *a, const struct rd_params *params);
    /*
     * Writes the plan of the next execution and returns RD_NEXT_RUN; any other result: there is no plan (enum
     * rd_next).
     */
    enum rd_next (*next)(void *state, struct rd_draft *d);
    /* Takes the record of the execution that followed the last plan. */
    void (*feedback)(void *state, const struct rd_plan *plan, const struct rd_record *record);
    /*
     * Writes the claim of the executions so far, and the estimate of their number in all (struct rd_claim). pre:
     * *c is rd_claim_none().
     */
    void (*claim)(const void *state, struct rd_claim *c);

    struct rd_search_hooks hooks;
    const struct rd_search_team_ops *team; /* NULL: for one worker only */
};

/* Where a search stands in the call order, kept by its caller. */
enum rd_search_turn {
    RD_TURN_NEXT,    /* `next` is due: no execution was planned yet, `next` has returned RD_NEXT_WAIT, or after
                        `hooks.diverged` */
    RD_TURN_PLANNED, /* `next` has written a plan; `feedback` or `hooks.diverged` is due */
    RD_TURN_FED,     /* after `feedback`: `hooks.restart_set`, `hooks.predict` or `next` */
    RD_TURN_DONE,    /* `next` has returned RD_NEXT_DONE */
};

static inline enum rd_search_turn rd_search_turn_after(enum rd_next next) {
    return next == RD_NEXT_RUN ? RD_TURN_PLANNED : next == RD_NEXT_DONE ? RD_TURN_DONE : RD_TURN_NEXT;
}

extern const struct rd_search *const rd_searches[];
extern const uint32_t rd_search_count;
/* Searches that other code names; only table.c names the others. */
extern const struct rd_search rd_search_auto, rd_search_dfs, rd_search_dpor, rd_search_icb, rd_search_exitblock;
/* Not in the table: the search of 'raddle list variables'. */
extern const struct rd_search rd_search_profile;

/* Parses "name:key=value,…". Returns the search, or NULL with the reason in `error`. */
const struct rd_search *rd_search_parse(const char *text, struct rd_params *params, struct rd_error *error);
/* How a team divides the search; RD_SHARE_NOT: it is for one worker. */
static inline enum rd_share rd_search_share(const struct rd_search *s) {
    return s->team ? s->team->share : RD_SHARE_NOT;
}
static inline bool rd_search_divides(const struct rd_search *s) { return rd_search_share(s) != RD_SHARE_NOT; }
/* Returns whether the search draws executions instead of covering all of them. */
static inline bool rd_search_samples(const struct rd_search *s) { return !s->guarantee.exhaustive; }
/*
 * Returns whether preemptions may be restricted to some places (--focus) with this search: not if it leaves out
 * executions that are equivalent to others, which may have no preemption at these places.
 */
bool rd_search_may_focus(const struct rd_search *s, const struct rd_params *params);
/* An unsigned parameter, or `otherwise` when it is not given. Checked by rd_search_parse to be a number. */
uint64_t rd_param_number(const struct rd_params *params, const char *key, uint64_t otherwise);
/* The value of a parameter, "" for a bare one; NULL: not given. */
const char *rd_param_text(const struct rd_params *params, const char *key);
static inline bool rd_param_given(const struct rd_params *params, const char *key) {
    return rd_param_text(params, key) != NULL;
}

#endif
