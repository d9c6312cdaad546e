/*
 * sample.h - what executions drawn independently from one distribution show: when none of n has failed, an
 * execution fails with a probability below 3 / n (with a confidence of 95 %, as (1 - 3 / n)^n < 0.05). When f1
 * orders of events were seen once and f2 twice, the next execution shows a new one with a probability of about f1 /
 * n (Good, "The population frequencies of species and the estimation of population parameters", Biometrika 1953),
 * and there are about f1 (f1 - 1) / (2 (f2 + 1)) more orders, or more than that (Chao, "Nonparametric estimation of
 * the number of classes in a population", Scandinavian Journal of Statistics 1984).
 */
#ifndef RD_SEARCH_SAMPLE_H
#define RD_SEARCH_SAMPLE_H

#include "base/map.h"
#include "base/text.h"
#include "trace/claim.h"
#include "trace/types.h"

struct rd_sampled {
    uint64_t drawn; /* with the distribution of now */
    uint64_t all;   /* with any */
    bool failed;    /* ever */
    struct rd_arena *arena;
    struct rd_map seen;    /* order of events -> distribution << 32 | executions */
    uint64_t distribution; /* how many there were before */
    uint64_t orders, once, twice;
    uint64_t room; /* so many orders are told apart */
    bool full;     /* there were more */
};

/* `memory_max` as in rd_params: what it keeps takes a part of that. */
void rd_sampled_open(struct rd_sampled *s, struct rd_arena *a, uint64_t memory_max);

/* False: it was no execution. */
bool rd_sampled_add(struct rd_sampled *s, const struct rd_record *r);
/*
 * What another worker needs to have counted these, too (team.h): both must have drawn from one distribution. Its
 * size in bytes.
 */
size_t rd_sampled_tally(const struct rd_sampled *s, void *to, size_t room);
void rd_sampled_merge(struct rd_sampled *s, const void *tally, size_t size);
/* … or that there were some, which do not count here. */
void rd_sampled_pass(struct rd_sampled *s, const void *tally);
/* The same with what tells the distribution: what was drawn from another one is only known to have been. */
size_t rd_sampled_tally_of(const struct rd_sampled *s, uint64_t distribution, void *to, size_t room);
void rd_sampled_merge_of(struct rd_sampled *s, uint64_t distribution, const void *tally, size_t size);
/* From the next execution on they come from another distribution: what was counted counts no more. */
void rd_sampled_anew(struct rd_sampled *s);
/*
 * The sentence, unless there was a failure, and the estimates; neither when there are too few executions to say
 * anything.
 */
void rd_sampled_claim(const struct rd_sampled *s, struct rd_text *t, struct rd_claim *c);
/* The probability that all of them miss what each finds with this one. */
double rd_sampled_missed(const struct rd_sampled *s, double found);
/*
 * The beginning of a sentence about bugs of a depth, when they are missed with this probability: that there are too
 * few executions for one. False: there are enough, or so few that nothing is said at all.
 */
bool rd_sampled_too_few(const struct rd_sampled *s, struct rd_text *t, uint32_t depth, double missed);
/* A probability as text, rounded up: 0.0133. */
void rd_sampled_share(struct rd_text *t, double share);

#endif
