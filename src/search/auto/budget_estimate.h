/*
 * budget_estimate.h - will a proof fit into the budget? Its own estimate is about the tree as it is known, and
 * there is none while that still grows. Samples know that there are at least so many orders of events, and when
 * most were seen, how many. Several workers tell each other, so that all come to the same answer.
 */
#ifndef RD_SEARCH_AUTO_BUDGET_ESTIMATE_H
#define RD_SEARCH_AUTO_BUDGET_ESTIMATE_H

#include "search/auto/sampler_rotation.h"

enum rd_budget_estimate { RD_BUDGET_ESTIMATE_UNKNOWN, RD_BUDGET_ESTIMATE_FITS, RD_BUDGET_ESTIMATE_NEVER };

/* In memory that workers share. */
struct rd_budget_estimate_common {
    double estimate; /* of the proof, by whoever had one last */
    double orders;   /* by samples: the most that anybody has made of them */
};

/* `samples` NULL: the proof runs more than one execution of an order. `common` NULL: there is one worker. */
enum rd_budget_estimate rd_budget_estimate_of(const struct rd_part *proof, const struct rd_rotation *samples,
                                              struct rd_budget_estimate_common *common, uint64_t left);

#endif
