/*
 * claim.h - what a search says of itself in the channel: what it has proved, and what its executions have covered.
 */
#ifndef RD_TRACE_CLAIM_H
#define RD_TRACE_CLAIM_H

#include "base/base.h"

/* Executions by their number of preemptions: the last count is of those with that many or more. */
enum { RD_PREEMPTION_COUNTS = 64 };

/*
 * What a search has proved. The sentence says it without the conditions that hold for every search (sequential
 * consistency, the points, the input); `voids` names what makes it worth nothing after all.
 */
struct rd_claim {
    int32_t preemptions, delays, depth; /* everything up to this bound was covered; -1: no such bound */
    uint8_t complete;                   /* … and there is nothing beyond the bound */
    uint8_t incomplete;                 /* part of the search was given up (memory): nothing is claimed */
    uint8_t likely;                     /* the sentence is about probabilities: nothing is proved */
    uint8_t reduced;       /* schedules stand for others that differ in the order of independent events */
    uint8_t or_more;       /* the estimate can turn out to be too small, and `done` too large */
    double done, estimate; /* fraction of the whole that is done, and how many executions there are; 0: not known */
    /* of a sample: how many orders of events there are, and the probability that the next execution shows a new one
     */
    double classes, fresh; /* classes 0: neither is known */
    double missed;         /* the probability that a bug of this depth or less was missed; 0: not known */
    uint32_t missed_depth, missed_threads, missed_points; /* … if it shows with so many threads and points */
    uint32_t pad;
    char proved[384]; /* "" : nothing yet */
    char voids[128];  /* "": nothing does */
    char phase[64];   /* what the search is doing now, while it goes on; "": what its name says */
    char chance[400]; /* what samples among its executions say, as probabilities; "": nothing */
};

/* Nothing is proved. */
static inline struct rd_claim rd_claim_none(void) {
    return (struct rd_claim){.preemptions = -1, .delays = -1, .depth = -1};
}

/* An order of events that is new to a worker, or was met with fewer preemptions. */
struct rd_logged_class {
    uint64_t key;
    uint64_t preemptions;
};

/* One execution of a search, for the curves of --coverage. */
struct rd_sample {
    uint64_t executions, cut; /* so far, this one included */
    uint64_t elapsed_ns;
    uint64_t orders, lazy, states; /* distinct ones so far */
    uint32_t steps, points, preemptions;
    int32_t bound; /* that was covered by then; -1: none */
    uint8_t verdict, new_order;
    uint8_t pad[6];
};
static_assert(sizeof(struct rd_sample) == 72, "stored");

/*
 * What --coverage asks for. A state is a happens-before class of prefixes of executions, the empty one included. Of
 * a long search every 2nd, 4th … execution is kept as a sample, so that their number stays bounded.
 */
struct rd_coverage {
    uint64_t stride;                                  /* every how many executions one was kept */
    uint64_t states, states_by[RD_PREEMPTION_COUNTS]; /* by the fewest preemptions that led there */
    uint64_t lazy;                                    /* orders of events, mutexes left out */
    uint64_t states_dropped;                          /* met when there was no room to tell whether they are new */
    uint32_t sample_count;
    struct rd_sample last;
};

#endif
