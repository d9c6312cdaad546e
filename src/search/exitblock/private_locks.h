/*
 * private_locks.h - locks that only one thread ever uses. No other thread waits for such a lock or sees that it is
 * held, so that taking and releasing it are both-movers (Lipton): neither ends an atomic block.
 *
 * Which locks are private is learned from executions. The first operation of a second thread on a lock is found
 * even while the search takes the lock for private: until that operation the lock is private in every execution,
 * so that the reduction reaches it as it reaches any assertion that can fail.
 *
 * Initialising or destroying a lock is use by a second thread, too, unless creation or join orders it before or
 * after all that the owner does: the place of a lock that is destroyed and initialised again names both locks.
 *
 * A private lock must not hide a breach of the locking discipline. Eraser forgives the accesses of the first thread
 * that uses a piece of memory. So the candidate set of memory that two threads use can consist of private locks
 * alone, although these keep no other thread out. If an execution shows that, no lock counts as private any more.
 */
#ifndef RD_SEARCH_EXITBLOCK_PRIVATE_LOCKS_H
#define RD_SEARCH_EXITBLOCK_PRIVATE_LOCKS_H

#include "base/arena.h"
#include "base/map.h"
#include "trace/types.h"

struct rd_private_locks {
    struct rd_map users; /* by lock: its user, or that it has several (private_locks.c) */
    uint64_t executions; /* that were learned from */
    bool none;           /* no lock counts as private: see the head of this file */
};

enum rd_private_news {
    RD_PRIVATE_SAME,
    RD_PRIVATE_MORE, /* new facts that change no block of earlier executions: a lock was seen for the first time */
    RD_PRIVATE_LESS, /* a lock that counted as private is private no longer: blocks are smaller */
};

/* Returns whether all executions so far have shown one thread only that uses the lock. */
bool rd_private_locks_has(const struct rd_private_locks *p, rd_place lock);
enum rd_private_news rd_private_locks_learn(struct rd_private_locks *p, struct rd_arena *a,
                                            const struct rd_record *r);
/* Adds the facts that another worker has learned. */
enum rd_private_news rd_private_locks_merge(struct rd_private_locks *p, struct rd_arena *a,
                                            const struct rd_private_locks *from);

#endif
