/*
 * code_ranges.h - the code and the variables that the user names on the command line, as ranges of places. The
 * driver looks the names up (cli/run/named_code.h), because neither the search nor the tested process has symbols.
 */
#ifndef RD_TRACE_CODE_RANGES_H
#define RD_TRACE_CODE_RANGES_H

#include "trace/module.h"
#include "trace/types.h"

/*
 * The option that names a range: a parameter of the strategy (method=, var=, trust=, within=), or --focus.
 */
enum rd_names {
    RD_NAMES_METHOD,
    RD_NAMES_VAR,
    RD_NAMES_TRUST,
    RD_NAMES_WITHIN,
    RD_NAMES_FOCUS_VAR,
    RD_NAMES_FOCUS_FUNCTION,
};
enum { RD_RANGES_MAX = 64 };
/* The code of one function, or the memory of one variable. */
struct rd_range {
    rd_place first, last;
    uint32_t list;    /* enum rd_names */
    uint32_t library; /* rd_library_hash of the library that the code is in; 0: it is in the program itself */
};

/*
 * What makes a finding one that the user knows (--suppress): code that it is in, memory that a race is about, or
 * its key, which is `first` then. The driver finds out keys: it looks at a finding with its stacks after the
 * search, and searches again without it (cli/suppress/late_suppression.h).
 */
enum rd_suppressed_by { RD_SUPPRESSED_CODE, RD_SUPPRESSED_MEMORY, RD_SUPPRESSED_KEY };
struct rd_suppressed {
    rd_place first, last;
    uint32_t kinds; /* of findings, as bits: 1 << enum rd_finding_kind; or RD_SUPPRESSED_HEAP_MISUSE */
    uint16_t line;  /* number of the line of the files, from 0 */
    uint16_t by;    /* enum rd_suppressed_by */
};
/* A misuse of the heap, such as free() of memory that is no block: other misuse is not of the heap. */
#define RD_SUPPRESSED_HEAP_MISUSE (1u << 31)
/* The most lines of all files together. */
enum { RD_SUPPRESS_LINES = 512 };
static_assert(RD_SUPPRESS_LINES <= UINT16_MAX, "a line has 16 bits");

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
