/*
 * confirm.h - executions that try to run into a predicted deadlock. The picker brings each thread of the lock cycle
 * (the *circle* of the finding) to the place where it is about to take the lock that it holds in the cycle, then
 * lets them take these locks, and holds each back before the lock that closes the cycle (pick/close_cycle.c). An
 * execution that ends in the deadlock confirms the prediction; one that does not proves nothing.
 */
#ifndef RD_EXPLORE_CONFIRM_H
#define RD_EXPLORE_CONFIRM_H

#include "base/arena.h"
#include "channel/channel.h"

/* The most executions for one prediction. */
enum { RD_CONFIRM_TRIES = 12 };

/* A thread takes a lock at a place in the code. */
struct rd_taking {
    rd_place lock, pc; /* lock 0: it takes none */
    uint32_t before;   /* how often it has taken that lock at that place before */
};

/* A closed lock cycle: each thread wants a lock, and holds one that another thread wants. */
struct rd_circle {
    uint32_t count;
    struct {
        rd_tid tid;
        struct rd_taking wants, holds;
    } at[RD_CIRCLE_MAX];
};

/*
 * Computes the lock cycle of a predicted deadlock that was inferred from this record; `a` is scratch memory.
 * Returns false if the finding names none, or one of its steps takes no lock.
 */
bool rd_confirm_circle(const struct rd_finding *f, const struct rd_record *r, struct rd_arena *a,
                       struct rd_circle *c);
/* Overwrites the plan and the prefix in the channel with those of try number `attempt`, from 0. */
void rd_confirm_plan(struct rd_channel *c, const struct rd_circle *circle, uint32_t attempt);
/* Returns true if the execution in the channel ended with every thread of the cycle waiting at its lock. */
bool rd_confirm_shows(struct rd_channel *c, const struct rd_circle *circle);

#endif
