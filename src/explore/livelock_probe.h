/*
 * livelock_probe.h - where a thread goes round by itself (engine/retry_cycle.h), one more execution in which
 * everybody takes turns from there on: if they keep each other going round, it never ends, and that is a livelock.
 * So threads that undo each other's work are found by every search, also by those whose executions all end.
 */
#ifndef RD_EXPLORE_LIVELOCK_PROBE_H
#define RD_EXPLORE_LIVELOCK_PROBE_H

#include "base/map.h"
#include "channel/channel.h"

/* Tried from so many places at most; and whether they are in step there is a matter of luck: in so many ways. */
enum { RD_LIVELOCK_PROBES_MAX = 16, RD_LIVELOCK_PROBE_PHASES = 4 };

struct rd_livelock_probe {
    struct rd_map tried; /* who was where */
    uint32_t count;
    uint32_t from, phase; /* of those that are being run: the steps before, and which way; from 0: none is */
};

/*
 * Writes the next one's plan over that of the execution in the channel, which is the search's own or the one
 * before. False: there is nothing to be tried, or no more.
 */
bool rd_livelock_probe_next(struct rd_livelock_probe *p, struct rd_arena *a, struct rd_channel *c);

#endif
