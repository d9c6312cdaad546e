/*
 * pair.h - for programs that are compiled twice: a program of tests/programs/bug defines BROKEN and includes its correct
 * sibling. Each is broken in one way: a memory order, a check, or another piece of code.
 */
#ifndef PAIR_H
#define PAIR_H

#include <assert.h>

#ifdef BROKEN
#define ORDER(right, wrong) memory_order_##wrong
#define EITHER(right, wrong) wrong
#define BROKEN_ASSERT(cond) assert(cond)
#else
#define ORDER(right, wrong) memory_order_##right
#define EITHER(right, wrong) right
#define BROKEN_ASSERT(cond) ((void)(cond)) /* an assertion that only the broken build has */
#endif

#define QUIET __attribute__((no_sanitize("thread"))) /* not part of the model: makes no operations */

#endif
