/*
 * raddle.h - what a program can say to Raddle, in C and C++.
 *
 * Without Raddle every function does nothing, and nothing has to be linked: the program runs as if the calls were
 * not there, raddle_choose() is 0 and raddle_running() is 0. A program that is compiled to be loaded at a fixed
 * address (-no-pie) must be compiled with 'raddle cc', or be linked with -lraddle and say so by defining
 * RADDLE_LINKED: else the calls could not find Raddle.
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

/* 1 when this program runs under Raddle. */
RADDLE_INLINE_ int raddle_running(void) { return raddle_rt_running ? raddle_rt_running() : 0; }

/* It must hold: else the execution ends here with a finding. Not evaluated without Raddle. */
#define raddle_assert(condition)                                                  \
    ((void)((raddle_rt_assert && raddle_running() && !(condition))                \
                ? (raddle_rt_assert(#condition, __FILE__, __LINE__, __func__), 0) \
                : 0))

/* A value from 0 to n - 1: a search tries them all. n is at most 1024. */
RADDLE_INLINE_ int raddle_choose(int n) { return raddle_rt_choose ? raddle_rt_choose(n) : 0; }

/* A value that belongs to the outcome of the execution (raddle run --outcomes). */
RADDLE_INLINE_ void raddle_observe(const char *name, long long value) {
    if (raddle_rt_observe)
        raddle_rt_observe(name, value);
}

/* What does not hold cannot be: the execution is dropped, and counts neither for nor against the program. */
RADDLE_INLINE_ void raddle_assume(int condition) {
    if (!condition && raddle_rt_assume)
        raddle_rt_assume();
}

/* Between the two no other thread goes on, unless this one blocks. They nest. */
RADDLE_INLINE_ void raddle_atomic_begin(void) {
    if (raddle_rt_atomic_begin)
        raddle_rt_atomic_begin();
}
RADDLE_INLINE_ void raddle_atomic_end(void) {
    if (raddle_rt_atomic_end)
        raddle_rt_atomic_end();
}

/* What reports call the calling thread (15 characters of it), and this memory (47). */
RADDLE_INLINE_ void raddle_name_thread(const char *name) {
    if (raddle_rt_name_thread)
        raddle_rt_name_thread(name);
}
RADDLE_INLINE_ void raddle_name_variable(const volatile void *address, size_t size, const char *name) {
    if (raddle_rt_name_variable)
        raddle_rt_name_variable(address, size, name);
}

/* Data races on this memory are meant: they are counted, not reported. */
RADDLE_INLINE_ void raddle_benign_race(const volatile void *address, size_t size) {
    if (raddle_rt_benign_race)
        raddle_rt_benign_race(address, size);
}

#endif
