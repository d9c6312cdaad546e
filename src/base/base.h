/*
 * base.h - what every part of Raddle includes: integer types, BUG(), and a few macros.
 *
 * Three kinds of failure are never mixed. A *finding* is a bug of the program under test, an *error* is the
 * user's or the system's, and BUG() is ours: an invariant of Raddle itself that does not hold. Checks stay
 * on in release builds; they cost little beside the work around them.
 */
#ifndef RD_BASE_BASE_H
#define RD_BASE_BASE_H

#include <assert.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RD_LIKELY(x) __builtin_expect(!!(x), 1)
#define RD_UNLIKELY(x) __builtin_expect(!!(x), 0)
/* A function that is called rarely: out of the way of those that are called often. */
#define RD_COLD __attribute__((cold, noinline))
#define RD_COUNT(a) (sizeof(a) / sizeof((a)[0]))
/* Arguments may be evaluated twice: no calls with effects. */
#define RD_MIN(a, b) ((a) < (b) ? (a) : (b))
#define RD_MAX(a, b) ((a) > (b) ? (a) : (b))

/*
 * Ends the process because of a mistake of Raddle's own: calls rd_bug_hook, prints "BUG: file:line: what" on
 * standard error and traps. Uses no libc state.
 */
_Noreturn void rd_bug(const char *file, int line, const char *what);
/* Saves what must not be lost, before the process ends; NULL: there is nothing to save. It is called once. */
extern void (*rd_bug_hook)(const char *file, int line, const char *what);

#define RD_BUG(what) rd_bug(__FILE__, __LINE__, what)
/* An invariant that is checked in every build: the check costs next to nothing where it stands. */
#define RD_CHECK(cond)                      \
    do {                                    \
        if (RD_UNLIKELY(!(cond)))           \
            RD_BUG("check failed: " #cond); \
    } while (0)
/*
 * An invariant whose check costs too much for every build (it walks over a table, or stands where each step
 * passes). Only a build with RADDLE_CHECKED evaluates it; .ci/run tests such a build, too. The condition has no
 * effects.
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
