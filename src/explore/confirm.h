/*
 * confirm.h - a deadlock that was predicted, run into. A few executions in which the threads of the circle are held
 * back before the locks that close it (pick/close_cycle.c); what shows the deadlock is kept, what does not proves
 * nothing.
 */
#ifndef RD_EXPLORE_CONFIRM_H
#define RD_EXPLORE_CONFIRM_H

#include "channel/channel.h"

enum { RD_CONFIRM_TRIES = 12 };

/* Who waits where when the circle is closed. */
struct rd_circle {
    uint32_t count;
    struct {
        rd_tid tid;
        rd_place lock, pc;
    } at[RD_CIRCLE_MAX];
};

/* The circle of a finding that was read in this record. False: it says none. */
bool rd_circle_of(const struct rd_finding *f, const struct rd_record *r, struct rd_circle *c);
/* Writes the plan of the so manieth try over the channel's last one, and the weights. */
void rd_confirm_plan(struct rd_channel *c, const struct rd_circle *circle, uint32_t attempt);
/* Did the execution that is in the channel end in that circle? */
bool rd_confirm_shows(struct rd_channel *c, const struct rd_circle *circle);

#endif
