/*
 * search.h - searches: which execution to run next, from what the last ones showed. Pure; a search is one file,
 * one row in table.c, and one unit test with an exact count.
 *
 * Call order: open once; then next, and for every RD_NEXT_RUN the execution and one feedback; claim at any time
 * between executions.
 */
#ifndef RD_SEARCH_SEARCH_H
#define RD_SEARCH_SEARCH_H

#include "base/arena.h"
#include "pick/pick.h"
#include "trace/claim.h"
#include "trace/code_ranges.h"

enum rd_next {
    RD_NEXT_RUN,
    RD_NEXT_DONE,
    RD_NEXT_WAIT, /* in a team (team.h): another worker has to come first */
};

struct rd_team;

/* key=value pairs after the strategy's name, in the order given; a bare key has the value "". */
struct rd_param {
    char key[32], value[256];
};
enum { RD_PARAMS_MAX = 16 };
struct rd_params {
    struct rd_param at[RD_PARAMS_MAX];
    uint32_t count;
    uint64_t seed;
    uint64_t memory_max;           /* bytes that the search may use for what it has yet to run; 0: no limit */
    bool fifo;                     /* signals wake the first waiter: the choice is not explored */
    bool focused;                  /* preemptions may happen at some places only (--focus) */
    const struct rd_range *ranges; /* where the names in the parameters are */
    uint32_t range_count;
    struct rd_team *team; /* that it works in; NULL: alone */
};

/* The plan that is being written, and where its arrays are. */
struct rd_draft {
    struct rd_plan plan;
    struct rd_choice *prefix;
    uint32_t prefix_max;
    uint64_t left;            /* executions that the budget allows from here on, as it looks now; 0: any number */
    bool blind;               /* accesses to memory are no points: what depends on what is not all known */
    rd_tid *sleep;            /* RD_TID_MAX */
    struct rd_weight *weight; /* RD_TID_MAX */
    struct rd_track *track;   /* RD_TRACKS_MAX */
};

/* How several workers divide it among them (team.h). */
enum rd_share {
    RD_SHARE_NOT,     /* it is for one worker */
    RD_SHARE_UNITS,   /* by `give` and `take` */
    RD_SHARE_TICKETS, /* executions do not depend on each other: by their numbers */
    RD_SHARE_GROVE,   /* by a tree that they have together (shared_tree.h) */
    RD_SHARE_PARTS,   /* it is made of others, each of which is divided in its own way (part.h) */
};

struct rd_search {
    const char *name, *summary;
    /* the parameters it takes, separated by spaces: `word` is bare, `word#` needs a number, `word=` a list */
    const char *keys;
    bool exhaustive;   /* RD_NEXT_DONE means that everything was covered */
    bool outcomes;     /* … and that there are no other outcomes (outcomes.h) than those that were shown */
    bool focus;        /* what it claims stays true when preemptions may happen at some places only (--focus) */
    bool variables;    /* wants the heap's blocks and the globals in the profile */
    bool no_deadlocks; /* … but a deadlock may have been left out */
    bool once;         /* the first execution is not run twice: it proves nothing, and counts would be doubled */
    bool frugal;       /* keeps within memory_max by itself; any other search is stopped there */
    /* What is wrong with the parameters together, or NULL. May be NULL itself. */
    const char *(*check)(const struct rd_params *params);
    /* What it is with these parameters, if it is a search of its own; else NULL. May be NULL itself. */
    const struct rd_search *(*as)(const struct rd_params *params);
    void *(*open)(struct rd_arena *a, const struct rd_params *params);
    enum rd_next (*next)(void *state, struct rd_draft *d);
    void (*feedback)(void *state, const struct rd_plan *plan, const struct rd_record *record);
    /*
     * Executions that tracked what the last plan does were not what they seemed (sites.h): they do not count, and
     * the search begins that set of variables again. Called after feedback. NULL: it cannot, and claims nothing.
     */
    void (*restart)(void *state);
    /*
     * The program could not follow the last plan because of something that came from outside it. There is no
     * feedback, and nothing that was recorded can be relied on. NULL: that ends the search.
     */
    void (*astray)(void *state);
    /*
     * A finding about an execution that did not end with one: what it shows could go wrong. Called after feedback
     * until it returns false; a finding comes once. NULL: none.
     */
    bool (*predict)(void *state, const struct rd_record *record, struct rd_finding *f);
    /*
     * What is proved so far, and how much there is: see struct rd_claim. NULL: nothing before the end, then what
     * `guarantee` says.
     */
    void (*claim)(const void *state, struct rd_claim *c);
    /* One sentence: what a finished search has proved. */
    const char *guarantee;

    enum rd_share share;
    /* The level of what is run next (team.h), RD_LEVEL_NONE: there is nothing. RD_SHARE_UNITS. */
    uint64_t (*level)(void *state);
    /* Gives away part of what is left, up to this level; its size, 0: there is too little, or no room. */
    size_t (*give)(void *state, uint64_t level, void *to, size_t room);
    void (*take)(void *state, const void *unit, size_t size);
    /* What another worker has to know of this one for the claim; nothing is run after it. */
    size_t (*tally)(const void *state, void *to, size_t room);
    void (*merge)(void *state, const void *tally, size_t size);
};

extern const struct rd_search *const rd_searches[];
extern const uint32_t rd_search_count;
extern const struct rd_search rd_search_auto, rd_search_dfs, rd_search_random, rd_search_dpor, rd_search_bpor;
extern const struct rd_search rd_search_idfs, rd_search_icb, rd_search_delay, rd_search_best, rd_search_exitblock;
extern const struct rd_search rd_search_profile; /* not in the table: what 'raddle list variables' runs */
extern const struct rd_search rd_search_pct, rd_search_pos, rd_search_rapos, rd_search_urw;
extern const struct rd_search rd_search_surw, rd_search_pctvb, rd_search_rff, rd_search_rank;

/* Parses "name:key=value,…". Returns the search, or NULL with the reason in `error`. */
const struct rd_search *rd_search_parse(const char *text, struct rd_params *params, char *error, size_t room);
/* Can several workers divide it among them? */
static inline bool rd_search_divides(const struct rd_search *s) { return s->share != RD_SHARE_NOT; }
/* May preemptions be restricted to some places with this strategy? Not where something equivalent is left out. */
bool rd_search_may_focus(const struct rd_search *s, const struct rd_params *params);
/* An unsigned parameter, or `otherwise` when it is not given. Checked by rd_search_parse to be a number. */
uint64_t rd_param_number(const struct rd_params *params, const char *key, uint64_t otherwise);
/* The value of a parameter, "" for a bare one; NULL: not given. */
const char *rd_param_text(const struct rd_params *params, const char *key);
static inline bool rd_param_given(const struct rd_params *params, const char *key) {
    return rd_param_text(params, key) != NULL;
}

#endif
