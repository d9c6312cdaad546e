/*
 * bound.h - how far a search has come that works in the order of a bound (preemptions, delays, depth), and what
 * that proves, in words.
 */
#ifndef RD_SEARCH_BOUND_H
#define RD_SEARCH_BOUND_H

#include "base/text.h"
#include "trace/claim.h"

struct rd_bound {
    uint64_t executions; /* so far */
    uint64_t covered;    /* how many there were when the bound was finished */
    int64_t finished;    /* everything up to here was run; -1: nothing yet */
    bool beyond;         /* something was left out because it is beyond the limit */
    bool complete;       /* there is nothing left at all */
    bool ended;          /* … within the limit */
};

/* Everything up to `bound` was run by now. */
void rd_bound_finish(struct rd_bound *b, int64_t bound);
/* Nothing is left to run up to this bound, nor beyond it unless `beyond` says so. */
void rd_bound_end(struct rd_bound *b, int64_t bound);
/*
 * The sentence, what is being run (but for a depth), and `complete`. `what`: "preemption", "delay". Sets none of
 * the numbers; says nothing when part of the search was given up.
 */
void rd_bound_words(const struct rd_bound *b, const char *what, struct rd_claim *c);
/*
 * The same when executions that are preempted at more than so many variables were left out. `literal`: all
 * preemptions but the first so many are at the variables of those.
 */
void rd_bound_var_words(const struct rd_bound *b, uint64_t variables, bool literal, struct rd_claim *c);
/* The same for a bound of the length: what comes after the first so many operations was not run. */
void rd_bound_depth_words(const struct rd_bound *b, struct rd_claim *c);

/* 1234567 as 1,234,567 */
void rd_bound_count(struct rd_text *t, uint64_t n);

#endif
