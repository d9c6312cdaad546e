/*
 * fair.h - the fairness rule for threads that yield, after "Fair stateless model checking" (PLDI 2008).
 *
 * A thread that yields again at the same place without having changed anything steps back behind every thread
 * that could have run since its last yield and did not; it is held back while one of those is enabled. So a
 * loop of yields cannot starve the thread it waits for, and the tree of schedules stays finite. Yields that are
 * not repeats (`sched_yield(); x = 1;`) hold nobody back, so no order is lost to them; nor do those of a loop that
 * waits for something new before it goes round again (spin.h). With `every` above 1 only
 * every so manieth yield counts: more rounds of such loops are explored.
 */
#ifndef RD_ENGINE_FAIR_H
#define RD_ENGINE_FAIR_H

#include "base/arena.h"
#include "base/bitset.h"
#include "trace/types.h"

struct rd_fair_thread {
    struct rd_bits enabled;   /* enabled all the time since its last yield */
    struct rd_bits disabled;  /* disabled by it since then */
    struct rd_bits scheduled; /* ran since then */
    struct rd_bits behind;    /* it gives way to these */
    bool yielded;             /* at least once: the window is open */
    bool wrote;               /* it changed something since its last yield, or waited for something new */
    rd_place pc;              /* of its last yield */
    uint32_t ignored;         /* yields since the last one that counted */
};

/* Nothing is allocated before somebody yields. */
struct rd_fair {
    struct rd_fair_thread **thread; /* NULL until the thread's first yield */
    rd_tid *yielder;                /* those that are not NULL */
    uint32_t yielders;
    uint32_t words; /* of the bit sets that are in use */
    uint32_t every; /* which yields count; 0 is as 1 */
};

static inline void rd_fair_init(struct rd_fair *f) { *f = (struct rd_fair){.words = 1}; }
/* Removes from the ascending list those that must give way. Returns the new count; never empties it. */
uint32_t rd_fair_filter(const struct rd_fair *f, rd_tid *enabled, uint32_t count);
/* tid made a step; `before` and `after` are who was enabled around it, of `count` threads. */
void rd_fair_step(struct rd_fair *f, struct rd_arena *a, rd_tid tid, const struct rd_op *op,
                  const struct rd_bits *before, const struct rd_bits *after, uint32_t count);

#endif
