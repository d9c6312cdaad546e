/*
 * coverage.h - what the executions of a search have covered: different orders of events, executions by preemptions,
 * and, when --coverage asks for it, states and one sample an execution.
 */
#ifndef RD_EXPLORE_COVERAGE_H
#define RD_EXPLORE_COVERAGE_H

#include "base/map.h"
#include "channel/channel.h"

struct rd_reached {
    uint64_t key;
    uint32_t preemptions;
};

struct rd_coverage_state {
    struct rd_arena *arena;
    struct rd_map orders, states; /* class -> fewest preemptions that led there, + 1 */
    struct rd_map lazy;
    struct rd_reached *reached; /* states of the last execution */
    uint32_t reached_room;
};

/* The lazy class of an execution (event.h). Uses the arena, and gives it back. */
uint64_t rd_coverage_state_lazy(struct rd_arena *a, const struct rd_record *r);
/* Counts the execution that is in the channel. True: its order of events is new. */
bool rd_coverage_state_count(struct rd_coverage_state *v, struct rd_channel *c);
/* Adds it to the digest: two runs with the same have run the same executions, whatever kept them apart. */
void rd_coverage_state_digest(struct rd_channel *c);
/* Keeps its sample. summary.claim and elapsed_ns are those of now. */
void rd_coverage_state_sample(struct rd_channel *c, bool new_order);
/* Will rd_coverage_state_sample keep the execution that was counted last? */
bool rd_coverage_state_wanted(const struct rd_channel *c);

#endif
