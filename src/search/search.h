/*
 * search.h - searches: which execution to run next, from what the last ones showed. Pure; a search is one file,
 * one row in table.c, and one unit test with an exact count.
 *
 * Call order: open once; then next, and for every RD_NEXT_RUN the execution and one feedback. `prefix` given to
 * next has room for `prefix_max` choices; the plan's prefix_count says how many were written.
 */
#ifndef RD_SEARCH_H
#define RD_SEARCH_H

#include "base/arena.h"
#include "pick/pick.h"
#include "trace/types.h"

enum rd_next { RD_NEXT_RUN, RD_NEXT_DONE };

/* key=value pairs after the strategy's name; a bare key has the value "". */
struct rd_param {
    char key[32], value[96];
};
enum { RD_PARAMS_MAX = 16 };
struct rd_params {
    struct rd_param at[RD_PARAMS_MAX];
    uint32_t count;
    uint64_t seed;
};

struct rd_search {
    const char *name, *summary;
    const char *keys; /* the parameters it takes, separated by spaces */
    bool exhaustive;  /* RD_NEXT_DONE means that everything was covered */
    void *(*open)(struct rd_arena *a, const struct rd_params *params);
    enum rd_next (*next)(void *state, struct rd_plan *plan, struct rd_choice *prefix, uint32_t prefix_max);
    void (*feedback)(void *state, const struct rd_plan *plan, const struct rd_record *record);
    /* One sentence: what a finished search has proved. */
    const char *guarantee;
};

extern const struct rd_search *const rd_searches[];
extern const uint32_t rd_search_count;
extern const struct rd_search rd_search_auto, rd_search_dfs, rd_search_random;

/* Parses "name:key=value,…". Returns the search, or NULL with the reason in `error`. */
const struct rd_search *rd_search_parse(const char *text, struct rd_params *params, char *error, size_t room);
/* An unsigned parameter, or `otherwise` when it is not given. Checked by rd_search_parse to be a number. */
uint64_t rd_param_number(const struct rd_params *params, const char *key, uint64_t otherwise);

#endif
