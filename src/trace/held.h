/*
 * held.h - which locks each thread holds, step by step of a recorded execution: mutexes, spin locks, read-write
 * locks, and the mutex that a condition wait gives away and takes back.
 */
#ifndef RD_TRACE_HELD_H
#define RD_TRACE_HELD_H

#include "base/arena.h"
#include "trace/types.h"

struct rd_hold {
    rd_place lock, pc; /* pc: where it was taken */
    uint32_t taken;    /* step, +1; 0: before the first */
    uint32_t depth;
    bool shared;
};

struct rd_held_thread {
    RD_VEC(struct rd_hold);
    struct rd_hold last; /* the one released last; lock 0: none yet */
};

struct rd_held {
    struct rd_arena *arena;
    struct rd_held_thread *thread; /* by number */
    uint32_t threads;
};

enum rd_lock_change { RD_LOCK_SAME, RD_LOCK_TAKEN, RD_LOCK_SHARED, RD_LOCK_RELEASED };

/* What the step did to a lock, and to which. */
enum rd_lock_change rd_lock_change(const struct rd_step *s, rd_place *lock);
/* The lock that a blocking operation of this kind takes; 0: it takes none. `second` is its second object. */
rd_place rd_lock_wanted(unsigned op, rd_place place, rd_place second);

/* The same of a circle, in which semaphores can be locks (semlock.h), too. */
rd_place rd_circle_wanted(unsigned op, rd_place place, rd_place second);

/* One more than the highest thread number in the record. */
uint32_t rd_record_threads(const struct rd_record *r);
/* Before the first step: what a thread releases without having taken it was its own from the start. */
void rd_held_init(struct rd_held *h, struct rd_arena *a, const struct rd_record *r);
/* Step number `index` of the record happens. */
enum rd_lock_change rd_held_step(struct rd_held *h, const struct rd_step *s, uint32_t index);
/* The hold of that lock by that thread, or NULL. */
const struct rd_hold *rd_held_by(const struct rd_held *h, rd_tid tid, rd_place lock);

#endif
