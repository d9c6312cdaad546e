/*
 * code_ranges.h - the code and the variables that the user names on the command line, as ranges of places: neither
 * the search nor the tested process has symbols, so the driver looks the names up (cli/run/named_code.h).
 */
#ifndef RD_TRACE_CODE_RANGES_H
#define RD_TRACE_CODE_RANGES_H

#include "trace/types.h"

/*
 * The code of a function or the memory of a variable that the strategy (method=, var=, trust=), --focus or
 * --suppress names. Those of --suppress are in an array of their own.
 */
enum rd_names {
    RD_NAMES_METHOD,
    RD_NAMES_VAR,
    RD_NAMES_TRUST,
    RD_NAMES_FOCUS_VAR,
    RD_NAMES_FOCUS_FUNCTION,
    RD_NAMES_SUPPRESS_RACE,
    RD_NAMES_SUPPRESS_DEADLOCK,
    RD_NAMES_SUPPRESS_HEAP,
};
enum { RD_RANGES_MAX = 64 };
struct rd_range {
    rd_place first, last;
    uint32_t list; /* enum rd_names */
    uint32_t pad;
};

/*
 * Code of the program that was compiled as C++20 or later, as far as its debug information says so, ascending.
 * There a plain store ends the release sequence of the same thread's earlier stores (detect/sync.h).
 */
enum { RD_CXX20_MAX = 64 };
struct rd_cxx20 {
    uint32_t count, pad;
    struct rd_range at[RD_CXX20_MAX];
};

#endif
