/* hope.c - see hope.h. */
#include "search/hope.h"

/* By the proof itself; in a team by whoever is part of it. */
static double estimate(const struct rd_part *proof, struct rd_hope_common *common) {
    double own = rd_part_claim(proof).estimate;
    if (!common)
        return own;
    if (own > 0)
        __atomic_store(&common->estimate, &own, __ATOMIC_RELAXED);
    else
        __atomic_load(&common->estimate, &own, __ATOMIC_RELAXED);
    return own;
}

static double orders_of(const struct rd_rotation *samples, struct rd_hope_common *common, bool *most) {
    double own = rd_rotate_orders(samples, most), all = own;
    if (!common)
        return own;
    __atomic_load(&common->orders, &all, __ATOMIC_RELAXED);
    if (own > all)
        __atomic_store(&common->orders, &own, __ATOMIC_RELAXED);
    *most &= own >= all;
    return RD_MAX(own, all);
}

enum rd_hope rd_hope_of(const struct rd_part *proof, const struct rd_rotation *samples,
                        struct rd_hope_common *common, uint64_t left) {
    bool most = false;
    double own = estimate(proof, common), orders = samples ? orders_of(samples, common, &most) : 0;
    double more = RD_MAX(own, orders) - (double)rd_part_runs(proof), room = (double)left;
    if (left == 0)
        return RD_HOPE_FITS;
    if (more > 8 * room)
        return RD_HOPE_NEVER;
    bool known = own > 0 || (most && more > 0);
    return known && more <= room / 2 ? RD_HOPE_FITS : RD_HOPE_UNKNOWN;
}
