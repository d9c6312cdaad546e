/* budget_estimate.c - see budget_estimate.h. */
#include "search/auto/budget_estimate.h"

/* Returns the estimate of the proof itself; in a team the last one of any worker that takes part in the proof. */
static double estimate(const struct rd_part *proof, struct rd_budget_estimate_common *common) {
    double own = rd_part_claim(proof).estimate;
    if (!common)
        return own;
    if (own > 0)
        __atomic_store(&common->estimate, &own, __ATOMIC_RELAXED);
    else
        __atomic_load(&common->estimate, &own, __ATOMIC_RELAXED);
    return own;
}

static double orders_of(const struct rd_rotation *samples, struct rd_budget_estimate_common *common, bool *most) {
    double own = rd_rotation_orders(samples, most), all = own;
    if (!common)
        return own;
    __atomic_load(&common->classes, &all, __ATOMIC_RELAXED);
    if (own > all)
        __atomic_store(&common->classes, &own, __ATOMIC_RELAXED);
    *most &= own >= all;
    return RD_MAX(own, all);
}

enum rd_budget_estimate rd_budget_estimate_of(const struct rd_part *proof, const struct rd_rotation *samples,
                                              struct rd_budget_estimate_common *common, uint64_t left) {
    bool most = false;
    double own = estimate(proof, common), orders = samples ? orders_of(samples, common, &most) : 0;
    double more = RD_MAX(own, orders) - (double)rd_part_runs(proof), room = (double)left;
    RD_CHECK(own >= 0 && orders >= 0);
    if (left == 0)
        return RD_BUDGET_ESTIMATE_FITS;
    if (more > 8 * room)
        return RD_BUDGET_ESTIMATE_NEVER;
    bool known = own > 0 || (most && more > 0);
    return known && more <= room / 2 ? RD_BUDGET_ESTIMATE_FITS : RD_BUDGET_ESTIMATE_UNKNOWN;
}
