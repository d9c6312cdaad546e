/* found.h - what a search stores of executions: findings, and different endings, with their schedules. */
#ifndef RD_RESULT_FOUND_H
#define RD_RESULT_FOUND_H

#include "trace/sharing.h"
#include "trace/types.h"

/* The most findings of one search. */
enum { RD_FOUND_MAX = 64 };
/* The most places of memory that are noted of a race, beside that of its first execution. */
enum { RD_FOUND_MEMORY = 4 };
/*
 * The most different endings of a search (--outcomes); the bytes of an output that are compared; the bytes that are
 * kept of each output, and of all texts together.
 */
enum { RD_ENDINGS_MAX = 512, RD_OUTPUT_MAX = 1 << 20, RD_OUTPUT_KEPT = 1 << 16, RD_TEXTS_MAX = 8 << 20 };
/* The most samples of --coverage, the most states that it counts, and the most classes whose executions it counts.
 */
enum { RD_SAMPLES_MAX = 1 << 16, RD_STATES_MAX = 1 << 23, RD_ORDERS_MAX = 1 << 20 };

/* A finding with the execution that showed it first; the steps of that execution are in the store. */
struct rd_found {
    struct rd_finding finding;
    uint64_t execution;            /* its number, from 1 */
    uint64_t store;                /* index of its first step in the store of steps */
    struct rd_sharing_use sharing; /* the version of shared memory that it ran with */
    uint32_t access_points;        /* enum rd_access_points */
    uint32_t yields;               /* rd_plan.yields of its plan */
    uint32_t track, track_count;   /* pieces that its plan tracked, in the store of tracked variables */
    uint32_t confirmed;            /* 1: an execution ended in this predicted deadlock */
    uint32_t steps, preemptions, blocking, threads;
    /*
     * Number of executions that showed it; of a finding of a detector that reads records, number of executions that
     * were read, of which each had another order of events. 0: no schedule is stored, or only executions before the
     * search began again have shown it
     */
    uint32_t count;
    uint32_t heap_known; /* 1: the execution went on after heap errors that the user declares known */
    /* of a deadlock, or a predicted one: the places in the code where threads wait for locks (the first of them) */
    uint32_t wait_count;
    rd_place waits[RD_CIRCLE_MAX];
    /* of a race: other memory at which the two places of the code raced (the first of it) */
    uint32_t memory_count;
    rd_place memory[RD_FOUND_MEMORY];
    struct rd_why why;
};

/* One of the different endings of executions (--outcomes; explore/outcomes.h). */
struct rd_ending {
    uint64_t key, count;
    uint64_t text;         /* index in the texts: output_size bytes of output, then the observed values */
    uint64_t output_total; /* bytes that the program printed */
    uint32_t output_size, observed_size;
    int32_t status;
    uint16_t ended;        /* 1: the program ended by itself: output and status are part of the ending */
    uint16_t extra;        /* 1: no execution of the search had it: `count` is that of extra executions */
    struct rd_found found; /* the first execution with this ending; count 0: its schedule found no room */
};

/* Returns true if the texts of the finding end and its numbers are within their enumerations. */
bool rd_finding_is_sound(const struct rd_finding *f);
/* The same for a stored finding; its steps and tracked pieces must also lie within the used part of the stores. */
/*
 * Should a schedule of so many steps take the place of the finding's own? Only of a very long one, which nobody can
 * read and which there is no time to make simpler.
 */
static inline bool rd_found_is_too_long(const struct rd_found *f, uint32_t steps) {
    enum { TIMES = 8, LONG = 4000 };
    return f->finding.kind != RD_PREDICTED_DEADLOCK && f->steps > LONG && f->steps / TIMES > steps;
}
/* The finding has got another schedule: what was counted of `before` stays. */
static inline void rd_found_keep_counts(struct rd_found *f, const struct rd_found *before) {
    f->count = before->count;
    f->confirmed = before->confirmed;
    f->memory_count = before->memory_count;
    for (uint32_t i = 0; i < RD_FOUND_MEMORY; i++)
        f->memory[i] = before->memory[i];
}
bool rd_found_is_sound(const struct rd_found *f, uint64_t store_used, uint64_t tracks_used);

#endif
