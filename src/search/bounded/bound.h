/*
 * bound.h - the progress of a search that covers one bound after the other (on preemptions, delays or depth), and
 * the sentence of its claim.
 */
#ifndef RD_SEARCH_BOUNDED_BOUND_H
#define RD_SEARCH_BOUNDED_BOUND_H

#include "base/text.h"
#include "trace/claim.h"

struct rd_bound {
    uint64_t executions; /* so far */
    uint64_t covered;    /* the value of `executions` when `finished` was reached */
    int64_t finished;    /* every execution up to this bound was run; -1: no bound is finished yet */
    bool beyond;         /* an execution was left out because it is beyond the limit */
    bool complete;       /* every execution of any cost was run */
    bool ended;          /* every execution within the limit was run */
};

/* Notes that every execution up to `bound` was run. */
void rd_bound_finish(struct rd_bound *b, int64_t bound);
/*
 * Notes that every execution up to this bound was run, and every execution beyond it, too, unless `beyond` is set.
 */
void rd_bound_end(struct rd_bound *b, int64_t bound);
/*
 * Writes the sentence, the phase and `complete` of the claim, but not its numbers. `unit` is the word for one unit
 * of the bound: "preemption" or "delay". Writes no sentence if part of the search was given up (`incomplete`).
 */
void rd_bound_words(const struct rd_bound *b, const char *unit, struct rd_claim *c);
/*
 * The same for a search that has left out executions with preemptions at more than `variables` variables.
 * `literal`: the first `variables` preemptions may be anywhere, and all later ones are at the variables of these.
 */
void rd_bound_var_words(const struct rd_bound *b, uint64_t variables, bool literal, struct rd_claim *c);
/* The same for a bound on the length of executions; writes no phase. */
void rd_bound_depth_words(const struct rd_bound *b, struct rd_claim *c);

/* Appends a number in groups of three digits: 1,234,567. */
void rd_bound_count(struct rd_text *t, uint64_t n);

#endif
