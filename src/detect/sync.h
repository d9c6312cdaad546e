/*
 * sync.h - what happens before what by synchronisation alone, as C11, C++11 and POSIX have it, step by step of a
 * recorded execution. Conflicting accesses to memory order nothing here: that is what makes them races.
 *
 *   mutexes, read-write locks, spin locks   a release before every later acquisition that excludes it
 *   conditions                              nothing by themselves: a wait gives its mutex away and takes it back
 *   semaphores, barriers, once, pipes …     who comes through after who has let him through
 *   create, join                            as everybody expects
 *   atomics   an acquire load of what a release store, or what goes on from it, has stored: that is the release
 *             sequence. Read-modify-writes go on from what any thread has stored. In C, and in C++ up to 2017, so
 * do stores of the thread that has released; since C++20 a store that is not a read-modify-write begins anew. The
 * language is that of the code that stores later (rd_cxx20); where it is not known the older rule holds, which
 * orders more, so that no race is reported that may be none. Relaxed ones order nothing, unless there is a fence: a
 * release fence before the store, an acquire fence after the load. A compare-and-swap that fails is a load with its
 * own order. Fences order nothing by themselves. futexes   a wake before what it wakes signals   the sending before
 * the handler
 */
#ifndef RD_DETECT_SYNC_H
#define RD_DETECT_SYNC_H

#include "base/map.h"
#include "base/vclock.h"
#include "trace/types.h"

struct rd_cxx20;

struct rd_sync_thread {
    struct rd_vclock now;
    struct rd_vclock released; /* at its last release fence */
    struct rd_vclock seen;     /* what relaxed loads would have acquired: an acquire fence does */
    struct rd_vclock sent;     /* signals to it */
};

struct rd_sync {
    struct rd_arena *arena;
    struct rd_sync_thread *thread; /* by number */
    uint32_t threads;
    struct rd_map objects; /* place -> struct rd_sync_object * */
    struct rd_map atomics; /* place -> struct rd_sync_head *: what an acquire load gets there, by who released it */
    const struct rd_cxx20 *cxx20;
};

/* cxx20 may be NULL: no code is known to be C++20. */
void rd_sync_init(struct rd_sync *s, struct rd_arena *a, uint32_t threads, const struct rd_cxx20 *cxx20);
/* The step happens. Call for every step in order, plain accesses too. */
void rd_sync_step(struct rd_sync *s, const struct rd_step *step);
/* Code that is not seen ran in the thread: it may have waited for whatever such code did in others before. */
void rd_sync_unseen(struct rd_sync *s, rd_tid tid);
/* The number of the stretch between two releases that the thread is in. */
static inline uint32_t rd_sync_now(const struct rd_sync *s, rd_tid tid) {
    return rd_vclock_get(&s->thread[tid].now, tid);
}
/* Did what `tid` did in its stretch `when` happen before what `by` does now? */
static inline bool rd_sync_before(const struct rd_sync *s, rd_tid tid, uint32_t when, rd_tid by) {
    return tid == by || when <= rd_vclock_get(&s->thread[by].now, tid);
}

#endif
