/*
 * rff.h - the constraints of an abstract schedule, which a plan passes to the picker rff.c. A constraint says from
 * which write a read shall see its value, or shall not. An abstract event is a code address and an object, as a
 * hash of both; the thread is no part of it.
 */
#ifndef RD_PICK_RFF_H
#define RD_PICK_RFF_H

#include "trace/event.h"

/* Constraints in a plan, and how many of its weights each takes. */
enum { RD_RFF_CONSTRAINTS = 8, RD_RFF_WEIGHTS = 3 };

/* The read shall (`positive`), or shall not, see the value of the write; write 0: the initial value. */
struct rd_rff_constraint {
    uint32_t write, read, object;
    bool positive;
    bool own; /* of a pair that happened: the reading thread itself has written the value */
};

static inline uint32_t rd_rff_object(rd_place place) { return (uint32_t)rd_mix(place) | 1; }
static inline uint32_t rd_rff_event(rd_place pc, rd_place place) { return (uint32_t)rd_hash2(pc, place) | 1; }

/* Returns whether the effect of the operation does not depend on the object's value before. */
static inline bool rd_rff_only_writes(unsigned op) {
    switch (op) {
    case RD_OP_MUTEX_INIT:
    case RD_OP_MUTEX_UNLOCK:
    case RD_OP_COND_INIT:
    case RD_OP_SPIN_UNLOCK:
    case RD_OP_RWLOCK_UNLOCK:
    case RD_OP_SEM_POST:
    case RD_OP_ONCE_END:
    case RD_OP_OBJECT_INIT:
    case RD_OP_RELEASE:
        return true;
    default:
        return false;
    }
}

/* How an event touches its first object or its memory: a lock both reads and writes. */
static inline bool rd_rff_reads(const struct rd_event *e, unsigned flags) {
    return e->access ? (flags & RD_F_READS) != 0 : e->touch[0] != RD_TOUCH_NONE && !rd_rff_only_writes(e->op);
}
static inline bool rd_rff_writes(const struct rd_event *e, unsigned flags) {
    return e->access ? (flags & RD_F_WRITES) != 0 : e->touch[0] == RD_TOUCH_WRITE || e->touch[0] == RD_TOUCH_ADD;
}

#endif
