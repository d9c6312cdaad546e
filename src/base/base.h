/*
 * base.h - the header that every part of Raddle includes: integer types, RD_BUG() and RD_CHECK(), and a few
 * macros.
 *
 * Three kinds of failure are never mixed. A *finding* is a bug of the program under test, an *error* is the user's
 * or the system's, and RD_BUG() is ours: an invariant of Raddle itself that does not hold. Checks stay on in
 * release builds; they cost little beside the work around them.
 */
#ifndef RD_BASE_BASE_H
#define RD_BASE_BASE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RD_LIKELY(x) __builtin_expect(!!(x), 1)
#define RD_UNLIKELY(x) __builtin_expect(!!(x), 0)
/* For a function that is called rarely: the compiler keeps it out of the code that is called often. */
#define RD_COLD __attribute__((cold, noinline))
#define RD_COUNT(a) (sizeof(a) / sizeof((a)[0]))
/* Arguments may be evaluated twice: no side effects. */
#define RD_MIN(a, b) ((a) < (b) ? (a) : (b))
#define RD_MAX(a, b) ((a) > (b) ? (a) : (b))

/*
 * Ends the process because of a bug in Raddle: calls rd_bug_hook, prints "BUG: file:line: invariant" on standard
 * error and traps. Uses no libc state.
 */
_Noreturn void rd_bug(const char *file, int line, const char *invariant);
/* Saves the results of the process before it ends; called once. NULL: there are none. */
extern void (*rd_bug_hook)(const char *file, int line, const char *invariant);

#define RD_BUG(invariant) rd_bug(__FILE__, __LINE__, invariant)
/* Checks an invariant in every build. Only for checks that cost next to nothing where they are. */
#define RD_CHECK(cond)                      \
    do {                                    \
        if (RD_UNLIKELY(!(cond)))           \
            RD_BUG("check failed: " #cond); \
    } while (0)
/*
 * Checks an invariant in a build with RADDLE_CHECKED only (.ci/run tests such a build). For checks that are too
 * costly elsewhere: they walk over a table, or each step executes them. The condition has no side effects.
 */
#ifdef RADDLE_CHECKED
#define RD_ASSERT(cond) RD_CHECK(cond)
#else
#define RD_ASSERT(cond)    \
    do {                   \
        if (0 && (cond)) { \
        }                  \
    } while (0)
#endif

/* A 64-bit finaliser with full avalanche; the building block of every hash in Raddle. */
static inline uint64_t rd_mix(uint64_t x) {
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 32;
    x *= 0xd6e8feb86659fd93u;
    x ^= x >> 32;
    return x;
}

/* Order-sensitive combination of a running hash with one more word. */
static inline uint64_t rd_hash2(uint64_t h, uint64_t x) {
    return rd_mix(h * 0x9e3779b97f4a7c15u + x + 0x632be59bd9b4e019u);
}

#endif
