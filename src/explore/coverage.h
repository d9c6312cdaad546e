/*
 * coverage.h - counts what the executions of a search cover: classes, executions by their number of preemptions,
 * and with --coverage also states, lazy classes and samples (struct rd_coverage). Texts for users, and the counters
 * that carry their name, call classes *orders*.
 */
#ifndef RD_EXPLORE_COVERAGE_H
#define RD_EXPLORE_COVERAGE_H

#include "base/map.h"
#include "channel/channel.h"

/* A state that the last execution reached, and its number of preemptions up to there. */
struct rd_reached {
    uint64_t key;
    uint32_t preemptions;
};

struct rd_coverage_state {
    struct rd_arena *arena;
    /*
     * The low byte of a value is the fewest preemptions of an execution that reached it, + 1. The rest is the
     * number of the class in the table of rd_channel_orders, from 1; 0: it is not there.
     */
    struct rd_map classes, states;
    struct rd_map lazy;         /* keys of lazy classes */
    struct rd_reached *reached; /* states of the last execution */
    uint32_t reached_room;
};

/* Returns a hash of the lazy class of an execution (rd_event_forget_mutexes). The arena is as before on return. */
uint64_t rd_coverage_lazy_class(struct rd_arena *a, const struct rd_record *r);
/* Counts the execution in the channel. Returns true if its class is new; never for one that was cut. */
bool rd_coverage_count(struct rd_coverage_state *v, struct rd_channel *c);
/*
 * Counts the execution in the channel by its class, in the table of rd_channel_orders. `value`: of the class in
 * rd_coverage_state.classes. A table that is full takes no new class.
 */
void rd_coverage_count_order(struct rd_channel *c, uint64_t *value);
/* Adds the execution to the digest: two searches with equal digests ran the same executions, with any isolation. */
void rd_coverage_digest(struct rd_channel *c);
/* Makes its sample, and stores it if it is due. pre: claim and elapsed_ns of the summary are up to date */
void rd_coverage_sample(struct rd_channel *c, bool new_class);
/* Returns true if a sample of the execution that was counted last is due. */
bool rd_coverage_is_sampled(const struct rd_channel *c);

#endif
