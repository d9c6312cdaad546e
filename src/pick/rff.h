/*
 * rff.h - what a plan tells the picker of rff.c: which writes shall be read where, and which shall not. An event is
 * a place in the code that touches an object, as a hash of both.
 */
#ifndef RD_RFF_H
#define RD_RFF_H

#include "trace/event.h"

enum { RD_RFF_WISHES = 8, RD_RFF_WEIGHTS = 3 }; /* wishes in a plan, and how many of its weights each takes */

/* The read shall (or shall not) see the value of the write; a write of 0: what was there before all. */
struct rd_rff_wish {
    uint32_t write, read, object;
    bool positive;
};

static inline uint32_t rd_rff_object(rd_place place) { return (uint32_t)rd_mix(place) | 1; }
static inline uint32_t rd_rff_event(rd_place pc, rd_place place) { return (uint32_t)rd_hash2(pc, place) | 1; }

/* How an event touches its first object or memory: a lock does both. */
static inline bool rd_rff_reads(const struct rd_event *e, unsigned flags) {
    return e->access ? (flags & RD_F_READS) != 0 : e->touch[0] != RD_TOUCH_NONE;
}
static inline bool rd_rff_writes(const struct rd_event *e, unsigned flags) {
    return e->access ? (flags & RD_F_WRITES) != 0 : e->touch[0] == RD_TOUCH_WRITE || e->touch[0] == RD_TOUCH_ADD;
}

#endif
