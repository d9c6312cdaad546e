/*
 * livelock_probe.h - probes for livelocks. When a thread completes a retry cycle alone (engine/retry_cycle.h), a
 * probe repeats the execution up to there and then lets the threads take turns. If the threads make each other try
 * again for ever, the probe never ends, and the engine reports a livelock. So every search finds threads that undo
 * each other's work, even if all executions that the search runs come to an end.
 */
#ifndef RD_EXPLORE_LIVELOCK_PROBE_H
#define RD_EXPLORE_LIVELOCK_PROBE_H

#include "base/map.h"
#include "channel/channel.h"

/*
 * The most states from which one search runs probes; and the probes from each state. Threads only livelock if they
 * move in step, so each probe from a state begins the turns at another phase.
 */
enum { RD_LIVELOCK_PROBES_MAX = 16, RD_LIVELOCK_PROBE_PHASES = 4 };

struct rd_livelock_probe {
    struct rd_map tried; /* the states from which probes were run */
    uint32_t count;      /* their number */
    uint32_t from;       /* steps that the probes which are being run repeat; 0: none is being run */
    uint32_t phase;      /* of the running probe */
};

/*
 * Overwrites the plan in the channel with that of the next probe. The execution in the channel is the one of the
 * search, or the last probe. Returns false if no probe is left to run.
 */
bool rd_livelock_probe_next(struct rd_livelock_probe *p, struct rd_arena *a, struct rd_channel *c);

#endif
