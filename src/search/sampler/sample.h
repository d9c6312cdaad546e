/*
 * sample.h - the statistics of executions that were drawn independently from one distribution: what they estimate,
 * and with which confidence. When none of n failed, an execution fails with a probability below 3 / n (with a
 * confidence of 95 %, as (1 - 3 / n)^n < 0.05). When f1 classes were seen once and f2 twice, the next execution
 * shows a new class with a probability of about f1 / n (Good, "The population frequencies of species and the
 * estimation of population parameters", Biometrika 1953), and at least about f1 (f1 - 1) / (2 (f2 + 1)) classes
 * were not seen (Chao, "Nonparametric estimation of the number of classes in a population", Scandinavian Journal
 * of Statistics 1984).
 */
#ifndef RD_SEARCH_SAMPLER_SAMPLE_H
#define RD_SEARCH_SAMPLER_SAMPLE_H

#include "base/map.h"
#include "base/text.h"
#include "trace/claim.h"
#include "trace/types.h"

struct rd_sampled {
    uint64_t drawn; /* executions from the current distribution */
    uint64_t all;   /* executions from any distribution */
    bool failed;    /* an execution from any distribution failed */
    struct rd_arena *arena;
    struct rd_map seen;    /* class -> number of the distribution << 32 | executions */
    uint64_t distribution; /* the number of the current distribution */
    uint64_t classes, once, twice;
    uint64_t room; /* most classes that are counted */
    bool full;     /* there were more than `room` classes: their number is not known */
};

/* Opens empty statistics. `memory_max` as in rd_params: they use a part of it. */
void rd_sampled_open(struct rd_sampled *s, struct rd_arena *a, uint64_t memory_max);

/* Counts an execution. Returns false if it was cut, which does not count. */
bool rd_sampled_add(struct rd_sampled *s, const struct rd_record *r);
/*
 * Writes the statistics for another worker (team/team.h) and returns their size in bytes; `merge` adds them. pre:
 * both workers drew from the same distribution.
 */
size_t rd_sampled_tally(const struct rd_sampled *s, void *to, size_t room);
void rd_sampled_merge(struct rd_sampled *s, const void *tally, size_t size);
/* For a tally of another distribution: adds only the number of all executions, and whether one failed. */
void rd_sampled_pass(struct rd_sampled *s, const void *tally);
/* The same with a hash of the distribution: counts the executions only if the hashes are equal. */
size_t rd_sampled_tally_of(const struct rd_sampled *s, uint64_t distribution, void *to, size_t room);
void rd_sampled_merge_of(struct rd_sampled *s, uint64_t distribution, const void *tally, size_t size);
/* Begins another distribution with the next execution: `drawn` and the counts of classes begin again at 0. */
void rd_sampled_anew(struct rd_sampled *s);
/* Writes the sentence, unless an execution failed, and the estimates; neither when there are too few executions. */
void rd_sampled_claim(const struct rd_sampled *s, struct rd_text *t, struct rd_claim *c);
/* Returns the probability that all executions miss a bug that each of them finds with probability `found`. */
double rd_sampled_missed(const struct rd_sampled *s, double found);
/*
 * Writes that there are too few executions for a sentence about bugs of a depth, if such bugs are missed with a
 * probability above one half. Returns false, and writes no text, if there are enough executions, or too few for
 * any sentence.
 */
bool rd_sampled_too_few(const struct rd_sampled *s, struct rd_text *t, uint32_t depth, double missed);
/* Appends a probability, rounded up: 0.0133. */
void rd_sampled_share(struct rd_text *t, double share);

#endif
