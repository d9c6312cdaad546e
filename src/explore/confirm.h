/*
 * confirm.h - executions that try to run into a predicted deadlock. The picker holds each thread of the lock cycle
 * (the *circle* of the finding) back before it takes the lock that closes the cycle (pick/close_cycle.c). An
 * execution that ends in the deadlock confirms the prediction; one that does not proves nothing.
 */
#ifndef RD_EXPLORE_CONFIRM_H
#define RD_EXPLORE_CONFIRM_H

#include "channel/channel.h"

/* The most executions for one prediction. */
enum { RD_CONFIRM_TRIES = 12 };

/* A closed lock cycle: each thread waits for a lock at a place in the code. */
struct rd_circle {
    uint32_t count;
    struct {
        rd_tid tid;
        rd_place lock, pc;
    } at[RD_CIRCLE_MAX];
};

/*
 * Computes the lock cycle of a predicted deadlock that was inferred from this record. Returns false if the finding
 * names none, or one of its steps takes no lock.
 */
bool rd_confirm_circle(const struct rd_finding *f, const struct rd_record *r, struct rd_circle *c);
/* Overwrites the plan and the weights in the channel with those of try number `attempt`, from 0. */
void rd_confirm_plan(struct rd_channel *c, const struct rd_circle *circle, uint32_t attempt);
/* Returns true if the execution in the channel ended with every thread of the cycle waiting at its lock. */
bool rd_confirm_shows(struct rd_channel *c, const struct rd_circle *circle);

#endif
