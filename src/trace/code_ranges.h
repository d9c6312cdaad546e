/*
 * code_ranges.h - the code and the variables that the user names on the command line, as ranges of places. The
 * driver looks the names up (cli/run/named_code.h), because neither the search nor the tested process has symbols.
 */
#ifndef RD_TRACE_CODE_RANGES_H
#define RD_TRACE_CODE_RANGES_H

#include "trace/module.h"
#include "trace/types.h"

/*
 * The option that names a range: a parameter of the strategy (method=, var=, trust=, within=), --focus or
 * --suppress. Ranges of --suppress are in an array of their own.
 */
enum rd_names {
    RD_NAMES_METHOD,
    RD_NAMES_VAR,
    RD_NAMES_TRUST,
    RD_NAMES_WITHIN,
    RD_NAMES_FOCUS_VAR,
    RD_NAMES_FOCUS_FUNCTION,
    RD_NAMES_SUPPRESS_RACE,
    RD_NAMES_SUPPRESS_DEADLOCK,
    RD_NAMES_SUPPRESS_HEAP,
};
enum { RD_RANGES_MAX = 64 };
/* The code of one function, or the memory of one variable. */
struct rd_range {
    rd_place first, last;
    uint32_t list;    /* enum rd_names */
    uint32_t library; /* rd_library_hash of the library that the code is in; 0: it is in the program itself */
};

/* Returns a hash of the path of a library, not 0. Modules are numbered as they are loaded, so numbers can change.
 */
static inline uint32_t rd_library_hash(const char *path) {
    uint64_t h = 0;
    while (*path)
        h = rd_hash2(h, (unsigned char)*path++);
    return (uint32_t)h | 1;
}

/*
 * Ranges of the program's code that was compiled as C++20 or later according to its debug information, ascending.
 * In such code a plain store ends the release sequence of the same thread's earlier stores (detect/sync.h).
 */
enum { RD_CXX20_MAX = 64 };
struct rd_cxx20 {
    uint32_t count, pad;
    struct rd_range at[RD_CXX20_MAX];
};

#endif
