/*
 * held.h - the locks that each thread holds, step by step of a recorded execution: mutexes, spin locks, read-write
 * locks. A condition wait releases its mutex and takes it again.
 */
#ifndef RD_TRACE_HELD_H
#define RD_TRACE_HELD_H

#include "base/arena.h"
#include "trace/types.h"

/* A lock that a thread holds. */
struct rd_hold {
    rd_place lock, pc; /* pc: place in the code where the thread took the lock */
    uint32_t taken;    /* step at which the thread took it, + 1; 0: before the first step */
    uint32_t depth;
    bool shared;
};

struct rd_held_thread {
    RD_VEC(struct rd_hold);
    struct rd_hold last; /* the lock that it released last; lock 0: none yet */
};

struct rd_held {
    struct rd_arena *arena;
    struct rd_held_thread *thread; /* by number */
    uint32_t threads;
};

enum rd_lock_change { RD_LOCK_SAME, RD_LOCK_TAKEN, RD_LOCK_SHARED, RD_LOCK_RELEASED };

/* Returns how the step changed a lock, and writes the place of that lock to *lock. */
enum rd_lock_change rd_lock_change(const struct rd_step *s, rd_place *lock);
/* Returns the lock that a blocking operation of this kind takes, or 0. `second` is the operation's second object.
 */
rd_place rd_lock_wanted(unsigned op, rd_place place, rd_place second);

/* As rd_lock_wanted(), for circles of waiting threads: a semaphore can be a lock there (semlock.h). */
rd_place rd_circle_wanted(unsigned op, rd_place place, rd_place second);

/* Returns the highest thread number in the record, + 1. */
uint32_t rd_record_threads(const struct rd_record *r);
/*
 * Starts before the first step of the record. A lock that a thread releases without having taken it was taken
 * before the first step.
 */
void rd_held_init(struct rd_held *h, struct rd_arena *a, const struct rd_record *r);
/* Performs step number `index` of the record. pre: all steps before it were performed, in order */
enum rd_lock_change rd_held_step(struct rd_held *h, const struct rd_step *s, uint32_t index);
/* Returns the entry of a lock that the thread holds, or NULL. */
const struct rd_hold *rd_held_by(const struct rd_held *h, rd_tid tid, rd_place lock);

#endif
