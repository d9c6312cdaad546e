/*
 * raddle.h - annotations by which a program gives information to Raddle, in C and C++.
 *
 * Without Raddle every function has no effect, and the program needs no library for them: raddle_choose() and
 * raddle_running() return 0, and the program runs as if the other calls were not there. A program that is compiled
 * to be loaded at a fixed address (-no-pie) must be compiled with 'raddle cc', or be linked with -lraddle and
 * define RADDLE_LINKED: else the linker would resolve the weak references below to 0, and the calls would have no
 * effect under Raddle either.
 */
#ifndef RADDLE_H
#define RADDLE_H

#include <stddef.h>

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define RADDLE_HOOKED_ 1
#endif
#endif
#if !defined(__PIC__) && !defined(__PIE__) && !defined(__SANITIZE_THREAD__) && !defined(RADDLE_HOOKED_) && \
    !defined(RADDLE_LINKED)
#error "raddle.h: compile with -fPIE or with 'raddle cc', or link with -lraddle and define RADDLE_LINKED"
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define RADDLE_WEAK_ __attribute__((weak, visibility("default")))
/* Inlined even without optimisation, so that reports name the caller's line. */
#define RADDLE_INLINE_ static inline __attribute__((always_inline, unused))

extern int raddle_rt_running(void) RADDLE_WEAK_;
extern void raddle_rt_assert(const char *expression, const char *file, unsigned line,
                             const char *function) RADDLE_WEAK_;
extern int raddle_rt_choose(int n) RADDLE_WEAK_;
extern void raddle_rt_observe(const char *name, long long value) RADDLE_WEAK_;
extern void raddle_rt_assume(void) RADDLE_WEAK_;
extern void raddle_rt_atomic_begin(void) RADDLE_WEAK_;
extern void raddle_rt_atomic_end(void) RADDLE_WEAK_;
extern void raddle_rt_name_thread(const char *name) RADDLE_WEAK_;
extern void raddle_rt_name_variable(const volatile void *address, size_t size, const char *name) RADDLE_WEAK_;
extern void raddle_rt_benign_race(const volatile void *address, size_t size) RADDLE_WEAK_;

#ifdef __cplusplus
}
#endif

/* Returns 1 if the program runs under Raddle, else 0. */
RADDLE_INLINE_ int raddle_running(void) { return raddle_rt_running ? raddle_rt_running() : 0; }

/*
 * States that the condition holds: if not, the execution ends here with a finding. Without Raddle the condition is
 * not evaluated.
 */
#define raddle_assert(condition)                                                  \
    ((void)((raddle_rt_assert && raddle_running() && !(condition))                \
                ? (raddle_rt_assert(#condition, __FILE__, __LINE__, __func__), 0) \
                : 0))

/* Returns a value from 0 to n - 1: a search tries all of them. n is at most 1024. */
RADDLE_INLINE_ int raddle_choose(int n) { return raddle_rt_choose ? raddle_rt_choose(n) : 0; }

/* Adds a named value to the outcome of the execution (raddle run --outcomes). */
RADDLE_INLINE_ void raddle_observe(const char *name, long long value) {
    if (raddle_rt_observe)
        raddle_rt_observe(name, value);
}

/*
 * Restricts the search to executions in which the condition holds: if it does not, Raddle drops the execution here
 * and reports no finding for it.
 */
RADDLE_INLINE_ void raddle_assume(int condition) {
    if (!condition && raddle_rt_assume)
        raddle_rt_assume();
}

/*
 * From `begin` to the matching `end` no other thread goes on, unless the calling thread blocks. Pairs may be
 * nested.
 */
RADDLE_INLINE_ void raddle_atomic_begin(void) {
    if (raddle_rt_atomic_begin)
        raddle_rt_atomic_begin();
}
RADDLE_INLINE_ void raddle_atomic_end(void) {
    if (raddle_rt_atomic_end)
        raddle_rt_atomic_end();
}

/* Give the calling thread a name (at most 15 characters), and a piece of memory (at most 47), for reports. */
RADDLE_INLINE_ void raddle_name_thread(const char *name) {
    if (raddle_rt_name_thread)
        raddle_rt_name_thread(name);
}
RADDLE_INLINE_ void raddle_name_variable(const volatile void *address, size_t size, const char *name) {
    if (raddle_rt_name_variable)
        raddle_rt_name_variable(address, size, name);
}

/* States that data races on this memory are intended: Raddle counts them and does not report them. */
RADDLE_INLINE_ void raddle_benign_race(const volatile void *address, size_t size) {
    if (raddle_rt_benign_race)
        raddle_rt_benign_race(address, size);
}

#endif
