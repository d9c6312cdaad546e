/*
 * sample.h - what executions drawn independently from one distribution show: when none of n has failed, an
 * execution fails with a probability below 3 / n (with a confidence of 95 %, as (1 - 3 / n)^n < 0.05).
 */
#ifndef RD_SAMPLE_H
#define RD_SAMPLE_H

#include "base/text.h"
#include "trace/channel.h"

struct rd_sampled {
    uint64_t drawn; /* with the distribution of now */
    bool failed;    /* ever */
};

/* False: it was no execution. */
bool rd_sampled_add(struct rd_sampled *s, const struct rd_record *r);
/* The sentence, unless there was a failure or too few executions to say anything. */
void rd_sampled_claim(const struct rd_sampled *s, struct rd_text *t);
/* The probability that all of them miss what each finds with this one. */
double rd_sampled_missed(const struct rd_sampled *s, double found);
/* A probability as text, rounded up: 0.0133. */
void rd_sampled_share(struct rd_text *t, double share);

#endif
