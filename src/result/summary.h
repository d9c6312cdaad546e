/*
 * summary.h - the summary of a search: its counters, its claim and how it ended. The loop writes the summary into
 * the channel (explore/loop.h); the driver copies and checks it, merges the summaries of several workers, and
 * passes the result to the report.
 */
#ifndef RD_RESULT_SUMMARY_H
#define RD_RESULT_SUMMARY_H

#include "trace/claim.h"
#include "trace/code_ranges.h"
#include "trace/types.h"

enum rd_end {
    RD_END_NONE,     /* the search has not ended, or its process died */
    RD_END_COMPLETE, /* the search has no execution left to run */
    RD_END_BUDGET,   /* executions or time are used up */
    RD_END_FOUND,    /* a finding stopped the search */
    RD_END_TROUBLE,  /* an execution could not be used; see rd_summary.trouble */
    RD_END_STOPPED,  /* the driver asked for the end, or the team ended */
    RD_END_MEMORY,   /* the memory of the search is used up */
    RD_END_NO_FORK,  /* isolation auto: fork cannot isolate this program; see rd_summary.message */
    RD_END_AGAIN,    /* more memory became shared: the driver has to begin the search of the team again */
    RD_END_COUNT,
};

/* Features of the program that an execution used: each adds a condition to the claim. */
enum rd_played {
    RD_PLAYED_TIMED = 1, /* waits with a deadline */
    RD_PLAYED_WAITS = 2, /* condition variables */
    RD_PLAYED_CLOCK = 4, /* a clock was read while there were other threads */
    RD_PLAYED_TRACK = 8, /* only the accesses to tracked variables were points */
    RD_PLAYED_WRITE =
        16, /* a thread wrote to standard output, but not through the stream: no operation orders that */
    RD_PLAYED_FILES = 32, /* a thread used files or got new descriptors, whose numbers follow from no operation */
};

/* An opaque function: its effects are not known, so a call of it depends on every event (rt/call/call.h). */
enum { RD_OPAQUE_MAX = 64 };
struct rd_opaque {
    rd_place function;
    uint64_t calls; /* number of calls that were operations, in all executions */
};

/* A finding that a search left out because of a line of --suppress. */
struct rd_left_out {
    uint64_t key;
    rd_place pc, other_pc; /* other_pc 0: it is about one place */
    rd_place data;         /* of a race: its memory */
    uint16_t line, kind;
    uint32_t pad;
};
enum { RD_LEFT_OUT_MAX = 128 };

struct rd_summary {
    uint32_t end;       /* enum rd_end */
    uint32_t trouble;   /* with RD_END_TROUBLE: the verdict that ended the search, RD_DIVERGED or RD_REFUSED */
    rd_place unseen_pc; /* with RD_END_TROUBLE: place in the unseen code; 0: not known */
#define RD_COUNTER(type, name, merge, json, one, many) type name;
#include "result/counters.def"
#undef RD_COUNTER
    uint64_t preemptions[RD_PREEMPTION_COUNTS]; /* executions by preemptions */
    uint64_t classes_by[RD_PREEMPTION_COUNTS];  /* classes by the fewest preemptions of an execution in them */
    uint64_t cpu_ns_min; /* least processor time of an execution that passed; 0: none was measured */
    uint64_t digest;     /* hash of the classes, sizes and verdicts of all executions, in their order */
    uint32_t suppressed_by[RD_SUPPRESS_LINES];    /* distinct findings that each line of --suppress matched */
    struct rd_left_out left_out[RD_LEFT_OUT_MAX]; /* these findings, as far as there is room */
    uint32_t left_out_count;
    struct rd_divergence divergence;
    uint64_t divergence_execution;
    struct rd_claim claim;
    struct rd_coverage coverage;
    char message[512];     /* with RD_END_TROUBLE or RD_END_NO_FORK: the reason */
    char no_snapshot[192]; /* why auto isolation does not use snapshots; "": it does, or the user chose the
                              isolation */
    struct rd_opaque opaque[RD_OPAQUE_MAX];
    uint32_t opaque_count;

    /* used parts of the arrays beside the summary (struct rd_run_result, rd_channel_store …) */
    uint32_t found_count, ending_count;
    uint32_t tracks_used; /* of the store of tracked variables */
    uint64_t store_used;  /* of the store of steps */
    uint64_t texts_used;
    uint64_t endings_lost; /* executions whose ending is different, and found no room */
};

/* Adds the counters of another worker of the same search to `to`. The caller counts the classes itself. */
void rd_summary_merge(struct rd_summary *to, const struct rd_summary *from);
/*
 * Makes a summary safe to read that a broken program could write: cuts numbers to their limits and ends every text.
 * Returns true if it changed nothing.
 */
bool rd_summary_clamp(struct rd_summary *s);

/* A row of counters.def with the value of the counter, for code that prints all counters. */
struct rd_counter_row {
    const char *name, *json, *one, *many;
    uint64_t value;
};
uint32_t rd_summary_counter_count(void);
struct rd_counter_row rd_summary_counter(const struct rd_summary *s, uint32_t i);

#endif
