/*
 * claim.h - the claim of a search, its estimates, and the coverage of its executions, which it passes on through
 * the channel.
 */
#ifndef RD_TRACE_CLAIM_H
#define RD_TRACE_CLAIM_H

#include "base/base.h"

/* Counters of executions by their number of preemptions; the last counter is for that many and more. */
enum { RD_PREEMPTION_COUNTS = 64 };

/*
 * What a search has proved so far. The sentence `proved` leaves out the conditions that every search has
 * (sequential consistency, the points, the input of the program); `voids` names a condition that does not hold, so
 * that nothing is proved after all.
 */
struct rd_claim {
    int32_t preemptions, delays, depth; /* bound up to which every execution was covered; -1: no such bound */
    uint8_t complete;                   /* the bound covers all executions */
    uint8_t incomplete; /* the search gave up a part of its work because memory ran out: it claims nothing */
    uint8_t likely;     /* `proved` speaks of probabilities: it is no proof */
    uint8_t reduced;    /* each execution stands for its happens-before class */
    uint8_t given_up;   /* the same, but only beyond the bound that it claims */
    uint8_t deadlocks;  /* `proved` says that there are no deadlocks but those that were found or predicted */
    uint8_t or_more;    /* `estimate` may be too small, and `done` too large */
    double done;        /* fraction of the whole search that is done; 0: not known */
    double estimate;    /* number of executions of the whole search; 0: not known */
    double classes;     /* of a sampler: estimated number of classes of the program; 0: not known */
    double fresh; /* of a sampler: probability that the next execution shows a new class; known if `classes` is */
    /* of a search over a tree of executions: its nodes in memory now, and the most nodes and bytes; 0: no such tree
     */
    uint64_t nodes, nodes_max, tree_bytes_max;
    double missed; /* probability that a bug of depth `missed_depth` or less was missed; 0: not known */
    /* depth of that bug, and the numbers of threads and points with which it shows */
    uint32_t missed_depth, missed_threads, missed_points;
    uint32_t pad;
    char proved[384]; /* the sentence; "": nothing is proved yet */
    char voids[128];  /* why the proof is void; "": it holds */
    char assumes[64]; /* what must be true for the proof to hold, and is not checked; "": nothing */
    char phase[64];   /* the part of the search that is running; "": the search has one part only */
    char chance[400]; /* what the search's own samples say, as probabilities; "": no samples */
};

/* The claim of a search that has proved nothing. */
static inline struct rd_claim rd_claim_none(void) {
    return (struct rd_claim){.preemptions = -1, .delays = -1, .depth = -1};
}

/* An entry of a worker's log: a class that is new to the worker, or that it reached with fewer preemptions. */
struct rd_logged_class {
    uint64_t key;
    uint64_t preemptions;
};

/* One execution of a search, as a row of the curves that --coverage writes. */
struct rd_sample {
    uint64_t executions, cut; /* numbers of all executions and of those that were cut, up to this one, inclusive */
    uint64_t elapsed_ns;
    uint64_t classes, lazy, states; /* numbers of distinct classes, lazy classes and states up to this one */
    uint64_t class;                 /* key of its class; of one that was cut: 0 */
    int64_t nodes;                  /* nodes of the search's tree in memory; -1: it has no such tree */
    uint32_t steps, points, preemptions, blocking;
    int32_t bound; /* bound that the search had covered by then; -1: none */
    uint8_t verdict, new_class;
    uint8_t pad[2];
};
static_assert(sizeof(struct rd_sample) == 88, "stored");

/* How many executions of a search had this class. The classes come in the order in which they were first seen. */
struct rd_order_count {
    uint64_t key, executions;
};

/*
 * The counters of --coverage. A *state* is the happens-before class of a prefix of an execution; the empty prefix
 * counts. A long search keeps only every `stride`-th execution as a sample (stride 1, 2, 4 …), which bounds the
 * number of samples.
 */
struct rd_coverage {
    uint64_t stride;
    uint64_t states;
    uint64_t states_by[RD_PREEMPTION_COUNTS]; /* states by the fewest preemptions that reach each */
    uint64_t lazy;                            /* number of lazy classes (rd_event_forget_mutexes) */
    uint64_t
        states_dropped; /* states that were reached when the table was full: it is not known whether they are new */
    uint64_t orders_dropped; /* executions of classes that came when the table of classes was full */
    uint32_t order_count;    /* entries of that table in use */
    uint32_t sample_count;
    struct rd_sample last;
};

#endif
