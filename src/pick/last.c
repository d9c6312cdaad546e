/*
 * last.c - the candidate with the largest thread number, the reverse of `first`; timed waits that would time out
 * come last.
 */
#include "pick/pick.h"

static void begin(void *state, const struct rd_plan *plan) {
    (void)state;
    (void)plan;
}

static uint32_t pick(void *state, const struct rd_point *point) {
    (void)state;
    for (uint32_t i = point->count; point->cand && i-- > 0;)
        if (!point->cand[i].only_times_out)
            return i;
    return point->count - 1;
}

const struct rd_picker rd_pick_last = {"last", "the thread with the largest number", begin, pick, false};
