/*
 * summary.h - what a search has to say: its counters, its claim and how it ended. The loop around the search writes
 * it into the channel (explore/loop.h); the driver checks and copies it, adds up those of several workers, and
 * hands it to the report.
 */
#ifndef RD_RESULT_SUMMARY_H
#define RD_RESULT_SUMMARY_H

#include "trace/claim.h"
#include "trace/types.h"

enum rd_end {
    RD_END_NONE,     /* the search is still going on, or its process died */
    RD_END_COMPLETE, /* nothing is left to run */
    RD_END_BUDGET,   /* executions or time are used up */
    RD_END_FOUND,    /* a finding stopped the search */
    RD_END_TROUBLE,  /* see `trouble` */
    RD_END_STOPPED,  /* the driver asked for the end */
    RD_END_MEMORY,   /* the memory of the search is used up, and the search cannot do with less */
    RD_END_NO_FORK,  /* isolation auto: fork cannot isolate this program; see `message` */
    RD_END_AGAIN,    /* memory turned out to be shared: the driver has to begin the search again */
    RD_END_COUNT,
};

/* Features of the program that some execution used: each adds a condition to the claim. */
enum rd_played {
    RD_PLAYED_TIMED = 1,  /* waits with a deadline */
    RD_PLAYED_WAITS = 2,  /* condition variables */
    RD_PLAYED_CLOCK = 4,  /* a clock was read while there were other threads */
    RD_PLAYED_TRACK = 8,  /* only the accesses to tracked variables were points */
    RD_PLAYED_WRITE = 16, /* a thread wrote to standard output without its stream, which nothing orders */
    RD_PLAYED_FILES = 32, /* new descriptors got numbers, which no operation stands for */
};

/* A function that raddle knows nothing about, so that a call of it depends on everything (rt/call/call.h). */
enum { RD_OPAQUE_MAX = 64 };
struct rd_opaque {
    rd_place function;
    uint64_t calls; /* calls that were operations, in all executions */
};

struct rd_summary {
    uint32_t end;       /* enum rd_end */
    uint32_t trouble;   /* with RD_END_TROUBLE: the verdict that ended the search, RD_DIVERGED or RD_REFUSED */
    rd_place unseen_pc; /* of the trouble: an address in code without hooks; 0: not known */
#define RD_COUNTER(type, name, merge, json, one, many) type name;
#include "result/counters.def"
#undef RD_COUNTER
    uint64_t preemptions[RD_PREEMPTION_COUNTS]; /* executions by preemptions */
    uint64_t classes_by[RD_PREEMPTION_COUNTS];  /* classes by the fewest preemptions of an execution in them */
    uint64_t cpu_ns_min;                        /* of the execution that used least; 0: none was measured */
    uint64_t digest; /* a hash of all executions in their order: what each was and how it ended */
    struct rd_divergence divergence;
    uint64_t divergence_execution;
    struct rd_claim claim;
    struct rd_coverage coverage;
    char message[512];     /* of the trouble, or of RD_END_NO_FORK */
    char no_snapshot[192]; /* why each execution is a process of its own; "": it is not, or that was asked for */
    struct rd_opaque opaque[RD_OPAQUE_MAX];
    uint32_t opaque_count;

    /* what is stored in the arrays beside the summary (struct rd_run_result) */
    uint32_t found_count, ending_count;
    uint32_t tracks_used; /* of the store of tracked variables */
    uint64_t store_used;  /* of the store of steps */
    uint64_t texts_used;
    uint64_t endings_lost; /* executions with further endings, for which there was no room */
};

/* Adds to `to` what another worker of the same search counted. The caller counts the classes itself. */
void rd_summary_merge(struct rd_summary *to, const struct rd_summary *from);
/*
 * Makes a summary safe to read whose memory a broken program could reach: every index is cut to its limit and every
 * text ends. Returns whether nothing had to be changed.
 */
bool rd_summary_clamp(struct rd_summary *s);

/* One row of counters.def for readers that print counters: its value, its key in JSON, and its line of text. */
struct rd_counter_row {
    const char *name, *json, *one, *many;
    uint64_t value;
};
uint32_t rd_summary_counter_count(void);
struct rd_counter_row rd_summary_counter(const struct rd_summary *s, uint32_t i);

#endif
