/*
 * budget_estimate.h - predicts whether a proof by partial-order reduction will finish within the budget. DPOR can
 * estimate its tree only once the tree has stopped growing; until then the number of classes that the samplers
 * have seen is a lower bound, and when they have seen most classes, an estimate. The workers of a team share their
 * estimates, so that all of them make the same prediction.
 */
#ifndef RD_SEARCH_AUTO_BUDGET_ESTIMATE_H
#define RD_SEARCH_AUTO_BUDGET_ESTIMATE_H

#include "search/auto/sampler_rotation.h"

enum rd_budget_estimate { RD_BUDGET_ESTIMATE_UNKNOWN, RD_BUDGET_ESTIMATE_FITS, RD_BUDGET_ESTIMATE_NEVER };

/* Shared by the workers of a team. */
struct rd_budget_estimate_common {
    double estimate; /* of the proof, by the last worker that had an estimate */
    double classes;  /* by samples: the largest estimate of any worker */
};

/*
 * Predicts whether the proof fits into `left` executions. `samples` NULL: the proof runs several executions of a
 * class. `common` NULL: alone.
 */
enum rd_budget_estimate rd_budget_estimate_of(const struct rd_part *proof, const struct rd_rotation *samples,
                                              struct rd_budget_estimate_common *common, uint64_t left);

#endif
