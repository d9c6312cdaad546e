/*
 * bound.h - the progress of a search that works in the order of a bound (preemptions, delays, depth), and the
 * sentence that says what it has proved.
 */
#ifndef RD_SEARCH_BOUND_H
#define RD_SEARCH_BOUND_H

#include "base/text.h"
#include "trace/claim.h"

struct rd_bound {
    uint64_t executions; /* so far */
    uint64_t covered;    /* executions there were when `finished` was reached */
    int64_t finished;    /* every execution up to this bound was run; -1: of no bound yet */
    bool beyond;         /* an execution was left out because it is beyond the limit */
    bool complete;       /* every execution was run, whatever its cost */
    bool ended;          /* every execution within the limit was run */
};

/* Notes that every execution up to `bound` was run. */
void rd_bound_finish(struct rd_bound *b, int64_t bound);
/* Notes that nothing is left to run up to this bound, nor beyond it unless `beyond` is set. */
void rd_bound_end(struct rd_bound *b, int64_t bound);
/*
 * Writes the sentence, the phase and `complete` of the claim, but not its numbers. `what` is "preemption" or
 * "delay". Writes no sentence if part of the search was given up.
 */
void rd_bound_words(const struct rd_bound *b, const char *what, struct rd_claim *c);
/*
 * The same when executions with preemptions at more than so many variables were left out. `literal`: all
 * preemptions but the first so many are at the variables of these.
 */
void rd_bound_var_words(const struct rd_bound *b, uint64_t variables, bool literal, struct rd_claim *c);
/* The same for a bound on the length of executions; writes no phase. */
void rd_bound_depth_words(const struct rd_bound *b, struct rd_claim *c);

/* Appends a number in groups of three digits: 1,234,567. */
void rd_bound_count(struct rd_text *t, uint64_t n);

#endif
