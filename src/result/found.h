/* found.h - what a search stores of the executions that matter: findings, and different endings. */
#ifndef RD_RESULT_FOUND_H
#define RD_RESULT_FOUND_H

#include "trace/sharing.h"
#include "trace/types.h"

/* The most findings of one search. */
enum { RD_FOUND_MAX = 64 };
/*
 * The most different endings of a search (--outcomes); the bytes of an output that are compared; the bytes of each
 * output that are kept; the bytes of all texts that are kept.
 */
enum { RD_ENDINGS_MAX = 512, RD_OUTPUT_MAX = 1 << 20, RD_OUTPUT_KEPT = 1 << 16, RD_TEXTS_MAX = 8 << 20 };
/* The most rows of --coverage, and the most states that it tells apart. */
enum { RD_SAMPLES_MAX = 1 << 16, RD_STATES_MAX = 1 << 23 };

/* A finding with the execution that showed it first; the steps of that execution are in the store. */
struct rd_found {
    struct rd_finding finding;
    uint64_t execution;            /* its number, from 1 */
    uint64_t store;                /* index of its first step in the store of steps */
    struct rd_sharing_use sharing; /* the version of shared memory that it ran with */
    uint32_t access_points;        /* enum rd_access_points */
    uint32_t yields;               /* of its plan */
    uint32_t track, track_count;   /* what its plan tracked, in the store of tracked variables */
    uint32_t confirmed;            /* 1: another finding shows that this prediction was right */
    uint32_t steps, preemptions, threads;
    uint32_t count;      /* executions that showed it; 0: there is no schedule */
    uint32_t heap_known; /* the execution went on after errors of the heap that the user knows */
    struct rd_why why;
};

/* A different ending of executions, for --outcomes. */
struct rd_ending {
    uint64_t key, count;
    uint64_t text;         /* index in the texts: what is kept of the output, then what was observed */
    uint64_t output_total; /* bytes that the program printed */
    uint32_t output_size, observed_size;
    int32_t status;
    uint32_t ended;        /* 1: the program ended by itself, so that output and status count */
    struct rd_found found; /* the first execution with this ending; count 0: there was no room for its schedule */
};

/* Are the texts of this finding terminated and its numbers within their enumerations? */
bool rd_finding_is_sound(const struct rd_finding *f);
/* The same of a stored finding, and do its steps lie within the stores? */
bool rd_found_is_sound(const struct rd_found *f, uint64_t store_used, uint64_t tracks_used);

#endif
