/*
 * fair.h - the fairness rule for threads that yield, after "Fair stateless model checking" (PLDI 2008).
 *
 * A thread that yields twice at the same place, and has changed no memory in between, steps behind every thread
 * that could have run since the first yield and did not: it is held back while one of these threads is enabled. So
 * a loop of yields cannot starve the thread for which it waits, and the tree of schedules stays finite. A yield
 * that is not repeated (`sched_yield(); x = 1;`) holds no thread back, so no order is lost by it. Nor does a yield
 * in a loop that waits for a change before its next iteration (spin.h). If `every` is n, above 1, only each n-th
 * yield counts, so that more iterations of such loops are explored.
 */
#ifndef RD_ENGINE_FAIR_H
#define RD_ENGINE_FAIR_H

#include "base/arena.h"
#include "base/bitset.h"
#include "trace/types.h"

struct rd_fair_thread {
    struct rd_bits enabled;   /* threads that were enabled all the time since its last yield */
    struct rd_bits disabled;  /* threads that its steps since then have disabled */
    struct rd_bits scheduled; /* threads that ran since then */
    struct rd_bits behind;    /* threads to which it gives way */
    bool yielded;             /* it has yielded: the sets above are in use */
    bool wrote;               /* since its last yield it changed memory, or waited for a change (AWAIT) */
    rd_place pc;              /* place of its last yield */
    uint32_t ignored;         /* yields since the last one that counted */
};

/* No memory is allocated before the first yield of the execution. */
struct rd_fair {
    struct rd_fair_thread **thread; /* by number; NULL until the thread's first yield */
    rd_tid *yielder;                /* the threads that have yielded */
    uint32_t yielders;
    uint32_t words; /* length of the bit sets that is in use */
    uint32_t every; /* n: each n-th yield of a thread counts; 0 is as 1 */
};

static inline void rd_fair_init(struct rd_fair *f) { *f = (struct rd_fair){.words = 1}; }
/* Removes the threads that must give way from the ascending list. Returns its new length; it never becomes empty.
 */
uint32_t rd_fair_filter(const struct rd_fair *f, rd_tid *enabled, uint32_t count);
/* Thread tid has made a step. `before` and `after`: the threads enabled before and after it, of `count` threads. */
void rd_fair_step(struct rd_fair *f, struct rd_arena *a, rd_tid tid, const struct rd_op *op,
                  const struct rd_bits *before, const struct rd_bits *after, uint32_t count);

#endif
