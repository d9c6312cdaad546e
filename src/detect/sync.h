/*
 * sync.h - vector clocks of the happens-before relation of C11, C++11 and POSIX over the steps of a recorded
 * execution: program order and synchronisation. Conflicting accesses are not ordered by this relation: two of them
 * that nothing else orders are a race (race.c). (The relation of dependence, by which searches count classes, does
 * order them: trace/event.h.)
 *
 *   mutexes, spin locks   an unlock before every later lock
 *   read-write locks      an unlock before every later lock that it excludes: two readers are not ordered
 *   conditions            a signal adds no order; a wait unlocks its mutex and locks it again
 *   semaphores, once      a post, the end of the initialiser, before the waits that it lets through
 *   futexes               a wake before the return of the waits that it ends
 *   barriers              all arrivals of a generation before every departure from it
 *   pipes, sockets        a send before the receives from the same open file
 *   create, join          the creation before the thread's first step, its last step before the join
 *   signals               the sending before the handler
 *   atomics               a release store before an acquire load that reads from its release sequence
 *   fences                a release fence makes later relaxed stores release, an acquire fence makes earlier
 *                         relaxed loads acquire; a fence alone adds no order
 *
 * A release sequence goes on with read-modify-writes of all threads. In C, and in C++ up to 2017, it also goes on
 * with other stores of the thread that heads it; since C++20 any store that is not a read-modify-write begins a new
 * one. The language is that of the code of the later store (rd_cxx20). Where it is not known the older rule holds:
 * it orders more, so a race can be missed, but none is reported that may not be one. A compare-and-swap that fails
 * is a load with its own memory order.
 */
#ifndef RD_DETECT_SYNC_H
#define RD_DETECT_SYNC_H

#include "base/map.h"
#include "base/vclock.h"
#include "trace/types.h"

struct rd_cxx20;

/* The clocks of one thread. */
struct rd_sync_thread {
    struct rd_vclock now; /* by thread: its last epoch that happens before this thread's next step; own: current */
    struct rd_vclock fenced;  /* `now` at the thread's last release fence; empty: it has passed none */
    struct rd_vclock relaxed; /* of release sequences that its relaxed loads read; acquired by an acquire fence */
    struct rd_vclock signals; /* the clocks of all threads that have sent it a signal or a cancellation */
};

struct rd_sync {
    struct rd_arena *arena;
    struct rd_sync_thread *thread; /* by number */
    uint32_t threads;
    struct rd_map objects;        /* place -> struct rd_sync_object * */
    struct rd_map atomics;        /* place -> struct rd_sync_sequence *, the first of a list: one of each thread */
    const struct rd_cxx20 *cxx20; /* places of code that is C++20 or later; NULL: none is known to be */
};

void rd_sync_init(struct rd_sync *s, struct rd_arena *a, uint32_t threads, const struct rd_cxx20 *cxx20);
/* Makes room for so many threads, for a caller that does not know them from the start. */
void rd_sync_reach(struct rd_sync *s, uint32_t threads);
/* Adds a step. Called for every step in the order of the execution, plain accesses included, VALUE steps excluded.
 */
void rd_sync_step(struct rd_sync *s, const struct rd_step *step);
/*
 * Unseen code runs in the thread. It may wait for unseen code that other threads have run before, and later
 * unseen code may wait for it: the thread acquires from one object that stands for all unseen code, and
 * releases.
 */
void rd_sync_unseen(struct rd_sync *s, rd_tid tid);
/* The thread's current epoch: the number of its releases so far, + 1. */
static inline uint32_t rd_sync_now(const struct rd_sync *s, rd_tid tid) {
    return rd_vclock_get(&s->thread[tid].now, tid);
}
/* True if the steps of `tid` in this epoch happen before the next step of `by`. */
static inline bool rd_sync_before(const struct rd_sync *s, rd_tid tid, uint32_t epoch, rd_tid by) {
    RD_ASSERT(epoch > 0 && tid < s->threads && by < s->threads);
    return tid == by || epoch <= rd_vclock_get(&s->thread[by].now, tid);
}

#endif
