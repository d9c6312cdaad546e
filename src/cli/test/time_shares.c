/*
 * time_shares.c - see time_shares.h.
 *
 * A test in the last round gets an equal part of the time that is left to its slot, which may still have to run
 * ceil(queued / at_once) tests. That is enough for all tests, whichever slots become free first: the latest starts
 * of the m slots had different queues, of at least q, q + 1 .. q + m - 1 tests, and the slots have room for the sum
 * of ceil((q + i) / m) - 1 = q - 1 tests more (Hermite's identity), which is all that are queued then.
 */
#include "cli/test/time_shares.h"

static const double FIRST_PART = 0.1; /* of the equal share */
static const double FIRST_LEAST_S = 0.5;

double rd_time_shares_first(double left_s, uint32_t tests, uint32_t at_once) {
    if (tests <= at_once)
        return 0;
    double share = left_s * at_once / tests;
    return share > 4 * FIRST_LEAST_S ? RD_MAX(share * FIRST_PART, FIRST_LEAST_S) : 0;
}

double rd_time_shares_next(double left_s, uint32_t queued, uint32_t at_once, double first_s) {
    RD_CHECK(queued > 0 && at_once > 0);
    if (first_s > 0)
        return RD_MIN(first_s, left_s);
    uint32_t in_slot = queued / at_once + (queued % at_once > 0);
    return left_s / in_slot;
}
